"""Files that a run writes at its end: they are tried at its start, and one that is not written is the exit status of the process."""
import atexit
import contextlib
import errno
import os
import sys
from typing import Any, Callable

from .._errors import Error, MachineError, status_of

_status = 0


def _cannot_write(path: str, error: OSError) -> MachineError:
    """In the words of the program."""
    full = error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
    return MachineError(f"cannot write {path} ({error.strerror}): " +
                        ("make room or write somewhere else" if full else "name a file that can be written"))


def check_can_write(path: str) -> None:
    """Throws MachineError for a file that cannot be written. What it holds stays."""
    there = os.path.exists(path)
    if there and not os.path.isfile(path) and not os.path.isdir(path):
        return  # opening a pipe would wait for its reader, or end it
    try:
        with open(path, "ab"):
            pass
        if not there:
            os.unlink(os.path.realpath(path))
    except OSError as error:
        raise _cannot_write(path, error) from None


def write(what: str, path: str, save: Callable[..., object], *arguments: Any) -> None:
    """Saves a file at the end of a run. A failure is said; what else there is to write is still written."""
    try:
        save(*arguments)
        return
    except Error as error:
        failure = error
    except OSError as error:
        failure = _cannot_write(path, error)
    fail(f"the {what} was not written: {failure}", status_of(failure))


def fail(text: str, status: int) -> None:
    """Says what failed, and lets the process end with a status."""
    global _status
    print(f"arlab: {text}", file=sys.stderr, flush=True)
    _status = max(_status, status)


@atexit.register
def _end() -> None:
    """Exceptions of functions at exit do not change the status. PyTorch is imported later, so its functions have run before this one."""
    if _status:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(_status)
