"""The program ``refrain``."""

from __future__ import annotations

import signal
import sys

from refrain import _refrain


def main() -> int:
    """Run the command line of refrain and return its exit code."""
    # The program handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _refrain.command(["refrain", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
