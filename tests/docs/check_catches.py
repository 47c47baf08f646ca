#!/usr/bin/env python3
"""check.py finds each kind of wrong document, and accepts a correct one."""

import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check.py")
FENCE = "```"
GOOD = f"# A heading\n\n[here](#a-heading)\n\n{FENCE}sh\ntrue  # a comment\necho a \\\n  b > c\ntest -s c\n{FENCE}\n"
CASES = {  # what is said of a document, or nothing if it is correct
    "": GOOD + f"\n{FENCE}console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n{FENCE}\n\n{FENCE}sh norun\n# needs: a moon\nfalse\n{FENCE}\n",
    "exit status 1": f"{FENCE}sh\nfalse\n{FENCE}\n",
    "prints something else": f"{FENCE}console\n$ echo a\nb\n{FENCE}\n",
    "no such file": "[there](nowhere.md)\n",
    "no such heading": GOOD + "[there](#another-heading)\n",
    "unknown tag": f"{FENCE}sh never\nfalse\n{FENCE}\n",
    "starts with '# needs": f"{FENCE}sh norun\nfalse\n{FENCE}\n",
    "never closed": f"{FENCE}sh\ntrue\n",
    "repeats the part that ends on line 1: # A heading": "# A heading\n\nOne.\n\n# A heading\n",
    "repeats the part that ends on line 4": f"# A\n\n{'A long paragraph. ' * 5}\n\nOne.\n\n{'A long  paragraph. ' * 5}\n\n# B\n",
}


def main():
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="arlab-docs-") as name:
        folder = pathlib.Path(name)
        program = folder / "arlab"
        program.write_text("#!/bin/sh\necho '| threads | on |'\n", encoding="utf-8")
        program.chmod(0o755)
        for said, text in CASES.items():
            document = folder / "document.md"
            document.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", CHECK, folder, document], text=True, stdout=subprocess.PIPE, check=False)
            if done.returncode != (1 if said else 0) or said not in done.stdout:
                print(f"expected {said or 'no failure'!r} of\n{text}\nbut check.py says:\n{done.stdout}")
                wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
