"""Exceptions. All of them are :class:`Error`."""

from __future__ import annotations


class Error(Exception):
    """What refrain could not do, and what to do about it."""


class InputError(Error, TypeError):
    """An argument is nothing that refrain can read."""


class OptionError(Error, ValueError):
    """An option does not exist, or has a value that it cannot have."""


class RefusedError(Error, ValueError):
    """The request cannot be carried out; the message says why and what to do."""


class FileError(Error, OSError):
    """A file or folder could not be read or written."""


class ParquetError(Error):
    """A Parquet file could not be written."""


class DamagedError(Error):
    """A file that refrain wrote is damaged."""


class UnusableError(Error):
    """A file or folder of refrain cannot be used: another program is changing it, or another version wrote it."""


class AlarmError(Error):
    """The output was not completed, because more would be lost than ``alarm`` allows."""


class InterruptedError(Error):
    """The run was asked to stop."""


class InternalError(Error):
    """A mistake of refrain itself."""
