"""Answers the program, which reads an algorithm of a Python file: `arlab verify file:mine.py`."""
import importlib.util
import json
import operator
import os
import sys
import traceback
from typing import Any, Callable, Dict, List

from . import _algorithm, _call
from ._algorithm import Algorithm, _at, shown
from ._errors import MachineError, UsageError
from ._words import Action

_UNDER_MAIN = ("this call needs the package, which `pip install .` compiles, but `file:` reads the file for its algorithms only: put the call under "
               "`if __name__ == \"__main__\":`")


def load(name: str) -> Algorithm:
    """The algorithm of "mine.py", or "mine.py:ring" if it has several."""
    path, colon, wanted = name.rpartition(":") if ".py:" in name else (name, "", "")
    if colon and not wanted:
        raise UsageError(f"file:{name} names no algorithm after the last colon: write file:{path}, or file:{path}:NAME")
    before = set(_algorithm.registered())
    # A name of its own, since the file's may be that of a module which others import.
    spec = importlib.util.spec_from_file_location("arlab_file_" + os.path.basename(path)[:-3], path)
    assert spec and spec.loader
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # where data classes look for it
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(module)
    found = {key: _algorithm._registered[key] for key in _algorithm.registered() if key not in before}
    if not found:
        raise UsageError(f"{path} has no algorithm: write @arlab.algorithm above a function that yields rounds")
    if wanted and wanted not in found:
        raise UsageError(f"{path} has no algorithm '{wanted}': use one of {', '.join(found)}")
    if not wanted and len(found) > 1:
        raise UsageError(f"{path} has several algorithms: name one, as file:{path}:{next(iter(found))} (of {', '.join(found)})")
    return found[wanted] if wanted else next(iter(found.values()))


def numbers_of(algorithm: Algorithm, ranks: int, root: int, collective: str, me: int) -> List[List[int]]:
    """A rank's rounds, each a list of kind, peer, first chunk, chunks, and stride of one action after another."""
    problem = algorithm.problem(ranks, root, collective)
    limit = 100_000 + 1000 * ranks  # of rounds
    rounds: List[List[int]] = []

    def wrong(what: str) -> UsageError:
        file, line = algorithm.place(ranks, me, len(rounds) + 1, root, collective)
        return UsageError(f"rank {me}, round {len(rounds) + 1} ({_at(file, line)}): {what}")

    def number(value: Any, what: str, most: int = 1 << 31) -> int:
        try:
            whole = operator.index(value)
        except TypeError:
            raise wrong(f"{what} is {shown(value)}: give a whole number") from None
        if not -most <= whole < most:
            raise wrong(f"{what} is {shown(value)}: no number of ranks or chunks is as large")
        return whole

    for item in algorithm.program(problem, me):
        numbers: List[int] = []
        for action in [item] if isinstance(item, Action) else item if isinstance(item, (tuple, list)) else [item]:
            if not isinstance(action, Action):
                raise wrong(f"yields {shown(action)}: yield send(...), reduce(...), replace(...), or several")
            chunks: Any = action.chunks if isinstance(action.chunks, tuple) else (number(action.chunks, "the chunk", 1 << 63) % problem.parts, 1, 1)
            if len(chunks) != 3:
                raise wrong(f"has {shown(chunks)} as chunks: use p.chunk(i), p.chunks(first, count), p.all()")
            numbers += [number(action.kind, "the kind"), number(action.peer, "the peer"), *(number(part, "a chunk") for part in chunks)]
        rounds.append(numbers)
        if len(rounds) > limit:
            raise wrong("is the last round that a rank may have: look for a loop that does not end")
    return rounds


def _answer(algorithm: Algorithm, asked: Dict[str, Any]) -> Dict[str, Any]:
    ranks, root, collective = asked["ranks"], asked["root"], asked["collective"]
    problem = algorithm.problem(ranks, root, collective)
    if asked["ask"] == "plan":
        return {"ranks": [numbers_of(algorithm, ranks, root, collective, me) for me in range(ranks)]}
    if asked["ask"] == "cost":
        return {"cost": algorithm.cost_of(problem, asked["elements"])}
    if asked["ask"] == "supports":
        return {"reason": algorithm.refusal(problem)}
    file, line = algorithm.place(ranks, asked["rank"], asked["round"], root, collective)
    return {"place": _at(file, line) if file else ""}


def _place(error: BaseException, path: str) -> str:
    """The last line in the file's folder that led to an error, else the last that is not ours."""
    ours, folder = os.path.dirname(__file__), os.path.dirname(os.path.abspath(path))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith((ours, "<frozen"))]
    near = [frame for frame in frames if os.path.dirname(os.path.abspath(frame.filename)) == folder] or frames
    return _at(near[-1].filename, near[-1].lineno or 0) if near else ""


def _error(error: BaseException, path: str) -> Dict[str, Any]:
    """What went wrong in a file, with the line; of our own errors the text without their type."""
    if isinstance(error, SyntaxError) and error.filename:
        return {"error": f"{error.filename}:{error.lineno}: {error.msg}", "blame": 2}
    place = _place(error, path)
    if isinstance(error, UsageError):
        return {"error": f"{place}\n  {error}" if place else str(error), "blame": 2}
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return {"error": f"{place or path}\n  {what}", "blame": 2}


def _with_advice(compiled: Callable[[], Any]) -> Callable[[], Any]:
    def loaded() -> Any:
        try:
            return compiled()
        except MachineError:
            raise UsageError(_UNDER_MAIN) from None
    return loaded


def serve(name: str) -> None:
    """Says what the file's algorithm is, and answers each line of stdin. Ends without a word if the file closes them."""
    out = os.fdopen(os.dup(1), "wb")
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)  # what the file prints disturbs no answer
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # and it reads no question

    def say(message: Dict[str, Any]) -> None:
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        try:
            out.write(text.encode("utf-8", "replace") + b"\n")
            out.flush()
        except OSError:
            os._exit(1)

    _call.catalog_names = frozenset  # type: ignore[assignment]  # nothing is computed here
    _call.compiled = _with_advice(_call.compiled)  # type: ignore[assignment]
    try:
        algorithm = load(name)
        about = algorithm.about()
        say({**about, "cost": algorithm._cost is not None})
    except (Exception, SystemExit) as error:
        return say(_error(error, name))
    try:
        for line in questions:
            try:
                say(_answer(algorithm, json.loads(line)))
            except (Exception, SystemExit) as error:
                say(_error(error, name))
    except OSError:
        os._exit(1)
