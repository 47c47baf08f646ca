#!/usr/bin/python3
"""The words of all texts: none of tests/docs/words.txt, in documents, sources and scripts; and codespell's list where it is installed.

    words.py [FILES...]"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "tests" / "docs" / "words.txt"
TEXTS = {".md", ".cpp", ".hpp", ".py", ".sh", ".cmake", ".js", ".html", ".css"}
OURS = "ro,nd,te,fo,ba,ot,inout,rcall,hist,fpr,crate,ans,sinc,als,parm,datas,ser,statics,pevents"  # names in code that codespell takes for words


def avoided():
    """(pattern, words instead) of each line of the list."""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, instead = line.split("\t")
            yield re.compile(pattern, re.IGNORECASE), instead


def texts():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()
    paths = [ROOT / name for name in listed] or [path for path in ROOT.rglob("*") if "build" not in path.parts]
    for path in paths:
        if path.is_file() and (path.suffix in TEXTS or path.name == "lab") and path not in (LIST, pathlib.Path(__file__).resolve()):
            yield path


def wrong(paths):
    words = list(avoided())
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for pattern, instead in words:
                if found := pattern.search(line):
                    yield f"{path}:{number}: '{found[0]}': write {instead}"


def main():
    paths = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or list(texts())
    faults = list(wrong(paths))
    print("\n".join(faults), end="\n" if faults else "")
    if shutil.which("codespell"):
        documents = [str(path) for path in paths if path.suffix == ".md"]
        done = subprocess.run(["codespell", "--ignore-words-list", OURS, *documents], check=False)
        return 1 if faults or done.returncode else 0
    print("codespell is not installed: only our own list was checked")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
