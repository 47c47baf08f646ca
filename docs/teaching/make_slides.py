#!/usr/bin/python3
"""Makes slides of the lecture: one HTML file with its figures, for any browser, without a network. Needs pandoc (apt install pandoc).

    /usr/bin/python3 docs/teaching/make_slides.py [slides.html]

Each section of lecture.md becomes a slide with its figures and one with its sentences; questions to the class are set apart. Arrow keys
turn the slides, and F fills the screen.
"""
import base64
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STYLE = """<style>
  section h1 { font-size: 64px; }
  section h2 { font-size: 36px; margin: 24px 48px 12px; text-align: left; }
  section ul { margin: 24px 48px; padding-left: 24px; }
  section li { font-size: 26px; line-height: 1.3; margin: 0 0 14px; text-align: left; }
  section li em:first-child { color: #a33; font-style: normal; font-weight: bold; }
  section p.pictures { display: flex; justify-content: center; align-items: center; gap: 16px; margin: 0 24px; height: 470px; }
  section p.pictures img { flex: 1 1 0; min-width: 0; max-width: 100%; max-height: 460px; object-fit: contain; }
</style>
"""


def sentences(paragraph):
    """Without links to files, which are not in the slides."""
    text = re.sub(r"\[([^]]+)\]\((?!http)[^)]*\)", r"\1", " ".join(paragraph.split()))
    return [part for part in re.split(r"(?<=[.?!])\s+(?=[A-Z*])", text) if part]


def embedded(picture):
    """The picture as an address. Pandoc 3 would put its parts into the page, where they take the page's style."""
    kind = {".svg": "image/svg+xml", ".png": "image/png"}[picture.suffix]
    return f"data:{kind};base64,{base64.b64encode(picture.read_bytes()).decode()}"


def slides_of(lecture):
    """The slides as Markdown."""
    title, *sections = re.split(r"^## ", lecture, flags=re.MULTILINE)
    heading, *preamble = title.strip().split("\n\n")
    yield f"% {heading.removeprefix('# ')}\n"
    for paragraph in preamble[1:]:  # the first is about the page that goes with the lecture
        yield "## What is asked\n\n" + "\n".join(f"- {one}" for one in sentences(paragraph)) + "\n"
    for section in sections:
        heading, *paragraphs = section.strip().split("\n\n")
        heading = re.sub(r" \(\d+ min\)$", "", heading)
        for paragraph in paragraphs:
            pictures = re.findall(r"!\[([^]]*)\]\(([^)]*)\)", paragraph)
            if pictures:
                shown = "".join(f'<img src="{embedded(HERE / file)}" alt="{text}">' for text, file in pictures)
                yield f"## {heading}\n\n<p class=\"pictures\">{shown}</p>\n"
            else:
                yield f"## {heading}\n\n" + "\n".join(f"- {one}" for one in sentences(paragraph)) + "\n"


def main(output="slides.html"):
    if not shutil.which("pandoc"):
        sys.exit("error: slides need pandoc: apt install pandoc")
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as style:
        style.write(STYLE)
        style.flush()
        text = "\n".join(slides_of((HERE / "lecture.md").read_text(encoding="utf-8")))
        subprocess.run(["pandoc", "-f", "markdown", "-t", "dzslides", "--standalone", "--slide-level=2", "-H", style.name,
                        "-o", str(pathlib.Path(output).resolve())], input=text, text=True, cwd=HERE, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
