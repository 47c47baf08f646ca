"""Algorithms in Python: the rounds of each rank, as a generator yields them."""
import functools
import inspect
import linecache
import os
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union, overload

from . import _call
from ._errors import CheckError, UsageError
from ._words import COLLECTIVES, Action, Problem

if TYPE_CHECKING:
    from ._results import Counts, Measured, Proof, Results, Simulated
    from ._schedule import Schedule

Round = Union[Action, Iterable[Action]]
Program = Callable[[Problem, int], Iterator[Any]]


def _at(file: str, line: int) -> str:
    """A line of a file, with its text."""
    near = os.path.relpath(file) if os.path.exists(file) else file
    return f"{near if len(near) < len(file) else file}:{line}: {linecache.getline(file, line).strip()}".rstrip(": ")


def shown(value: Any) -> str:
    """A value in an error's text, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "..."


class Cost(NamedTuple):
    """What all ranks send together, and the longest chain of rounds."""
    messages: int
    elements: int
    rounds: int


class Algorithm:
    """An algorithm in Python, made by @arlab.algorithm. Its rounds are planned once for each number of ranks and root."""

    def __init__(self, program: Program, name: str = "", *, cost: Optional[Callable[[Problem, int], Tuple[int, int, int]]] = None,
                 collectives: Iterable[str] = ("allreduce",), supports: Optional[Callable[[Problem], str]] = None,
                 chunks_per_rank: int = 1) -> None:
        self.program, self.name = program, name or program.__name__
        self.collectives, self.chunks_per_rank = tuple(collectives), chunks_per_rank
        self._cost, self._supports = cost, supports
        for collective in self.collectives:
            if collective not in COLLECTIVES:
                raise UsageError(f"{self.name}: unknown collective '{collective}': use {', '.join(COLLECTIVES)}")
        if not isinstance(chunks_per_rank, int) or not 1 <= chunks_per_rank <= 65536:
            raise UsageError(f"{self.name}: chunks_per_rank is {chunks_per_rank!r}: give a whole number from 1 to 65536")
        if not all(c.isalnum() or c in "_-." for c in self.name) or not self.name:
            raise UsageError(f"algorithm {shown(self.name)}: a name has letters, digits, and _ only")
        functools.update_wrapper(self, program)

    def __call__(self, p: Problem, me: int) -> Iterator[Any]:
        return self.program(p, me)

    def __repr__(self) -> str:
        return f"<algorithm {self.name}>"

    def problem(self, ranks: int, root: int = 0, collective: str = "") -> Problem:
        """The problem that the program gets."""
        return Problem(ranks, root, collective or self.collectives[0], self.chunks_per_rank)

    def cost_of(self, p: Problem, elements: int) -> Tuple[int, int, int]:
        """What the formula says. Raises UsageError if it gives no three whole numbers."""
        assert self._cost is not None
        given: Any = self._cost(p, elements)
        try:
            messages, sent, rounds = (int(part) for part in given)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"{self.name}: cost() of {p!r} gives {shown(given)}: give messages, elements, and rounds") from None
        if not all(0 <= part < 1 << 63 for part in (messages, sent, rounds)):
            raise UsageError(f"{self.name}: cost() of {p!r} gives {shown(given)}: no plan sends that")
        return messages, sent, rounds

    def refusal(self, p: Problem) -> str:
        """Why it cannot solve the problem, or an empty text. Raises UsageError if supports() gives neither."""
        why: Any = self._supports(p) if self._supports else ""
        if why is not None and not isinstance(why, str):
            raise UsageError(f"{self.name}: supports() of {p!r} gives {shown(why)}: give a text why not, or \"\" if it can")
        return why or ""

    @functools.cached_property
    def _generators(self) -> Any:  # the compiled module's view of this algorithm
        def make(collective: str, ranks: int, root: int, me: int) -> Iterator[Any]:
            return iter(self.program(self.problem(ranks, root, collective), me))

        def cost_of(collective: str, ranks: int, root: int, elements: int) -> Tuple[int, ...]:
            return self.cost_of(self.problem(ranks, root, collective), elements)

        def refusal(collective: str, ranks: int, root: int, elements: int) -> str:
            return self.refusal(self.problem(ranks, root, collective))

        def place(collective: str, ranks: int, root: int, me: int, round: int) -> str:
            file, line = self.place(ranks, me, round, root, collective)
            return _at(file, line) if file else ""

        return _call.compiled().Generators(self.about(), make, cost_of if self._cost else None, refusal if self._supports else None, place, Action)

    def about(self) -> Dict[str, Any]:
        """Name, summary (the first line of the function's text), file, collectives, and chunks per rank."""
        summary = (inspect.getdoc(self.program) or "an algorithm in Python").splitlines()[0].rstrip(".")
        code = getattr(self.program, "__code__", None)
        return {"name": self.name, "label": self.name, "summary": summary, "source": code.co_filename if code else "Python",
                "collectives": list(self.collectives), "chunks_per_rank": self.chunks_per_rank}

    def place(self, ranks: int, rank: int, round: int, root: int = 0, collective: str = "") -> Tuple[str, int]:
        """The file and line that yields a round of a rank (from 1); for round 0 those of the function."""
        code = getattr(self.program, "__code__", None)
        place = (code.co_filename, code.co_firstlineno) if code else ("", 0)
        if round < 1:
            return place
        steps: Any = iter(self.program(self.problem(ranks, root, collective), rank))
        for _ in range(round):
            if next(steps, None) is None:
                return place
        frame: Optional[FrameType] = None
        while steps is not None:  # down to the generator that yields, through `yield from`
            frame = getattr(steps, "gi_frame", None) or frame
            steps = getattr(steps, "gi_yieldfrom", None)
        return (frame.f_code.co_filename, frame.f_lineno) if frame else place

    def prove(self, ranks: int, root: int = 0, collective: str = "") -> Dict[str, Any]:
        """Proves one problem. Returns the bracketing of the sums; raises CheckError with the line that is wrong."""
        task = collective or self.collectives[0]
        found: Dict[str, Any] = self._generators.prove(task, ranks, root)
        if found["kind"] != "none":
            file, line = self.place(ranks, found["rank"], found["round"], root, task)
            raise CheckError(f"{self.name} on {ranks} rank{'s' if ranks != 1 else ''}: {found['text']}", found["rank"], found["round"],
                             file, line)
        return found

    # The functions of this module, for this algorithm.
    def verify(self, ranks: Any = "2..16", **options: Any) -> "Results[Proof]":
        from . import _commands
        return _commands.verify(self, ranks, **options)

    def count(self, ranks: Any = 8, **options: Any) -> "Results[Counts]":
        from . import _commands
        return _commands.count(self, ranks, **options)

    def simulate(self, ranks: Any = 64, **options: Any) -> "Results[Simulated]":
        from . import _commands
        return _commands.simulate(self, ranks, **options)

    def run(self, ranks: Any = 4, **options: Any) -> "Results[Measured]":
        from . import _commands
        return _commands.run(self, ranks, **options)

    def show(self, ranks: int = 4, **options: Any) -> "Schedule":
        from . import _display
        return _display.show(self, ranks, **options)

    def export(self, file: str, ranks: int = 4, **options: Any) -> None:
        from . import _commands
        _commands.export(self, file, ranks, **options)


_WITH_MEANINGS = ("all", "auto", "native")  # all of the catalog, a tuning table's, and the library's own
_ABOUT = ("name", "cost", "collectives", "supports", "chunks_per_rank")
_registered: Dict[str, Algorithm] = {}


def registered() -> List[str]:
    """The names of the algorithms of this process, which all functions take beside those of the catalog."""
    return sorted(_registered)


def unregister(name: str) -> None:
    """Forgets an algorithm of this process."""
    if _registered.pop(name, None) is None:
        raise UsageError(f"algorithm '{name}' is not registered: use one of {', '.join(registered()) or 'none'}")


@overload
def algorithm(program: Program) -> Algorithm: ...


@overload
def algorithm(*, name: str = ..., cost: Optional[Callable[[Problem, int], Tuple[int, int, int]]] = ..., collectives: Iterable[str] = ...,
              supports: Optional[Callable[[Problem], str]] = ..., chunks_per_rank: int = ...) -> Callable[[Program], Algorithm]: ...


def algorithm(program: Optional[Program] = None, **about: Any) -> Union[Algorithm, Callable[[Program], Algorithm]]:
    """Makes a generator function an algorithm, and registers it by its name for this process.

    The function takes a Problem and a rank, and yields the rank's rounds: send(peer, chunks), reduce(peer, chunks), and
    replace(peer, chunks), or several at once, which may overlap. It must yield the same whenever it is called.

    name: instead of the function's. collectives: what it solves, ("allreduce",) unless given. chunks_per_rank: into how many
    chunks per rank the vector is cut. supports(p): a text why it cannot solve p, or "". cost(p, elements): messages, elements
    and rounds of all ranks together, the formula that arlab.count() compares with what the program sends.
    """
    for unknown in sorted(set(about) - set(_ABOUT)):
        raise UsageError(f"@arlab.algorithm has no '{unknown}': use {', '.join(_ABOUT)}")

    def make(function: Program) -> Algorithm:
        made = Algorithm(function, **about)
        if made.name in _WITH_MEANINGS:
            raise UsageError(f"'{made.name}' means something else among algorithms: give another name, @arlab.algorithm(name=\"my_{made.name}\")")
        if made.name in _call.catalog_names():
            raise UsageError(f"'{made.name}' is an algorithm of the catalog: give another, @arlab.algorithm(name=\"my_{made.name}\")")
        _registered[made.name] = made
        return made
    return make if program is None else make(program)
