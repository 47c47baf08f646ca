#!/usr/bin/env python3
"""Lengths: no function of the product has more than 60 lines, counted from the line of its opening brace to that of its end.

    tests/architecture/lengths.py [REPOSITORY] [--print]

--print shows the longest ten.
"""
import pathlib
import re
import sys

import rooms
import seams

MAX_LINES = 60
NOT_A_FUNCTION = re.compile(r"^\s*(?:template\s*<[^{]*>\s*)?(?:inline\s+)?(?:namespace|struct|class|enum|union|extern)\b")
NAME = re.compile(r"([\w:~]+|operator[^\s(]+)\s*\(")
MARK = re.compile(r"[{};]|\n")


def blanked(text):
    """The text without words of comments, strings, and preprocessor lines; lines stay."""
    text = seams.WORDS.sub(lambda found: "\n" * found.group().count("\n") + '""', text)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda found: "\n" * found.group().count("\n"), text, flags=re.MULTILINE)


def functions(text):
    """Name and number of lines of each function, those of lambdas being part of the function around them."""
    text = blanked(text)
    depth, line, start, head = 0, 1, 0, 0
    body = None  # depth and name of the function that is open
    for mark in MARK.finditer(text):
        letter = mark.group()
        if letter == "\n":
            line += 1
            continue
        if letter == "{":
            said = text[head:mark.start()]
            if body is None and "(" in said and not NOT_A_FUNCTION.match(said):
                name = NAME.search(said)
                body, start = (depth, name[1] if name else "?"), line
            depth += 1
        elif letter == "}":
            depth -= 1
            if body is not None and body[0] == depth:
                yield body[1], line - start + 1
                body = None
        head = mark.end()


def main():
    words = [word for word in sys.argv[1:] if word != "--print"]
    root = pathlib.Path(words[0] if words else pathlib.Path(__file__).parents[2])
    found = sorted(((lines, str(path), name) for path, text in rooms.sources(root).items() if path.suffix != ".inc"
                    for name, lines in functions(text)), reverse=True)
    if "--print" in sys.argv:
        for lines, path, name in found[:10]:
            print(f"{lines:4} lines  {path}: {name}")
    wrong = [f"{path}: {name} has {lines} lines, at most {MAX_LINES}: split it" for lines, path, name in found
             if lines > MAX_LINES]
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
