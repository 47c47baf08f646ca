#!/usr/bin/env python3
"""Rooms: what a newcomer relies on in the shape of the tree.

    tests/architecture/rooms.py [REPOSITORY]

- Folders include each other in one direction: there is no cycle between any two of them.
- A folder holds at most 26 C++ files; a longer list needs rooms. (Catalogs may grow: one file per entry.)
- bench and training never test a backend by name: they ask the catalog of collectives/backends.
- Only collectives/files creates files, and for the charts plots/charts/whole_files.py: no output is truncated before it is complete.
"""
import collections
import pathlib
import re
import sys

FLOORS = ("algorithms", "simulator", "collectives", "training", "bench", "plots")
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".inc", ".inl"}
MAX_FILES = 26
MORE_FILES = {"bench/cli": 32}  # until options, words and files of the command line are rooms
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*")
CREATES_FILE = re.compile(r"""\b(?:std::ofstream|std::fstream|O_CREAT|O_TRUNC|freopen\(|creat\(|mkstemp\(|shm_open\()
                             |\bfopen\([^;]*,\s*"[wa]""", re.VERBOSE)
CREATES_FILE_IN_PYTHON = re.compile(r"""\.write_text\(|\.write_bytes\(|\.savefig\((?!new\b)|\bopen\([^)]*,\s*["'][wax]""")
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


def backend_names(texts):
    """Every name that a user can give to --backend."""
    names = set()
    for path, text in texts.items():
        if str(path.parent) == "collectives/backends/catalog":
            names.update(name.replace("_", "-") for name in BACKEND_FUNCTION.findall(text))
    return names


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


def complaints(root):
    texts = sources(root)
    yield from outputs(root, texts)
    graph = includes_between_folders(texts)
    if cycle := find_cycle(graph):
        yield "folders include each other in a cycle:"
        for folder, target in zip(cycle, cycle[1:] + cycle[:1]):
            yield f"  {folder} -> {target}: {graph[folder][target]}"

    for folder, count in sorted(collections.Counter(path.parent for path in texts).items()):
        if count > MORE_FILES.get(str(folder), MAX_FILES) and folder.name != "catalog":
            yield f"{folder}: {count} C++ files in one folder, at most {MAX_FILES}: give it rooms"

    names = backend_names(texts)
    # A comparison or a search; as a key of a record such a word is fine.
    word = '"(' + "|".join(sorted(map(re.escape, names))) + ')"'
    literal = re.compile(rf"(?:[=!]= |starts_with\(|find\(){word}|{word} [=!]=") if names else None
    for path, text in texts.items():
        if literal and path.parts[0] in ("bench", "training"):
            for number, line in enumerate(text.splitlines(), 1):
                if found := literal.search(COMMENT.sub("", line)):
                    yield f"{path}:{number}: tests the backend's name {re.search(word, found.group(0)).group(0)}; ask the catalog of backends"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    wrong = list(complaints(root))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
