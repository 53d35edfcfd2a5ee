"""Shared by the tests of the Python package."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "samples"

WORDS = "keeper lamp dusk fog lens stairs wick signal harbour tide rope boat wind night storm coal brass door".split()


def sentence(random_: random.Random, length: int = 14) -> str:
    """A sentence of random words."""
    return " ".join(random_.choice(WORDS) + str(random_.randrange(999)) for _ in range(length)).capitalize() + "."


@pytest.fixture
def texts() -> list[str]:
    """Six texts: 0, 2 and 5 are the same, 4 is empty, and 3 has characters of several bytes."""
    r = random.Random(7)
    shared, own = sentence(r), sentence(r)
    return [shared, own, shared, "Ähnlich grüßt 😀 der Wärter: " + sentence(r), "", shared]
