#!/usr/bin/env python3
"""Rooms: what a newcomer relies on in the shape of the tree.

    tests/architecture/rooms.py [REPOSITORY]

- At the top there are the floors, tests, docs, and cmake; other code lies in one of them.
- Folders include each other in one direction: there is no cycle between any two of them.
- In bench, the program stands on top of what it measures: a room includes only rooms on lower floors.
- A folder holds at most 26 C++ files; a longer list needs rooms. (Catalogs may grow: one file per entry.)
- Nobody tests an entry of a catalog by its name: a property that matters is a field of the entry. (Backends: bench and training.)
- Only collectives/files creates files, and for the charts plots/charts/whole_files.py: no output is truncated before it is complete.
"""
import collections
import pathlib
import re
import sys

FLOORS = ("algorithms", "simulator", "collectives", "training", "bench", "plots")
TOP = {*FLOORS, "tests", "docs", "cmake"}
BENCH_FLOORS = ("text config", "results", "formats logs measure validation", "options study calibrate", "sweep", "simulate training perf",
                "run hunt", "tune", "commands", "python")
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".inc", ".inl"}
MAX_FILES = 26
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*")
CREATES_FILE = re.compile(r"""\b(?:std::ofstream|std::fstream|O_CREAT|O_TRUNC|freopen\(|creat\(|mkstemp\(|shm_open\()
                             |\bfopen\([^;]*,\s*"[wa]""", re.VERBOSE)
CREATES_FILE_IN_PYTHON = re.compile(r"""\.write_text\(|\.write_bytes\(|\.savefig\((?!new\b)|\bopen\([^)]*,\s*["'][wax]""")
# A word like any other: no compressor, no binding.
NOT_A_NAME = {"none"}
# A record without a topology says "crossbar"; micro benchmarks choose what they measure; the logs of NCCL name machines as plans do GPUs.
ALLOWED = {("bench/results/record_table.cpp", "crossbar"), ("bench/micro/simulator.cpp", "packet"),
           ("bench/validation/nccl/rows.cpp", "a100"), ("bench/validation/nccl/rows.cpp", "v100")}
BACKEND_FUNCTION = re.compile(r"^Backend (\w+)\(\)", re.MULTILINE)


def sources(root):
    """Paths relative to the root and texts of the C++ files of the floors."""
    found = {}
    for floor in FLOORS:
        for path in sorted((root / floor).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                found[path.relative_to(root)] = path.read_text(encoding="utf-8")
    return found


def includes_between_folders(texts):
    """folder -> folder it includes -> one include as an example."""
    graph = collections.defaultdict(dict)
    for path, text in texts.items():
        for header in INCLUDE.findall(text):
            target = pathlib.PurePosixPath(header).parent
            if target != path.parent and pathlib.Path(header) in texts:
                graph[str(path.parent)].setdefault(str(target), f"{path} includes {header}")
    return graph


def find_cycle(graph):
    """The folders of one cycle, or an empty list."""
    done, trail = set(), []

    def visit(folder):
        if folder in trail:
            return trail[trail.index(folder):]
        if folder in done:
            return []
        trail.append(folder)
        for target in graph.get(folder, {}):
            if cycle := visit(target):
                return cycle
        trail.pop()
        done.add(folder)
        return []

    for folder in list(graph):
        if cycle := visit(folder):
            return cycle
    return []


def upward_in_bench(texts):
    """Yields each include of bench that does not lead downward, and each room that has no floor."""
    floor_of = {room: floor for floor, rooms in enumerate(BENCH_FLOORS) for room in rooms.split()}
    measured_apart = {"micro", "plugins", "cluster"}
    rooms = {path.parts[1] for path in texts if path.parts[0] == "bench" and len(path.parts) > 2}
    for room in sorted(rooms - set(floor_of) - measured_apart):
        yield f"bench/{room}: on no floor; give it one in BENCH_FLOORS"
    for path, text in texts.items():
        if path.parts[0] != "bench" or len(path.parts) == 2:
            continue
        for header in map(pathlib.PurePosixPath, INCLUDE.findall(text)):
            if header.parts[0] == "bench" and header.parts[1] != path.parts[1]:
                if floor_of.get(header.parts[1], len(floor_of)) >= floor_of.get(path.parts[1], len(floor_of)):
                    yield f"{path} includes {header}, which is not on a lower floor of bench"


def backend_names(texts):
    """Every name that a user can give to --backend."""
    names = set()
    for path, text in texts.items():
        if str(path.parent) == "collectives/backends/catalog":
            names.update(name.replace("_", "-") for name in BACKEND_FUNCTION.findall(text))
    return names


def entry_names(texts):
    """The names of all entries of the other catalogs, which are the stems of their files."""
    return {path.stem for path in texts if path.parent.name == "catalog" and path.suffix == ".cpp"
            and path.parts[0] != "collectives"} - NOT_A_NAME


def tested_names(texts, names):
    """Yields path, line number and name of each comparison with one of the names; as a key or a value such a word is fine."""
    if not names:
        return
    word = '"(' + "|".join(sorted(map(re.escape, names))) + ')"'
    literal = re.compile(rf"(?:[=!]= |starts_with\(|find\(){word}|{word} [=!]=")
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if found := literal.search(COMMENT.sub("", line)):
                yield path, number, re.search(word, found.group(0)).group(1)


def outputs(root, texts):
    for path, text in texts.items():
        if str(path.parent) != "collectives/files":
            for number, line in enumerate(text.splitlines(), 1):
                if found := CREATES_FILE.search(COMMENT.sub("", line)):
                    yield f"{path}:{number}: {found.group(0)} creates a file; use collectives/files/output_file.hpp"
    for path in sorted((root / "plots").rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if path.name != "whole_files.py" and CREATES_FILE_IN_PYTHON.search(line):
                yield f"{path.relative_to(root)}:{number}: creates a file; use plots/charts/whole_files.py"


def others_at_the_top(root):
    """Folders of code which git does not ignore, and whose names nobody expects."""
    ignore = root / ".gitignore"
    ignored = {line.strip("/") for line in ignore.read_text(encoding="utf-8").split()} if ignore.exists() else set()
    for folder in sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")):
        if folder.name not in TOP | ignored and any(path.suffix in {*SUFFIXES, ".py"} for path in folder.rglob("*")):
            yield f"{folder.name}: code in a folder at the top, where only {', '.join(sorted(TOP))} are: move or remove it"


def complaints(root):
    texts = sources(root)
    yield from others_at_the_top(root)
    yield from outputs(root, texts)
    graph = includes_between_folders(texts)
    if cycle := find_cycle(graph):
        yield "folders include each other in a cycle:"
        for folder, target in zip(cycle, cycle[1:] + cycle[:1]):
            yield f"  {folder} -> {target}: {graph[folder][target]}"

    yield from upward_in_bench(texts)
    for folder, count in sorted(collections.Counter(path.parent for path in texts).items()):
        if count > MAX_FILES and folder.name != "catalog":
            yield f"{folder}: {count} C++ files in one folder, at most {MAX_FILES}: give it rooms"

    users = {path: text for path, text in texts.items() if path.parts[0] in ("bench", "training")}
    for path, number, name in tested_names(users, backend_names(texts)):
        yield f'{path}:{number}: tests the backend\'s name "{name}"; ask the catalog of backends'
    others = {path: text for path, text in texts.items() if path.parent.name != "catalog"}
    for path, number, name in tested_names(others, entry_names(texts)):
        if (str(path), name) not in ALLOWED:
            yield f'{path}:{number}: tests the name "{name}" of a catalog entry; give the entry a field for what matters'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    wrong = list(complaints(root))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
