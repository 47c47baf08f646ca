"""The steps of docs/teaching/first_algorithm.md in Python, as they are written there."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "teaching" / "first_algorithm.md"
STEPS = PAGE.read_text(encoding="utf-8").split("## In Python")[1]
NUMBER = len(re.findall(r"^\d\. ", STEPS, re.MULTILINE))


def blocks(language):
    """The blocks of a language, without the indentation of the list."""
    found = re.findall(rf"^( *)```{language}.*\n((?:.*\n)*?)\1```$", STEPS, re.MULTILINE)
    return ["".join(line[len(indent):] for line in text.splitlines(keepends=True)) for indent, text in found]


def write_and_mend(run):
    """Runs the file of step 3, then that of step 5. `run` takes the text, and returns a completed process."""
    code, more = blocks("python")
    wrong = run(code)
    assert wrong.returncode == 0 and "False" in wrong.stdout and "missing" in wrong.stdout, wrong.stdout + wrong.stderr
    [last] = [line for line in code.splitlines(keepends=True) if "arlab.send(" in line]
    right = run(code.replace(last, last + more))
    assert right.returncode == 0 and [line.split()[1] for line in right.stdout.splitlines()] == ["True"] * 4, right.stdout + right.stderr
