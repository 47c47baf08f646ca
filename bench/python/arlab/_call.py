"""Calls of the compiled module: values as the words of a command line, and its answers as Python's."""
import functools
import json
import re
import sys
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from ._errors import MachineError, UsageError

Record = Dict[str, Any]


@functools.lru_cache(maxsize=None)
def compiled() -> Any:
    """The compiled module, which is loaded when something is computed."""
    try:
        from . import _arlab
    except ImportError as error:
        raise MachineError(f"arlab._arlab cannot be loaded ({error}): {_remedy(error)}") from error
    return _arlab


def _remedy(error: ImportError) -> str:
    missing = re.match(r"(\S+): cannot open shared object file", str(error))
    if missing:
        return f"install what has {missing.group(1)}, as `./lab packages` does, or the package anew with pip, from its sources on this machine"
    return "install the package with pip, for this Python"


@functools.lru_cache(maxsize=None)
def catalog(what: str) -> Tuple[Record, ...]:
    return tuple(json.loads(compiled().catalog(what)))


@functools.lru_cache(maxsize=None)
def catalog_names() -> FrozenSet[str]:
    try:
        return frozenset(entry["name"] for entry in catalog("algorithms"))
    except MachineError:  # without the compiled module, `arlab verify file:mine.py` asks for rounds only
        return frozenset()


def text_of(value: Any) -> str:
    """A value as the command line writes it: [2, 4] is "2,4"."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple, range, set, frozenset)):
        return ",".join(text_of(one) for one in value)
    return str(value)


def option_words(options: Dict[str, Any]) -> List[str]:
    """Options as words: late="3:1us" is --late=3:1us. None is left out, and True is a flag."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = "--" + name.strip("_").replace("_", "-")
        words.append(option if value is True else f"{option}={text_of(value)}")
    return words


def _parts(text: str) -> List[str]:
    """The names in "ring + tree, chain". A path of a file may have + and spaces in it; there, + between names has spaces around it."""
    parts: List[str] = []
    for part in re.split(r",|\s\+\s", text):
        parts += [part.strip()] if part.strip().startswith("file:") else part.replace(" ", "").split("+")
    return [part for part in parts if part]


def algorithm_words(algorithms: Any) -> Tuple[List[str], Dict[str, Any]]:
    """The names of algorithms, which "ring + tree", a list, or Algorithm objects say, and those of this process among them."""
    from ._algorithm import Algorithm, _registered
    own: Dict[str, Any] = {}
    names: List[str] = []
    for one in [algorithms] if isinstance(algorithms, (str, Algorithm)) else list(algorithms):
        if isinstance(one, Algorithm):
            names.append(one.name)
            own[one.name] = one
        elif one is not algorithms and str(one).startswith("file:"):
            names.append(str(one))
        else:
            names += _parts(str(one))
    if not names:
        raise UsageError("no algorithm: name one, such as \"ring\"")
    for name in ",".join(names).split(","):
        if name in _registered:
            own.setdefault(name, _registered[name])
    return [",".join(names)], own


class _Bar:
    """Progress: a bar of tqdm, for a terminal or a notebook, once a call has taken a while; nothing without tqdm."""

    def __init__(self, command: str) -> None:
        import time
        self._clock, self._start, self._command, self._bar = time.monotonic, time.monotonic(), command, None  # type: Any, float, str, Any

    def __call__(self, done: int, steps: int) -> None:
        if self._bar is None and self._clock() - self._start > 1 and steps > 1 and "tqdm" in _importable():
            from tqdm.auto import tqdm  # type: ignore[import]
            self._bar = tqdm(total=steps, desc=f"arlab {self._command}", leave=False, file=sys.stderr)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@functools.lru_cache(maxsize=None)
def _importable() -> FrozenSet[str]:
    import importlib.util
    return frozenset(name for name in ("tqdm", "pandas", "networkx", "IPython") if importlib.util.find_spec(name))


_OF_TABLES = ("output", "columns", "sort", "rows", "top")  # options of the tables that the program prints


def command(name: str, words: Sequence[str], options: Dict[str, Any], own: Optional[Dict[str, Any]] = None,
            progress: Optional[Callable[[int, int], None]] = None) -> Tuple[List[Record], str]:
    """Runs a command of the compiled module. Returns its records, and its text."""
    from ._network import spec_of
    if "network" in options:
        options = {**options, "network": spec_of(options["network"])}
    for option in _OF_TABLES if name != "export" else ():
        if options.get(option) is not None:
            raise UsageError(f"{option} has no effect in Python, where rows are objects: print() shows them, and json=\"FILE\" writes them")
    bar = _Bar(name) if progress is None else None
    generators = {key: algorithm._generators for key, algorithm in (own or {}).items()}
    try:
        _, records, text = compiled().call([name, *words, *option_words(options)], generators, progress or bar)
    finally:
        if bar is not None:
            bar.close()
    return json.loads(records), text


def as_iterable(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (list, tuple)) else [value]
