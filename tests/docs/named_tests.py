#!/usr/bin/env python3
"""Every `ctest -R` of the documentation names tests that there are: named_tests.py BUILD, of a build with MPI and PyTorch."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = re.compile(r"\bctest (?:[^\n`]*? )?-R ('[^']+'|\"[^\"]+\"|[^\s`)]+)")


def main(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "-N"], check=True, capture_output=True, text=True).stdout
    tests = re.findall(r"(?m)^ *Test +#\d+: (.*)$", listed)
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".github" / "workflows" / "ci.yml", *sorted((ROOT / "docs").rglob("*.md"))]
    named = wrong = 0
    for document in documents:
        for quoted in COMMAND.findall(document.read_text(encoding="utf-8")):
            for name in re.split(r"\|(?![^(]*\))", quoted.strip("'\"")):  # each alternative, but those in brackets together
                named += 1
                if not any(re.search(name, test) for test in tests):
                    wrong += 1
                    print(f"{document.relative_to(ROOT)}: no test is called {name}")
    assert named > 8, named
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
