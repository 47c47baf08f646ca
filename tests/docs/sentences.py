#!/usr/bin/env python3
"""The pages for newcomers: in docs/index.md, docs/start and docs/guides no sentence has more than 30 words, and no page more than 2,500.

    sentences.py [FILES...]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST, MOST = 30, 2500


def prose(text):
    """Paragraphs, items and cells, without code blocks, headings, links' targets and pictures."""
    text = re.sub(r"(?ms)^```.*?^```", "\n", text)
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text)
    parts = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|\|) ?)", text):
        if block.lstrip().startswith("#"):
            continue
        parts += block.split("|") if block.lstrip().startswith("|") else [block]
    return [" ".join(part.replace("**", "").split()) for part in parts if part.strip(" -:|\n")]


def sentences(text):
    for part in prose(text):
        yield from (sentence for sentence in re.split(r"(?<=[.?!:])\s+", part) if sentence)


def faults(path):
    text = path.read_text(encoding="utf-8")
    for sentence in sentences(text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > LONGEST:
            yield f"{path}: {len(words)} words: {sentence}"
    count = sum(len(part.split()) for part in prose(text))
    if count > MOST:
        yield f"{path}: {count} words, more than {MOST}: move what few need to docs/reference"


def self_check():
    long = "word " * LONGEST
    return len(list(sentences("# H\n\nOne. Two?\n\n- Three\n- Four `a. b`\n\n| a | b |\n\n```sh\nx. y\n```\n"))) == 6 and \
        max(len(s.split()) for s in sentences(f"{long}more.")) == LONGEST + 1


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]] or [
        ROOT / "docs" / "index.md", ROOT / "docs" / "gallery.md", *sorted((ROOT / "docs" / "start").glob("*.md")), *sorted((ROOT / "docs" / "guides").glob("*.md"))]
    wrong = [fault for path in paths for fault in faults(path)]
    print("\n".join(wrong) or f"{len(paths)} pages are short, and so are their sentences")
    return 1 if wrong or len(paths) == 0 or not self_check() else 0


if __name__ == "__main__":
    sys.exit(main())
