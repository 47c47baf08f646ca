#!/usr/bin/env python3
"""Runs the commands of the documentation, as a user would type them in the repository root.

    tests/docs/check.py [--slow] [--update] [--list] BIN [FILES...]

BIN is the folder of the built programs, such as build/release/bench. FILES are Markdown files; the default is README.md,
CONTRIBUTING.md, and docs/. The language of a fenced block says what happens to it:

    ```sh           every line runs, in order, and must succeed
    ```sh slow      the same, but only with --slow
    ```sh norun     skipped; its first line is the reason: # needs: a cluster
    ```console      lines that start with '$ ' run, and must print the lines that follow; a line ... stands for any lines

All commands of a file run in one scratch folder, which holds links to the folders of the repository. A command that needs
a program or package that this machine lacks is skipped. With ARLAB_DOCS_QUICK=1, as under sanitizers, `arlab run` measures
a tenth as long. Commands in the cells of tables run with --slow (but not in
docs/results.md, which bench/references/remeasure.py fills in). Links to files and headings of the repository are checked, too, and
that no heading, paragraph or block stands twice.
"""

import argparse
import dataclasses
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import open_mpi  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN_FOLDERS = {"build", "results"}  # of a scratch folder: commands write there
LIMIT_S, SLOW_LIMIT_S = 60, 600
SHORTEST_PART = 60  # characters of a paragraph that may not stand twice


@dataclasses.dataclass
class Command:
    line: int  # in the file, from 1
    text: str
    kind: str  # sh, slow, norun or console
    reason: str = ""  # norun
    expected: list[str] = dataclasses.field(default_factory=list)  # console


def blocks(text):
    """(line of the fence, language and tags, lines) of each fenced block."""
    fence, start, inside = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"^\s*(`{3,})\s*(.*)$", line)
        if fence is None and found:
            fence, start, inside = found, number, []
        elif fence is not None and found and not found[2] and len(found[1]) >= len(fence[1]):
            yield start, fence[2].split(), inside
            fence = None
        elif fence is not None:
            inside.append(line)
    if fence is not None:
        raise ValueError(f"line {start}: the block is never closed")


def shell_commands(start, lines, kind):
    reason = lines[0].removeprefix("# needs:").strip() if lines and lines[0].startswith("# needs:") else ""
    if kind == "norun" and not reason:
        raise ValueError(f"line {start}: a block that is not run starts with '# needs: ...'")
    joined = ""
    for number, line in enumerate(lines, start + 1):
        joined += line.rstrip()
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        if joined.strip() and not joined.lstrip().startswith("#"):
            yield Command(number, joined, kind, reason)
        joined = ""


def console_commands(start, lines):
    command = None
    for number, line in enumerate(lines, start + 1):
        if line.startswith("$ "):
            if command:
                yield command
            command = Command(number, line[2:], "console")
        elif command is None:
            raise ValueError(f"line {number}: a console block starts with '$ '")
        else:
            command.expected.append(line)
    if command:
        yield command


def table_commands(text):
    """Whole commands in the cells of tables."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        for code in re.findall(r"`([^`]+)`", line) if line.startswith("|") and not fenced else []:
            if re.match(r"(mpirun -n \d+ )?arlab [a-z]+", code):
                yield Command(number, code, "slow")


def commands_of(path):
    if path.name != "results.md":
        yield from table_commands(path.read_text(encoding="utf-8"))
    for start, words, lines in blocks(path.read_text(encoding="utf-8")):
        if words[:1] == ["console"]:
            yield from console_commands(start, lines)
        elif words[:1] == ["sh"]:
            if not set(words[1:]) <= {"slow", "norun"}:
                raise ValueError(f"line {start}: unknown tag in '{' '.join(words)}': use slow or norun")
            yield from shell_commands(start, lines, words[1] if len(words) > 1 else "sh")


def missing(text, programs, environment):
    """Why this machine cannot run the command; empty if it can."""

    def found(program):
        return shutil.which(program, path=environment["PATH"]) is not None

    if "mpirun" in text and not (found("mpirun") and "mpi" in programs["backends"]):
        return "MPI"
    if re.search(r"\b(arlab|train-mpirun)\b.* train\b|arlab train|train-mpirun", text) and not found("arlab-train"):
        return "LibTorch"
    if "arlab_micro" in text and not found("arlab_micro"):
        return "Google Benchmark"
    if re.search(r"plots/|arlab chart", text) and not programs["matplotlib"]:
        return "matplotlib"
    if "find_package" not in text and re.match(r"^(c?make|ctest) ", text):
        return "a separate build"
    return ""


def matches(expected, actual):
    """Whether the lines are the same; '...' stands for any lines."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


def quick(text):
    """The command with a tenth of the default time for each measured configuration, unless it says how long."""
    return re.sub(r"\barlab run\b([^|;&]*)",
                  lambda found: found[0] if re.search(r" --(time|runs|plan)\b", found[1]) else f"arlab run --time 20ms{found[1]}", text)


def run(command, folder, environment):
    """An error text, or the empty string; and the output's lines."""
    limit = SLOW_LIMIT_S if command.kind == "slow" else LIMIT_S
    try:
        text = quick(command.text) if environment.get("ARLAB_DOCS_QUICK") == "1" else command.text
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", text], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=limit * float(environment.get("ARLAB_DOCS_PATIENCE", "1")), check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {limit} s: tag its block slow", []
    if done.returncode and not (command.kind == "console" and done.returncode == 141):  # head closed the pipe
        return f"exit status {done.returncode}\n{done.stdout}", []
    # A slow machine sees progress where the documented one had none to report.
    return "", [line for line in done.stdout.splitlines() if not line.startswith("note: after ")]


def anchors(path):
    """The names that GitHub gives to the headings of a Markdown file."""
    text = re.sub(r"(?ms)^```.*?^```", "", path.read_text(encoding="utf-8"))
    names = set()
    for heading in re.findall(r"(?m)^#+ (.*)$", text):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
        kept = (c for c in heading if c in "-_ " or unicodedata.category(c)[0] in "LN")
        names.add("".join(kept).replace(" ", "-"))
    return names


def broken_links(path):
    text = re.sub(r"(?ms)^```.*?^```", "", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists():
            yield f"link to {target}: there is no such file"
        elif anchor and anchor not in anchors(file):
            yield f"link to {target}: there is no such heading"


def repeats(text):
    """The headings, paragraphs and blocks that stand twice in a document: what a bad merge leaves behind."""
    seen = {}
    number, lines, fence = 1, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence ^= line.startswith("```")
        if line.strip() or fence:
            lines.append(line)
            if not (line.startswith("#") and not fence and len(lines) == 1):
                continue
        part = " ".join(" ".join(lines).split())
        lines = []
        if len(part) < SHORTEST_PART and not part.startswith("#"):
            continue
        if part in seen:
            yield f"line {number}: repeats the part that ends on line {seen[part]}: {part[:60]}"
        seen.setdefault(part, number)


def scratch_folder(where):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="arlab-docs-", dir=where))
    for entry in ROOT.iterdir():
        if entry.name not in OWN_FOLDERS and not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    return folder


def update(path, command, actual):
    text = path.read_text(encoding="utf-8")
    old = "\n".join([f"$ {command.text}", *command.expected])
    path.write_text(text.replace(old, "\n".join([f"$ {command.text}", *(line.rstrip() for line in actual)]), 1),
                    encoding="utf-8")


def check(path, arguments, programs, environment):
    """The number of failures of a file."""
    name = os.path.relpath(path, ROOT)
    failures = 0
    for problem in [*broken_links(path), *repeats(path.read_text(encoding="utf-8"))]:
        print(f"FAILED   {name}: {problem}")
        failures += 1
    folder = scratch_folder(None)
    (folder / "results").mkdir()
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(arguments.bin.parent)
    try:
        for command in commands_of(path):
            where = f"{name}:{command.line}: {command.text.strip()}"
            reason = command.reason or missing(command.text, programs, environment)
            if command.kind == "norun" or reason:
                print(f"skipped  {where}  (needs {reason})")
            elif arguments.list or (command.kind == "slow" and not arguments.slow):
                print(f"{'to run ' if arguments.list else 'skipped'}  {where}  ({command.kind})")
            else:
                error, output = run(command, folder, environment)
                if not error and command.kind == "console" and not matches(command.expected, output):
                    if arguments.update:
                        update(path, command, output)
                        print(f"updated  {where}")
                        continue
                    error = "prints something else:\n" + "\n".join(
                        difflib.unified_diff(command.expected, output, "documented", "now", lineterm=""))
                failures += bool(error)
                print(f"{'FAILED ' if error else 'ran    '}  {where}" + (f"\n{error}" if error else ""), flush=True)
    finally:
        shutil.rmtree(folder)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slow", action="store_true", help="run the slow blocks, too")
    parser.add_argument("--list", action="store_true", help="only list the commands")
    parser.add_argument("--update", action="store_true", help="write the output of console blocks into the documents")
    parser.add_argument("bin", type=lambda text: pathlib.Path(text).resolve(), help="folder of the built programs")
    parser.add_argument("files", nargs="*", type=lambda text: pathlib.Path(text).resolve())
    arguments = parser.parse_args()
    files = arguments.files or [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

    folders = [arguments.bin, arguments.bin / "micro", ROOT / "bench" / "cluster"]
    environment = {**open_mpi.ENVIRONMENT, "NO_COLOR": "1", **os.environ,
                   "ASAN_OPTIONS": "detect_leaks=0", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PATH"] = os.pathsep.join([*map(str, folders), environment["PATH"]])
    listed = subprocess.run(["arlab", "list", "backends"], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    programs = {
        "backends": re.findall(r"^\| (\S+) +\| on ", listed.stdout, re.MULTILINE),
        "matplotlib": subprocess.run(["python3", "-c", "import matplotlib"], env=environment, check=False,
                                     stderr=subprocess.DEVNULL).returncode == 0,
    }
    failures = 0
    for path in files:
        try:
            failures += check(path, arguments, programs, environment)
        except ValueError as problem:
            print(f"FAILED   {path}: {problem}")
            failures += 1
    print(f"{failures} failed" if failures else "all commands and links are as documented")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
