#!/usr/bin/python3
"""Golden transcripts: what a user types, and every character that comes back.

    check.py [--update] ARLAB TRANSCRIPT...

A transcript is a text file. Lines before the first command are about the file. A line "$ COMMAND" is run by
/bin/sh, with the program as `arlab`; the lines after it are stdout and stderr as they come, and "[exit N]" at
the end where N is not 0. All commands of a file share one folder, which is empty at the start and removed at
the end. --update writes down what comes back now: read the difference before you commit it.
"""

import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

PROMPT = "$ "
TIMEOUT = 120  # seconds a command


def environment(arlab):
    """The same everywhere: no job, no colors, no terminal's width, one language."""
    kept = {name: value for name, value in os.environ.items()
            if name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH") or name.startswith("ARLAB_MUTANT")}
    return {**kept, "PATH": f"{pathlib.Path(arlab).resolve().parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "ARLAB_PROGRESS": "off"}


def answer(command, folder, env):
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
    text = done.stdout.decode(errors="backslashreplace")
    if text and not text.endswith("\n"):
        text += "\n[no newline at the end]\n"
    if done.returncode != 0:
        text += f"[exit {done.returncode}]\n"
    return text


def replay(transcript, arlab):
    """The transcript as it would be written now."""
    env = environment(arlab)
    parts, started = [], False
    with tempfile.TemporaryDirectory(prefix="arlab-golden-") as folder:
        for line in transcript.splitlines(keepends=True):
            if line.startswith(PROMPT):
                gap = "\n" if started else ""
                started = True
                parts.append(gap + line + answer(line[len(PROMPT):].rstrip("\n"), folder, env))
            elif not started:
                parts.append(line)
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--update", action="store_true", help="write down what comes back now")
    parser.add_argument("arlab", help="the program")
    parser.add_argument("transcripts", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()

    failed = False
    for path in arguments.transcripts:
        expected = path.read_text(encoding="utf-8")
        if PROMPT not in expected:
            sys.exit(f"{path}: no command in it: write lines that begin with '{PROMPT}arlab'")
        actual = replay(expected, arguments.arlab)
        if actual == expected:
            continue
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(keepends=True), actual.splitlines(keepends=True),
                                                   f"{path.name}, expected", f"{path.name}, now"))
        if arguments.update:
            path.write_text(actual, encoding="utf-8")
        else:
            failed = True
            print(f"\nIf this is how it must be: {sys.argv[0]} --update {arguments.arlab} {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
