"""Answers the program, which reads an algorithm of a Python file: `arlab verify file:mine.py`."""
import importlib.util
import json
import os
import sys
import traceback
from typing import Any, Dict, List

from . import _algorithm, _call
from ._algorithm import Algorithm, _at
from ._errors import UsageError
from ._words import Action


def load(name: str) -> Algorithm:
    """The algorithm of "mine.py", or "mine.py:ring" if it has several."""
    path, _, wanted = name.rpartition(":") if ".py:" in name else (name, "", "")
    before = set(_algorithm.registered())
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
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

    for item in algorithm.program(problem, me):
        numbers: List[int] = []
        for action in [item] if isinstance(item, Action) else item if isinstance(item, (tuple, list)) else [item]:
            if not isinstance(action, Action):
                raise wrong(f"yields {action!r}: yield send(...), reduce(...), replace(...), or several")
            chunks: Any = action.chunks if isinstance(action.chunks, tuple) else (int(action.chunks) % problem.parts, 1, 1)
            numbers += [int(action.kind), int(action.peer), *map(int, chunks)]
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
        assert algorithm._cost is not None
        return {"cost": [int(part) for part in algorithm._cost(problem, asked["elements"])]}
    if asked["ask"] == "supports":
        return {"reason": (algorithm._supports(problem) or "") if algorithm._supports else ""}
    file, line = algorithm.place(ranks, asked["rank"], asked["round"], root, collective)
    return {"place": _at(file, line) if file else ""}


def _error(error: BaseException) -> Dict[str, Any]:
    """What went wrong in a file, with the line; of our own errors their text alone."""
    if isinstance(error, UsageError):
        return {"error": str(error), "blame": 2}
    last = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return {"error": f"{error.filename}:{error.lineno}: {error.msg}", "blame": 2}
    return {"error": f"{_at(last.filename, last.lineno or 0)}\n  {what}", "blame": 2}


def serve(name: str) -> None:
    """Says what the file's algorithm is, and answers each line of stdin."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the file prints disturbs no answer

    def say(message: Dict[str, Any]) -> None:
        out.write(json.dumps(message, separators=(",", ":")) + "\n")
        out.flush()

    _call.catalog_names = frozenset  # type: ignore[assignment]  # nothing is computed here
    try:
        algorithm = load(name)
        about = algorithm.about()
        say({**about, "cost": algorithm._cost is not None})
    except Exception as error:
        return say(_error(error))
    for line in sys.stdin:
        try:
            say(_answer(algorithm, json.loads(line)))
        except Exception as error:
            say(_error(error))
