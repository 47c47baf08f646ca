"""Runs the Python of README.md and of docs/guides/python.md as it is written, and checks the types of the examples."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import first_steps
import pytest

import arlab

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs" / "guides" / "python.md"


def blocks(file, language="python"):
    """The blocks of a language in a document, but those that say `norun`."""
    return re.findall(rf"^```{language}\n(.*?)^```$", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run(code, folder):
    file = folder / "document.py"
    file.write_text(code, encoding="utf-8")
    return subprocess.run([sys.executable, file], cwd=folder, capture_output=True, text=True, timeout=200, check=False)


def test_the_lines_of_the_readme_run():
    [code] = [block for block in blocks(ROOT / "README.md") if "import arlab" in block]
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    with tempfile.TemporaryDirectory() as folder:
        done = run(code, pathlib.Path(folder))
    assert done.returncode == 0, done.stderr
    assert "right" in done.stdout


def test_the_guide_runs(tmp_path):
    done = run("\n".join(blocks(GUIDE)), tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_student_gets_from_nothing_to_a_proved_algorithm(tmp_path):
    assert first_steps.NUMBER <= 5
    first_steps.write_and_mend(lambda code: run(code, tmp_path))


def test_the_smallest_schedule_file_is_right(tmp_path):
    [text] = blocks(ROOT / "docs" / "guides" / "schedule-files.md", "json")
    (tmp_path / "pair.json").write_text(text, encoding="utf-8")
    assert arlab.verify(f"file:{tmp_path}/pair.json", ranks=2)


@pytest.mark.skipif(not os.environ.get("ARLAB_THOROUGH"), reason="mypy takes longer than all other tests: ./lab test all")
def test_the_examples_have_types(tmp_path):
    pytest.importorskip("mypy")
    package = pathlib.Path(arlab.__file__).parent
    path = "" if package.parent.name == "site-packages" else str(package.parent)  # mypy looks there itself
    (tmp_path / "old.py").write_text("import arlab\nprint(arlab.__version__.upper(), arlab.rank() + 1)\narlab.init()\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", package, tmp_path / "old.py",
                           ROOT / "tests" / "bench" / "python" / "six_algorithms.py"],
                          env={**os.environ, "LD_PRELOAD": "", "MYPYPATH": path}, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
