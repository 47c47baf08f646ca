"""Logs of other benchmarks: nccl-tests, rccl-tests, OSU, IMB. `arlab import` reads them; here they are only recognized."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .bad_record import BadRecord

_HEAD = 4096  # bytes that tell a log from records
_MARKS = ("busbw", "# OSU", "t_avg[usec]", "(GB/s)")


def is_log(data: bytes) -> bool:
    """Whether these are to be imported: a text with a table, or the JSON of nccl-tests or rccl-tests."""
    start = data[:_HEAD].decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if start.startswith(("{", "[")):
        return '"kind"' not in start and ('"args"' in start or '"busBw"' in start)
    return any(mark.encode() in data for mark in _MARKS)


def records_of(path: str, data: bytes | None) -> str:
    """Returns the records of a log, or without data of a folder, as JSON Lines. What is left out is said on stderr. Raises BadRecord."""
    arlab = os.environ.get("ARLAB") or shutil.which("arlab")
    if not arlab:
        raise BadRecord(f"{path} is a log, which `arlab import` reads: put arlab on the PATH")
    named = data is None or Path(path).is_file()  # a pipe has been read
    done = subprocess.run([arlab, "import", path if named else "/dev/stdin", "--json", "-"], input="" if named else data.decode("utf-8", errors="replace"),
                          capture_output=True, text=True, check=False)
    if not done.stdout:
        raise BadRecord(done.stderr.strip().removeprefix("error: ") or f"{path}: `arlab import` read nothing")
    sys.stderr.write(done.stderr)  # status 1: some lines were left out
    return done.stdout
