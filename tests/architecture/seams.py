#!/usr/bin/env python3
"""Seams: how wide the interfaces are, and who sees the GPU's headers.

    tests/architecture/seams.py [REPOSITORY] [--print]

- An interface has at most MAX_FUNCTIONS virtual functions, or its limit in LIMITS; all of the product together at most MAX_IN_ALL.
- The headers of the GPU interface are seen by at most MAX_GPU_UNITS units: others keep values of gpu/device_handles.hpp.

--print shows the counts. Destructors do not count.
"""
import collections
import pathlib
import re
import sys

import rooms

GPU_HEADERS = ("collectives/gpu/device.hpp", "collectives/gpu/vector16.hpp", "collectives/gpu/peer_plan.hpp")
MAX_GPU_UNITS = 110
MAX_FUNCTIONS, MAX_IN_ALL = 12, 100
LIMITS = {"Communicator": 12, "Executor": 7, "Network": 10}
UNITS = {".cpp", ".cu"}
MARK = re.compile(r"\b(?:class|struct)\s+(?P<name>\w+)[^;{()]*\{|(?P<virtual>\bvirtual\b(?!\s*~))|[{}]")
WORDS = re.compile(r"""//[^\n]*|/\*.*?\*/|'\\?.'|R"\(.*?\)"|"(?:\\.|[^"\\\n])*\"""", re.DOTALL)


def virtual_functions(text):
    """Number of virtual functions that each class of the text declares first."""
    counts, open_classes, depth = collections.Counter(), [], 0
    for mark in MARK.finditer(WORDS.sub('""', text)) if "virtual" in text else ():
        if mark["virtual"]:
            counts[open_classes[-1][0]] += 1
        elif mark.group().endswith("{"):
            depth += 1
            if mark["name"]:
                open_classes.append((mark["name"], depth))
        else:
            if open_classes and open_classes[-1][1] == depth:
                open_classes.pop()
            depth -= 1
    return counts


def functions_of_interfaces(texts):
    counts = collections.Counter()
    for text in texts.values():
        counts.update(virtual_functions(text))
    return counts


def units_that_see(texts, headers):
    """Header -> units that include it, directly or by another header."""
    included = {str(path): rooms.INCLUDE.findall(text) for path, text in texts.items()}
    seen_by = collections.defaultdict(list)
    for unit in (path for path in included if pathlib.Path(path).suffix in UNITS):
        seen, left = set(), [unit]
        while left:
            for header in included.get(left.pop(), ()):
                if header not in seen:
                    seen.add(header)
                    left.append(header)
        for header in seen.intersection(headers):
            seen_by[header].append(unit)
    return seen_by


def sources_and_tests(root):
    texts = rooms.sources(root)
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix in rooms.SUFFIXES and path.is_file():
            texts[path.relative_to(root)] = path.read_text(encoding="utf-8")
    return texts


def complaints(root):
    counts = functions_of_interfaces(rooms.sources(root))
    for name, count in sorted(counts.items()):
        if count > (limit := LIMITS.get(name, MAX_FUNCTIONS)):
            yield f"{name}: {count} virtual functions, at most {limit}: give what few callers need an interface of its own"
    if counts.total() > MAX_IN_ALL:
        yield f"{counts.total()} virtual functions, at most {MAX_IN_ALL}: {dict(counts.most_common())}"
    for header, units in sorted(units_that_see(sources_and_tests(root), GPU_HEADERS).items()):
        if len(units) > MAX_GPU_UNITS:
            yield f"{header}: {len(units)} units see it, at most {MAX_GPU_UNITS}: include collectives/gpu/device_handles.hpp in headers"


def show(root):
    counts = functions_of_interfaces(rooms.sources(root))
    for name, count in counts.most_common():
        print(f"{count:4} virtual functions  {name}")
    print(f"{counts.total():4} virtual functions  in all")
    for header, units in sorted(units_that_see(sources_and_tests(root), GPU_HEADERS).items()):
        print(f"{len(units):4} units see          {header}")


def main():
    words = [word for word in sys.argv[1:] if word != "--print"]
    root = pathlib.Path(words[0] if words else pathlib.Path(__file__).parents[2])
    if "--print" in sys.argv:
        show(root)
    wrong = list(complaints(root))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
