"""grade(): an exercise, judged by the verifier."""
import dataclasses
import html
from typing import Any, Callable, List, Optional

from ._algorithm import Algorithm
from ._errors import Error
from ._words import Problem


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether an exercise is solved, and if not, what the verifier says, or which limit is exceeded."""
    solved: bool
    words: str
    points: int   # numbers of ranks on which all is right
    of: int

    def __bool__(self) -> bool:
        return self.solved

    def __str__(self) -> str:
        return f"{'solved' if self.solved else 'not yet'}: {self.words} ({self.points} of {self.of})"

    def _repr_html_(self) -> str:
        color = "#0f6b3c" if self.solved else "#b3261e"
        return f'<pre style="border-left:.3rem solid {color};padding-left:.6rem">{html.escape(str(self))}</pre>'


def grade(program: Any, ranks: Any = range(1, 17), *, collective: str = "allreduce", rounds: Optional[Callable[[int], int]] = None,
          elements: Optional[Callable[[int, int], float]] = None, vector: int = 1000) -> Verdict:
    """Judges an algorithm, or a generator function, on numbers of ranks.

    rounds(p) is the most rounds that p ranks may take, and elements(p, n) the most elements that one rank may send of a vector of n,
    `vector` long.
    """
    algorithm = program if isinstance(program, Algorithm) else Algorithm(program, collectives=(collective,))
    numbers: List[int] = list(ranks)
    points, first = 0, ""
    for p in numbers:
        what = _wrong(algorithm, p, collective, rounds, elements, vector)
        points += not what
        first = first or what
    return Verdict(not first, first or f"right on {numbers[0]} to {numbers[-1]} ranks", points, len(numbers))


def _wrong(algorithm: Algorithm, p: int, collective: str, rounds: Optional[Callable[[int], int]],
           elements: Optional[Callable[[int, int], float]], vector: int) -> str:
    """What is wrong on a number of ranks; empty if nothing is."""
    try:
        algorithm.prove(p, collective=collective)
        counted = algorithm.count(p, elements=vector, collective=collective)[0]
    except (Error, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        return str(error) if isinstance(error, Error) else f"{type(error).__name__} on {p} ranks: {error}"
    if rounds is not None and counted.rounds > rounds(p):
        return f"right, but {p} ranks take {counted.rounds} rounds: at most {rounds(p)} are allowed"
    most = _most_sent(algorithm.problem(p, collective=collective), algorithm, vector)
    if elements is not None and most > elements(p, vector):
        return f"right, but a rank of {p} sends {most} of {vector} elements: at most {elements(p, vector):.6g} are allowed"
    return ""


def _most_sent(p: Problem, algorithm: Algorithm, vector: int) -> int:
    """The elements that the rank sends that sends the most."""
    from ._words import SEND, Action, Chunks
    size = [vector // p.parts + (chunk < vector % p.parts) for chunk in range(p.parts)]
    most = 0
    for me in range(p.ranks):
        sent = 0
        for item in algorithm.program(p, me):
            for action in [item] if isinstance(item, Action) else item:
                if action.kind == SEND:
                    chunks = action.chunks if isinstance(action.chunks, tuple) else Chunks(action.chunks % p.parts)
                    sent += sum(size[(chunks[0] + i * chunks[2]) % p.parts] for i in range(chunks[1]))
        most = max(most, sent)
    return most
