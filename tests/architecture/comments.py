#!/usr/bin/env python3
"""Comments of C++ have at most 100 columns.

    comments.py SOURCE [--fix]

Lists those that are longer, and ends with status 1 if there are any; with --fix wraps them, each from where it is too
long to the end of its paragraph. clang-format would join the lines of lists and tables.
"""
import pathlib
import re
import sys
import textwrap

MOST = 100
COMMENT = re.compile(r"^(\s*///?)( *)(.*)$")
ITEM = re.compile(r"(?:[-*]|\d+\.) +")
FOLDERS = "algorithms simulator collectives training bench plots tests".split()
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".inl")
FIXED = re.compile(r"\||```|NOLINT|clang-format|https?://\S+$")


def parts(line):
    """Returns (marker, spaces, text) of a line that is a comment, or None."""
    found = COMMENT.match(line)
    return found.groups() if found and not found[3].startswith("/") else None


def paragraph(lines, at):
    """Returns the end of the paragraph that begins at `at`, how its next lines are indented, and its text."""
    marker, spaces, text = parts(lines[at])
    item = ITEM.match(text)
    hang = spaces + " " * (len(item[0]) if item else 0)
    end = at + 1
    while end < len(lines):
        following = parts(lines[end])
        if not following or following[:2] != (marker, hang) or not following[2] or ITEM.match(following[2]) or FIXED.match(following[2]):
            break
        text += " " + following[2]
        end += 1
    return end, hang, text


def wrapped(text):
    """Returns the text with no comment that is too long, but those of one word."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        comment = parts(lines[at])
        if comment and len(lines[at]) > MOST and not FIXED.match(comment[2]):
            end, hang, words = paragraph(lines, at)
            marker = comment[0]
            lines[at:end] = textwrap.wrap(words, MOST, initial_indent=marker + comment[1], subsequent_indent=marker + hang,
                                          break_long_words=False, break_on_hyphens=False)
        at += 1
    return "\n".join(lines)


def is_long(line):
    return len(line) > MOST and "//" in line and not line.lstrip().startswith(('"', "R\"")) and bool(re.search(r"(^|\s)//", line))


def main():
    source = pathlib.Path(sys.argv[1])
    long = 0
    for path in sorted(path for folder in FOLDERS for path in (source / folder).rglob("*.*") if path.suffix in SUFFIXES):
        text = path.read_text(encoding="utf-8")
        if sys.argv[2:] == ["--fix"]:
            now = wrapped(text)
            if now != text:
                path.write_text(now, encoding="utf-8")
            text = now
        for number, line in enumerate(text.split("\n"), 1):
            if is_long(line):
                long += 1
                print(f"{path.relative_to(source)}:{number}: {len(line)} columns: {line.strip()}")
    sys.exit(long > 0)


if __name__ == "__main__":
    main()
