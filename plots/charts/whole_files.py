"""Whole files: an output takes the place of an older one when it is complete, not before."""

import contextlib
import os
from pathlib import Path
from typing import Iterator


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives the name of a new file beside `path`, to write. It becomes `path` at the end; after an error, it is removed and
    an older file stays. A symbolic link stays, and a file keeps its mode. What is no regular file is written itself."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        yield path
        return
    new = target.with_name(f"{target.name[:200]}.writing-{os.getpid()}")
    try:
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        error.filename = str(path)
        raise
    try:
        yield new
        with open(new, "rb") as written:
            os.fsync(written.fileno())
        if target.exists():
            os.chmod(new, target.stat().st_mode & 0o777)
        os.replace(new, target)
    except BaseException as error:
        new.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise


def write_text(path: Path, text: str) -> None:
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")
