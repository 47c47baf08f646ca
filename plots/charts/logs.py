"""Logs of other benchmarks: nccl-tests, rccl-tests, OSU, IMB. `arlab import` reads them; here they are only recognized."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .bad_record import BadRecord

_HEAD = 4096  # bytes that tell a log from records
_MARKS = ("busbw", "# OSU", "t_avg[usec]", "(GB/s)")


def is_log(path: str) -> bool:
    """Whether a file is to be imported: a folder, a text with a table, or the JSON of nccl-tests or rccl-tests."""
    if Path(path).is_dir():
        return True
    try:
        with open(path, "rb") as file:
            start = file.read(_HEAD).decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
            if start.startswith(("{", "[")):
                return '"kind"' not in start and ('"args"' in start or '"busBw"' in start)
            text = start + file.read().decode("utf-8", errors="replace")
    except OSError:
        return False  # the reader of records says why
    return any(mark in text for mark in _MARKS)


def records_of(path: str) -> str:
    """Returns the records of a log as JSON Lines. What is left out is said on stderr. Raises BadRecord."""
    arlab = os.environ.get("ARLAB") or shutil.which("arlab")
    if not arlab:
        raise BadRecord(f"{path} is a log, which `arlab import` reads: put arlab on the PATH")
    done = subprocess.run([arlab, "import", path, "--json", "-"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise BadRecord(done.stderr.strip().removeprefix("error: ") or f"{path}: `arlab import` read nothing")
    sys.stderr.write(done.stderr)  # status 1: some lines were left out
    return done.stdout
