"""The course: its notebooks run, exercises are unsolved as they are handed out, and solutions are solved."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

import pytest

COURSE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "teaching" / "course"
NOTEBOOKS = sorted(COURSE.glob("*.ipynb"))


def cells(notebook):
    return ["".join(cell["source"]) for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


PROGRAM = """import ast, contextlib, io, json, linecache, sys
said = {}
for name, codes in json.load(open(sys.argv[1])).items():
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for number, code in enumerate(codes):
            place = f"{name}, cell {number}"
            linecache.cache[place] = (len(code), None, code.splitlines(True), place)
            tree = ast.parse(code)
            last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, place, "exec"), names)
            if last:
                value = eval(compile(last, place, "eval"), names)
                getattr(value, "_repr_html_", str)()
                print(value)
    said[name] = out.getvalue()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What all notebooks say, by their names: a process runs their cells as a kernel does, and shows the last value of each."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "cells.py").write_text(PROGRAM, encoding="utf-8")
    codes = {str(file.relative_to(COURSE)): cells(file) for file in sorted(COURSE.rglob("*.ipynb"))}
    (folder / "cells.json").write_text(json.dumps(codes), encoding="utf-8")
    done = subprocess.run([sys.executable, "cells.py", "cells.json"], capture_output=True, text=True, cwd=folder, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_are_nine_each_with_an_exercise_and_a_solution():
    assert len(NOTEBOOKS) == 9
    for folder in ("exercises", "solutions"):
        assert [file.name for file in sorted((COURSE / folder).glob("*.ipynb"))] == [file.name for file in NOTEBOOKS]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_with_its_exercise_and_its_solution(notebook, said):
    assert said[notebook.name]
    exercise = said[f"exercises/{notebook.name}"]
    assert "not yet" in exercise or "claims (0, 0, 0)" in exercise
    assert "not yet" not in said[f"solutions/{notebook.name}"]


CPU_SECONDS = 120  # of all notebooks, with their kernels


@pytest.mark.skipif(not os.environ.get("ARLAB_THOROUGH"), reason="kernels take long to start: ./lab test all")
def test_jupyter_runs_them(tmp_path):
    if not shutil.which("jupyter-nbconvert"):
        pytest.skip("needs jupyter-nbconvert")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["jupyter-nbconvert", "--to", "notebook", "--execute", "--output-dir", tmp_path, *NOTEBOOKS],
                          capture_output=True, text=True, timeout=900, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    for notebook in NOTEBOOKS:
        assert "<table>" in (tmp_path / notebook.name).read_text(encoding="utf-8")
    if not os.environ.get("LD_PRELOAD"):  # as it is with sanitizers
        assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < CPU_SECONDS
