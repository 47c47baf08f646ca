#!/usr/bin/env python3
"""Builds the documentation site from the Markdown of this repository and from what the program says about itself.

    docs/site/build.py BIN OUT

BIN is the folder of the program, such as build/release/bench; OUT becomes the site, whose index.html opens from disk. Needs
mkdocs-material: `apt install mkdocs-material`, or `pip install mkdocs-material`. Status 77 if it is not installed.

Pages that are made here: reference/commands.md from each --help, reference/catalogs.md from `arlab list`, and
reference/keys.md from docs/records.schema.json. Links to files that are not pages become the files' names.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PICTURES = {".png", ".svg"}
OTHER_PAGES = {"CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md", ".github/SECURITY.md": "SECURITY.md"}
SKIPPED = 77


def pages():
    """Source in the repository -> page of the site."""
    found = {path.relative_to(ROOT).as_posix(): path.relative_to(ROOT / "docs").as_posix()
             for path in sorted((ROOT / "docs").rglob("*.md"))}
    return {**found, **OTHER_PAGES, "README.md": "index.md"}


def rewrite(text, source, page, known):
    """The text of a page, with links that lead within the site, and blocks whose first word is their language."""

    def link(found):
        target = found["target"]
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        name, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(source), name))
        if path in known:
            if path == "README.md":
                anchor = ""  # the first page has other headings
            to = os.path.relpath(known[path], os.path.dirname(page) or ".")
            return f"{found['text']}({to}{'#' * bool(anchor)}{anchor})"
        if path.startswith("docs/") and pathlib.PurePosixPath(path).suffix in PICTURES:
            return found[0]
        if found.string[found.string.rfind("\n", 0, found.start()) + 1] == "|" and found["text"].endswith("`]"):
            return f'{found["text"][1:-1]}{{title="{path}"}}'  # in a table, where names would make columns wide
        return f"{found['text'].removeprefix('[').removesuffix(']')} (`{path}`)" if path not in found["text"] else f"`{path}`"

    parts = re.split(r"(?ms)(^```.*?^```\s*$)", text)
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = re.sub(r"\A```(\w+) .*", r"```\1", part)
        else:
            parts[i] = re.sub(r"(?P<text>\[[^]\n]*(?:\n[^]\n]*)?\])\((?P<target>[^)\s]+)\)", link, part)
    return "".join(parts)


ENVIRONMENT_LACKS = 3  # arlab's exit status: a program of LibTorch that was not built


def said(program, *words):
    """What the program prints; where this build lacks a part of it, the reason."""
    done = subprocess.run([program, *words], check=False, text=True, capture_output=True,
                          env={**os.environ, "NO_COLOR": "1", "ARLAB_PROGRESS": "off"})
    if done.returncode == ENVIRONMENT_LACKS:
        return f"Not in the build that made this page ({done.stderr.strip().removeprefix('error: ').partition(':')[0]}).\n"
    if done.returncode:
        sys.exit(f"{program.name} {' '.join(words)}: {done.stderr}")
    return done.stdout


def names(text, heading):
    """The first words of the indented lines below that heading of a help text."""
    block = re.search(rf"(?m)^{heading}:\n((?:  .*\n)+)", text)[1]
    return re.findall(r"(?m)^  (\S+)", block)


def cell(text):
    return html.escape(text, quote=False).replace("|", "\\|").replace("*", "\\*")


def help_parts(text):
    """A help text in Markdown: options and subcommands as tables, the rest as it is printed."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        heading, _, rest = block.strip("\n").partition("\n")
        rows = re.findall(r"(?m)^  (\S.*?)(?: {2,}|\n {20,})(\S.*)$", rest)
        if heading.endswith(":") and len(rows) >= max(1, len(re.findall(r"(?m)^  \S", rest))):
            yield f"**{heading.removesuffix(':')}**\n\n| name | meaning |\n|---|---|\n" + "".join(
                f"| `{name.replace('|', ' or ')}` | {cell(meaning)} |\n" for name, meaning in rows)
        else:
            yield f"```text\n{block.strip(chr(10))}\n```\n"


def commands(program):
    overview = said(program, "help")
    yield "# Commands\n\nWhat each `--help` prints. `-h` leaves out the options that few need.\n\n" + "\n".join(help_parts(overview))
    for name in names(overview, "Subcommands"):
        yield f"\n## {name}\n\n" + "\n".join(help_parts(said(program, name, "--help")))


def catalogs(program):
    yield "---\nhide: [toc]\n---\n\n# Catalogs\n\nWhat `arlab list` prints.\n"
    for catalog in re.findall(r"\w+", re.search(r"(?m)^  list +Print (.*?),? and what", said(program, "help"))[1].replace(" and ", " ")):
        text = said(program, "list", catalog)
        yield f"\n## {catalog.capitalize()}\n\n" + "\n".join(
            html.escape(line, quote=False).replace("*", "\\*") for line in text.splitlines()) + "\n"


SHARED_TYPES = {"count_of": "integer", "optional_count": "integer or null", "optional_number": "number or null", "optional_text": "string or null",
                "optional_statistics": "object or null"}


def type_of(value):
    """A JSON Schema's type in words."""
    if "enum" in value:
        return ", ".join(str(name) for name in value["enum"])
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return SHARED_TYPES.get(name, name)
    if "const" in value:
        return str(value["const"])
    kinds = value.get("type", "anything")
    return " or ".join(kinds) if isinstance(kinds, list) else kinds


def keys():
    schema = json.loads((ROOT / "docs" / "records.schema.json").read_text(encoding="utf-8"))
    kinds = [part["$ref"].rpartition("/")[2] for part in schema["oneOf"]]
    yield "# Keys of records\n\nFrom `docs/records.schema.json`. [Records](records.md) explains them.\n"
    for kind in ["head", *kinds]:
        yield f"\n## {kind}\n\n| key | type | meaning | default for older files |\n|---|---|---|---|\n"
        properties = {}
        for part in (schema["$defs"][kind], *schema["$defs"][kind].get("allOf", [])):
            properties.update(part.get("properties", {}))
        for key, value in properties.items():
            kind_of = cell(type_of(value))
            default = f"`{json.dumps(value['default'])}`" if "default" in value else ""
            yield f"| `{key}` | {kind_of} | {cell(value.get('description', ''))} | {default} |\n"


def stage(program, folder):
    known = {**pages(), **{f"docs/reference/{name}.md": f"reference/{name}.md" for name in ("commands", "catalogs", "keys")}}
    for source, page in pages().items():
        if source != "README.md":
            (folder / page).parent.mkdir(parents=True, exist_ok=True)
            (folder / page).write_text(rewrite((ROOT / source).read_text(encoding="utf-8"), source, page, known), encoding="utf-8")
    for picture in (ROOT / "docs").rglob("*"):
        if picture.suffix in PICTURES:
            to = folder / picture.relative_to(ROOT / "docs")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, to)
    for name, text in (("commands", commands(program)), ("catalogs", catalogs(program)), ("keys", keys())):
        (folder / "reference" / f"{name}.md").write_text("".join(text), encoding="utf-8")


def build(program, out):
    with tempfile.TemporaryDirectory(prefix="arlab-site-") as name:
        folder = pathlib.Path(name)
        stage(program, folder / "docs")
        settings = folder / "mkdocs.yml"
        settings.write_text(f"INHERIT: {HERE / 'mkdocs.yml'}\ndocs_dir: {folder / 'docs'}\nsite_dir: {out}\n"
                            f"theme:\n  custom_dir: {HERE / 'theme'}\n", encoding="utf-8")
        done = subprocess.run(["mkdocs", "build", "--strict", "--clean", "-f", settings], check=False)
    if done.returncode:
        return 1
    index = json.loads((out / "search" / "search_index.json").read_text(encoding="utf-8"))
    script = f"var __index = {json.dumps(index)}, __search = {{index: Promise.resolve(__index)}};\n"  # for mkdocs-material 9 and 8
    (out / "search" / "search_index.js").write_text(script, encoding="utf-8")
    print(f"{len(list(out.rglob('*.html')))} pages: {out / 'index.html'}")
    return 0


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if not shutil.which("mkdocs"):
        print("mkdocs is not installed, so no site is built: apt install mkdocs-material, or pip install mkdocs-material")
        return SKIPPED
    return build(pathlib.Path(sys.argv[1]).resolve() / "arlab", pathlib.Path(sys.argv[2]).resolve())


if __name__ == "__main__":
    sys.exit(main())
