#!/usr/bin/env python3
"""Measures the numbers of the documentation again, and writes them with machine and date.

    remeasure.py BIN [--list] [--quick] [IDS...]

BIN is the folder of a release build's programs. An id names a measurement, or the beginning of several: simgrid, study.
--quick leaves out those that take more than about a minute. A measurement replaces what lies between
<!-- results: ID --> and <!-- end of results --> in documents. One whose programs or packages are missing here leaves its
table alone and says so. Run it on a quiet machine.
"""

import argparse
import datetime
import os
import pathlib
import platform
import re
import sys
import tempfile

import measurements  # noqa: F401: registers them
from results_lab import MEASUREMENTS, ROOT, Failed, Lab, Measurement, Rows, Skip

sys.path.append(str(ROOT / "plots"))
from charts import whole_files  # noqa: E402

BLOCK = r"(<!-- results: {} -->\n).*?(<!-- end of results -->)"


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    try:
        cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))[1]
    except (OSError, TypeError):
        pass
    return f"{cpu}, {os.cpu_count()} cores"


def table_text(rows: Rows) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], ["---", *["--:"] * (len(rows[0]) - 1)], *rows[1:]))


def commands_text(commands: list[str]) -> str:
    return "\n".join(f"- `{command.replace('ARLAB', 'build/release/bench/arlab')}`" for command in commands)


def document_of(name: str) -> pathlib.Path:
    found = [path for path in sorted((ROOT / "docs").rglob("*.md")) if f"<!-- results: {name} -->" in
             path.read_text(encoding="utf-8")]
    if len(found) != 1:
        sys.exit(f"error: {len(found)} documents have the marker <!-- results: {name} -->, not one")
    return found[0]


def write(one: Measurement, rows: Rows, version: str) -> pathlib.Path:
    path = document_of(one.id)
    how = ("Exact simulation; the same on every machine:" if one.exact else
           f"Measured on {datetime.date.today()} with {version}, on {machine()}:")
    text = f"{how}\n\n{commands_text(one.commands)}\n\n{table_text(rows)}\n"
    old = path.read_text(encoding="utf-8")
    new = re.sub(BLOCK.format(re.escape(one.id)), lambda found: found[1] + text + found[2], old, flags=re.DOTALL)
    whole_files.write_text(path, new)
    return path.relative_to(ROOT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only list the measurements and their commands")
    parser.add_argument("--quick", action="store_true", help="leave out what takes more than about a minute")
    parser.add_argument("bin", type=lambda text: pathlib.Path(text).resolve(), help="folder of the built programs")
    parser.add_argument("ids", nargs="*")
    arguments = parser.parse_intermixed_args()
    if unknown := [name for name in arguments.ids if not any(m.id.startswith(name) for m in MEASUREMENTS)]:
        parser.error(f"unknown measurement {unknown[0]}: use {', '.join(m.id for m in MEASUREMENTS)}")
    chosen = [m for m in MEASUREMENTS if not arguments.ids or any(m.id.startswith(name) for name in arguments.ids)]
    if arguments.quick:
        chosen = [m for m in chosen if not m.slow]
    if arguments.list:
        for one in chosen:
            print(f"{one.id}{' (slow)' if one.slow else ''}, in {document_of(one.id).relative_to(ROOT)}")
            print(commands_text(one.commands))
        return 0
    with tempfile.TemporaryDirectory(prefix="arlab-results-") as folder:
        lab = Lab(arguments.bin, folder)
        version, failed = lab.run("arlab --version").output.strip(), 0
        for one in chosen:
            print(f"{one.id} ...", file=sys.stderr, flush=True)
            try:
                print(f"{one.id}: written to {write(one, one.measure(lab), version)}", flush=True)
            except Skip as reason:
                print(f"{one.id}: skipped, its table is as it was: {reason}", flush=True)
            except Failed as reason:
                print(f"{one.id}: failed, its table is as it was: {reason}", flush=True)
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
