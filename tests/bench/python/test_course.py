"""The course: its notebooks run, exercises are unsolved as they are handed out, and solutions are solved."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

COURSE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "teaching" / "course"
NOTEBOOKS = sorted(COURSE.glob("*.ipynb"))


def cells(notebook):
    return ["".join(cell["source"]) for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def executed(codes, folder):
    """Runs cells one after another as a notebook does, and shows the last value of each as a notebook would."""
    program = folder / "cells.py"
    program.write_text("""import ast, json, sys
names = {}
for number, code in enumerate(json.load(open(sys.argv[1]))):
    import linecache
    linecache.cache[f"cell{number}"] = (len(code), None, code.splitlines(True), f"cell{number}")
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell{number}", "exec"), names)
    if last:
        value = eval(compile(last, f"cell{number}", "eval"), names)
        html = getattr(value, "_repr_html_", None)
        if html: html()
        print(value)
""", encoding="utf-8")
    data = folder / "cells.json"
    data.write_text(json.dumps(codes), encoding="utf-8")
    done = subprocess.run([sys.executable, program, data], capture_output=True, text=True, cwd=folder, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_nine_each_with_an_exercise_and_a_solution():
    assert len(NOTEBOOKS) == 9
    for folder in ("exercises", "solutions"):
        assert [file.name for file in sorted((COURSE / folder).glob("*.ipynb"))] == [file.name for file in NOTEBOOKS]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_with_its_exercise_and_its_solution(notebook, tmp_path):
    assert executed(cells(notebook), tmp_path)
    exercise = executed(cells(COURSE / "exercises" / notebook.name), tmp_path)
    assert "not yet" in exercise or "claims (0, 0, 0)" in exercise
    assert "not yet" not in executed(cells(COURSE / "solutions" / notebook.name), tmp_path)


@pytest.mark.skipif(not shutil.which("jupyter-nbconvert") or bool(os.environ.get("ARLAB_SANITIZE")), reason="needs jupyter-nbconvert, and no sanitizers")
def test_jupyter_runs_one(tmp_path):
    done = subprocess.run(["jupyter-nbconvert", "--to", "notebook", "--execute", "--output-dir", tmp_path, NOTEBOOKS[0]],
                          capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / NOTEBOOKS[0].name).read_text(encoding="utf-8")
    assert "srcdoc" in text and "<table>" in text
