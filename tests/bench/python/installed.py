#!/usr/bin/env python3
"""Installs the Python package from its wheel, and runs its tests there: installed.py PACKAGE [pytest's arguments...].

ARLAB_SANITIZE names the sanitizers of the compiled module: Python then loads their libraries first.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def library(name):
    """Where the compiler has a shared library."""
    return subprocess.run([os.environ.get("CXX", "c++"), f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()


def main(package, *arguments):
    for module in ("pip", "pytest", "numpy"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            print(f"skipped: python3-{module} is not installed")
            return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder) / "site"
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", site, package],
                       check=True, timeout=120)
        environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
        if "address" in os.environ.get("ARLAB_SANITIZE", ""):
            environment |= {"LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}", "ASAN_OPTIONS": "detect_leaks=0"}
        return subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *arguments, HERE],
                              env=environment, cwd=HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
