#!/usr/bin/env python3
"""Writes the seeds of a fuzzer as the files that libFuzzer reads.

    corpus.py SEEDS.txt FOLDER [FOLDER_WITH_MORE]
    corpus.py --line FILE    prints a file, such as a finding, as a line for SEEDS.txt
"""
import pathlib
import re
import shutil
import sys


def unescaped(line):
    values = {b"n": b"\n", b"\\": b"\\"}
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x" and len(m[1]) == 3 else
                  values.get(m[1], m[1]), line)


def escaped(data):
    text = "".join({10: "\\n", 92: "\\\\"}.get(b, chr(b) if 32 <= b < 127 else f"\\x{b:02x}") for b in data)
    return re.sub(r"^#", r"\\x23", text)


def main(words):
    if words[0] == "--line":
        print(escaped(pathlib.Path(words[1]).read_bytes()))
        return
    folder = pathlib.Path(words[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, line in enumerate(pathlib.Path(words[0]).read_bytes().split(b"\n")):
        if line and not line.startswith(b"#"):
            (folder / f"seed_{number}").write_bytes(unescaped(line))
    for more in words[2:]:
        for file in pathlib.Path(more).iterdir():
            shutil.copy(file, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
