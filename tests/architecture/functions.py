#!/usr/bin/python3
"""No function of the product has more than 60 lines, as universal-ctags sees them.

    functions.py [FOLDER]"""

import json
import pathlib
import shutil
import subprocess
import sys

LONGEST = 60
# Not split yet.
WAITING = {"bench/train/run.cpp", "bench/train/train.cpp", "bench/train/check_options.cpp", "bench/train/options.cpp",
           "training/compressors/cuda/vector_kernels.cpp"}
PRODUCT = "algorithms simulator collectives training bench plots validation arlab".split()


def functions(root):
    """(lines, file:line, name) of each function."""
    files = [str(path) for folder in PRODUCT for path in sorted((root / folder).rglob("*.?pp")) if path.suffix in (".cpp", ".hpp")]
    done = subprocess.run(["ctags", "-L", "-", "--language-force=C++", "--kinds-C++=f", "--fields=+ne", "--output-format=json", "-f", "-"],
                          input="\n".join(files), capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        first = tag["line"]
        yield tag.get("end", first) - first + 1, f"{pathlib.Path(tag['path']).relative_to(root)}:{first}", tag["name"]


def main():
    features = subprocess.run(["ctags", "--list-features"], capture_output=True, text=True, check=False).stdout if shutil.which("ctags") else ""
    if "json" not in features:
        print("skipped: apt install universal-ctags")
        return 77
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    found = list(functions(root))
    if len(found) < 1000 and len(sys.argv) < 2:
        sys.exit(f"only {len(found)} functions were found: ctags does not read them")
    long = [(lines, where, name) for lines, where, name in found if lines > LONGEST and where.split(":")[0] not in WAITING]
    for lines, where, name in sorted(long, reverse=True):
        print(f"{where}: {name}() has {lines} lines: split it, {LONGEST} are the most")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
