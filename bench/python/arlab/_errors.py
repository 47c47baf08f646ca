"""Exceptions, with the texts of the command line: the value that is wrong, and what to do."""
from typing import Optional


class Error(Exception):
    """Whatever arlab refuses or fails at."""


class UsageError(Error, ValueError):
    """A value that cannot be used."""


class CheckError(Error):
    """An algorithm that is wrong. `rank`, `round` (from 1; 0: none), `file`, and `line` say where, if that is known."""

    def __init__(self, text: str, rank: Optional[int] = None, round: int = 0, file: str = "", line: int = 0) -> None:
        super().__init__(text)
        self.rank, self.round, self.file, self.line = rank, round, file, line


class MachineError(Error, OSError):
    """Something that this machine or installation lacks."""


def status_of(error: Error) -> int:
    """The exit code of the program for it."""
    return 1 if isinstance(error, CheckError) else 2 if isinstance(error, UsageError) else 3


def of(blame: int, text: str) -> Error:
    """The exception for an error of the compiled module, by the exit code of the program."""
    if blame == 1:
        return CheckError(text)
    return UsageError(text) if blame == 2 else MachineError(text)
