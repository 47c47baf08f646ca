#!/usr/bin/python3
"""Makes the figures of the documentation again, by the commands in figures.json, or checks that they are up to date.

    docs/figures/make_figures.py BIN            from simulations, and from the measured records beside this file
    docs/figures/make_figures.py BIN --measure  measures those first: needs mpirun, LibTorch, and an idle machine for minutes
    docs/figures/make_figures.py BIN --check    draws all of them, and says what differs from the pictures; 1 if something does
    docs/figures/make_figures.py BIN --only study --only explorer

BIN is the folder of the built programs, such as build/release/bench. Each picture holds the words that are on it, which is
what a check compares. The pictures of pages, and those of docs/teaching, need Chromium, and an explorer with WebAssembly.
"""

import argparse
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "plots"), str(ROOT / "tests" / "plots"), str(ROOT / "docs" / "teaching")]
import browser  # noqa: E402
import make_figures as teaching  # noqa: E402  (of docs/teaching: this file runs as __main__)

PLAN = json.loads((HERE / "figures.json").read_text(encoding="utf-8"))
RECORDS = HERE / "records"
DOTS_PER_INCH = 106
KEYWORD = b"arlab words"
# What charts read of measured records; the rest would only make the repository larger.
KEPT = {"schema", "kind", "host", "date", "commit", "launch", "command", "backend", "collective", "algorithm", "label", "color", "family", "ranks", "bytes", "dtype", "op",
        "segments", "place", "mode", "cache", "skipped", "wrong", "time_us", "modelled_us", "model", "topology", "workers", "strategy", "scheduler", "compressor", "bandwidth_gbit_per_s",
        "latency_us", "multiply_adds_per_s", "slowdown", "jitter", "step_us", "images_per_s", "epochs", "steps", "loss", "elapsed_us", "compute_us", "input_us", "exposed_us",
        "bytes_sent", "validation_loss", "validation_accuracy", "median", "ci95", "nodes", "ranks_per_node", "protocol", "chosen", "bound_us"}


def main() -> int:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("skipped: needs matplotlib (apt install python3-matplotlib)")
        return 77
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", metavar="BIN", type=Path)
    parser.add_argument("--measure", action="store_true", help="measure the records of measured figures again")
    parser.add_argument("--check", action="store_true", help="write nothing; compare")
    parser.add_argument("--only", action="append", metavar="FIGURE", help="this one; can be repeated (default: all)")
    options = parser.parse_args()
    names = [*PLAN["charts"], *PLAN["pages"], "teaching"]
    for name in options.only or []:
        if name not in names:
            parser.error(f"--only {name}: choose from {', '.join(names)}")
    os.environ["PATH"] = f"{options.bin.resolve()}{os.pathsep}{os.environ['PATH']}"
    wanted = options.only or names
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if options.measure:
            measure({PLAN["charts"][name][0] for name in wanted if name in PLAN["charts"]} & PLAN["measured"].keys())
        for path, picture, words in [*charts(wanted), *pages(wanted)]:
            differ += compare(path, words) if options.check else write(path, picture, words)
    return 1 if differ else 0


def run(command: str) -> None:
    done = subprocess.run(command, shell=True, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"error: `{command}` ended with status {done.returncode}:\n{done.stderr}")


def measure(files: set[str]) -> None:
    RECORDS.mkdir(exist_ok=True)
    for file in sorted(files):
        run(PLAN["measured"][file])
        rows = map(json.loads, Path(file).read_text(encoding="utf-8").splitlines())
        (RECORDS / file).write_text("".join(json.dumps(kept(row), separators=(",", ":")) + "\n" for row in rows), encoding="utf-8")


def kept(row: dict[str, Any]) -> dict[str, Any]:
    """The record without what charts do not read: left out where its kind allows that, else null where that is allowed."""
    from charts.schema import violation, with_defaults
    for key in [key for key in row if key not in KEPT]:
        without = {name: value for name, value in row.items() if name != key}
        row = next((less for less in (without, {**row, key: None}) if not violation(with_defaults(less), may_lack=False)), row)
    return row


# A figure is its file, what draws the picture's bytes, and its words.
Made = tuple[Path, Callable[[], bytes], list[str]]


def charts(wanted: list[str]) -> Iterator[Made]:
    from charts import catalog
    from charts.records import read

    for name, (file, chart) in PLAN["charts"].items():
        if name not in wanted:
            continue
        if file in PLAN["measured"] and not (RECORDS / file).exists():
            print(f"note: {name} is left as it is: it has no records yet, which --measure writes", file=sys.stderr)
            continue
        if file in PLAN["measured"]:
            Path(file).write_bytes((RECORDS / file).read_bytes())
        elif not Path(file).exists():
            run(PLAN["commands"][file])
        figure = catalog.figure_of(chart, read(file), None)
        if figure is None:
            sys.exit(f"error: {file} holds nothing for {chart}")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        yield HERE / f"{name}.png", partial(png_of, figure), words_of(text.getvalue())


def png_of(figure: Any) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return smaller(picture)


def smaller(picture: io.BytesIO) -> bytes:
    from PIL import Image
    out = io.BytesIO()
    Image.open(picture).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(out, "png", optimize=True)
    return out.getvalue()


def words_of(svg: str) -> list[str]:
    """The texts of an SVG, and the names of its lines."""
    import xml.etree.ElementTree as ElementTree
    found = []
    for node in ElementTree.fromstring(svg).iter():
        if node.tag.endswith("}text"):
            found.append("".join(node.itertext()).strip())
        elif node.tag.endswith("}g") and node.get("id", "").startswith(("line ", "break-even ")):
            found.append(node.get("id", ""))
    return sorted(filter(None, found))


def pages(wanted: list[str]) -> Iterator[Made]:
    links = {name: link for name, link in PLAN["pages"].items() if name in wanted}
    if not links and "teaching" not in wanted:
        return
    if not browser.BROWSER:
        print("note: no pictures of pages: they need a browser (apt install chromium)", file=sys.stderr)
        return
    run("arlab explore -o explore.html")
    page = browser.Browser()
    page.open(Path("explore.html").resolve().as_uri())
    precomputed = page.run("Boolean(precomputed)")
    page.close()
    if precomputed:
        print("note: no pictures of pages: this arlab was built without WebAssembly", file=sys.stderr)
        return
    for name, link in links.items():
        page = browser.Browser()
        page.size(1280, 720)
        page.open(f"{Path('explore.html').resolve().as_uri()}#{link}")
        page.run("document.documentElement.dataset.theme = 'light'")
        page.picture(Path("page.png"))
        words = page.run("document.querySelector('main').innerText").split("\n")
        page.close()
        yield HERE / f"{name}.png", partial(smaller, io.BytesIO(Path("page.png").read_bytes())), sorted(filter(None, map(str.strip, words)))
    if "teaching" in wanted:
        folder = Path("teaching")
        teaching.main("explore.html", folder)
        for path in sorted(folder.iterdir()):
            svg = path.read_text(encoding="utf-8")
            yield ROOT / "docs" / "teaching" / "figures" / path.name, svg.encode, words_of(svg)


def write(path: Path, picture: Callable[[], bytes], words: list[str]) -> int:
    path.write_bytes(with_words(picture(), words) if path.suffix == ".png" else picture())
    print(path.relative_to(ROOT))
    return 0


def compare(path: Path, words: list[str]) -> int:
    """Returns whether the words on the picture are others."""
    data = path.read_bytes() if path.exists() else b""
    old = (read_words(data) if path.suffix == ".png" else words_of(data.decode())) if data else []
    if sorted(old) == sorted(words):
        return 0
    print(f"{path.relative_to(ROOT)} is out of date: run docs/figures/make_figures.py BIN --only {path.stem if path.suffix == '.png' else 'teaching'}")
    for sign, lost in (("-", Counter(old) - Counter(words)), ("+", Counter(words) - Counter(old))):
        for word in sorted(lost.elements())[:12]:
            print(f"  {sign} {word}")
    return 1


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 8 <= len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        yield kind, png[at + 8:at + 8 + size]
        at += size + 12


def with_words(png: bytes, words: list[str]) -> bytes:
    """The picture with its words, as a compressed text of PNG."""
    text = KEYWORD + b"\0\0" + zlib.compress(json.dumps(words).encode(), 9)
    parts = [png[:8]]
    for kind, data in chunks(png):
        for name, body in ((kind, data),) if kind != b"IEND" else ((b"zTXt", text), (kind, data)):
            parts.append(struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)))
    return b"".join(parts)


def read_words(png: bytes) -> list[str]:
    for kind, data in chunks(png):
        if kind == b"zTXt" and data.startswith(KEYWORD):
            return json.loads(zlib.decompress(data[len(KEYWORD) + 2:]))
    return []


if __name__ == "__main__":
    sys.exit(main())
