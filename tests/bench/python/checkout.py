#!/usr/bin/env python3
"""From the checkout to Python, as a new user does it: a fresh virtual environment, `pip install .` without a network, the fifteen lines
of README.md, and the steps of docs/teaching/first_algorithm.md, each as written. Then the package's own tests, from `pip wheel .`

    checkout.py

It compiles the package in build/python-*, which takes a quarter of an hour of processor time the first time.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import first_steps

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77


def without_network():
    """What starts a command without a network; where that is not allowed, pip at least asks none."""
    # Without the machine's own address, Open MPI's compiler complains, and CMake takes that for its flags.
    alone = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    return alone if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0 else ["env", "PIP_NO_INDEX=1"]


def step(what, *words, folder=ROOT):
    begin = time.monotonic()
    done = subprocess.run([*map(str, words)], cwd=folder, env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{what} failed:\n{done.stdout}{done.stderr}")
    print(f"{what}: {time.monotonic() - begin:.0f} s", flush=True)
    return done


def main():
    for module in ("venv", "ensurepip", "pytest", "numpy"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            print(f"skipped: this Python has no module {module}: ./lab packages installs it")
            return SKIPPED
    make, compile_ = re.findall(r"`([^`]*(?:venv venv|pip install) ?[^`]*)`", first_steps.STEPS)
    assert (make, compile_) == ("python3 -m venv venv", "venv/bin/pip install ."), (make, compile_)
    [lines] = re.findall(r"^```python\n(import arlab.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python = folder / "venv" / "bin" / "python3"
        step(make, sys.executable, "-m", "venv", folder / "venv")
        step(compile_, *without_network(), folder / "venv" / "bin" / "pip", "install", ".")
        (folder / "readme.py").write_text(lines, encoding="utf-8")
        assert "right" in step("the lines of README.md", python, "readme.py", folder=folder).stdout

        def run(code):
            (folder / "mine.py").write_text(code, encoding="utf-8")
            return step("venv/bin/python3 mine.py", python, "mine.py", folder=folder)

        first_steps.write_and_mend(run)
        step("pip wheel .", *without_network(), folder / "venv" / "bin" / "pip", "wheel", "--no-deps", "-w", folder, ".")
        [wheel] = folder.glob("*.whl")
        step("a virtual environment with pytest", sys.executable, "-m", "venv", "--system-site-packages", folder / "tests")
        step("pip install WHEEL", *without_network(), folder / "tests" / "bin" / "pip", "install", "--no-deps", "--ignore-installed", wheel)
        tests = step("pytest", folder / "tests" / "bin" / "python3", "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", HERE, folder=HERE)
        print(tests.stdout.strip().splitlines()[-1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
