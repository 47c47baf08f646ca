"""The words of algorithms: a problem, chunks of its vector, and what a rank does with them."""
import functools
from typing import List, NamedTuple, Union

SEND, REDUCE, REPLACE = range(3)
COLLECTIVES = ("allreduce", "reduce_scatter", "all_gather", "reduce", "broadcast")


class Chunks(NamedTuple):
    """`count` chunks from `first` on, around the end of the vector, each `stride` after the one before."""
    first: int
    count: int = 1  # type: ignore[assignment]  # hides a method of tuples
    stride: int = 1


class Action(NamedTuple):
    """One end of a message; made by send(), reduce(), and replace()."""
    kind: int
    peer: int
    chunks: Union[int, Chunks]


_new = tuple.__new__  # of a large schedule, half the time to make the actions


def send(to: int, chunks: Union[int, Chunks]) -> Action:
    """Sends chunks to a rank, with their values at the start of the round. A number is an index of a chunk, around the end."""
    return _new(Action, (SEND, to, chunks))


def reduce(source: int, chunks: Union[int, Chunks]) -> Action:
    """Receives chunks from a rank, and adds them."""
    return _new(Action, (REDUCE, source, chunks))


def replace(source: int, chunks: Union[int, Chunks]) -> Action:
    """Receives chunks from a rank, and overwrites with them."""
    return _new(Action, (REPLACE, source, chunks))


def exchange(partner: int, chunks: Union[int, Chunks]) -> List[Action]:
    """A round in which both partners send, and both add."""
    return [send(partner, chunks), reduce(partner, chunks)]


class Problem:
    """A collective on a number of ranks. The vector is cut into as many chunks, or `chunks_per_rank` times as many.

    A program does not see how many elements there are: it is right for any number.
    """
    __slots__ = ("collective", "ranks", "root", "chunks_per_rank", "parts")

    def __init__(self, ranks: int, root: int = 0, collective: str = "allreduce", chunks_per_rank: int = 1) -> None:
        self.collective, self.ranks, self.root, self.chunks_per_rank = collective, ranks, root, chunks_per_rank
        self.parts = ranks * chunks_per_rank

    @property
    def reduces(self) -> bool:
        """Whether partial sums are added up."""
        return self.collective not in ("all_gather", "broadcast")

    @property
    def shares(self) -> bool:
        """Whether finished values are distributed."""
        return self.collective not in ("reduce_scatter", "reduce")

    def wrap(self, rank: int) -> int:
        """Any number modulo the number of ranks: wrap(-1) is the last rank."""
        return rank % self.ranks

    def chunk(self, index: int) -> Chunks:
        """One chunk; any index, around the end."""
        return _chunk(index % self.parts)

    def chunks(self, first: int, count: int, stride: int = 1) -> Chunks:
        """`count` chunks from `first`, any index, on, around the end."""
        return Chunks(first % self.parts, count, 1 if count == 1 else stride)

    def all(self) -> Chunks:
        """The whole vector."""
        return Chunks(0, self.parts)

    def __repr__(self) -> str:
        root = f", root={self.root}" if self.root else ""
        return f"Problem({self.collective} on {self.ranks} ranks{root})"


@functools.lru_cache(maxsize=1 << 16)
def _chunk(index: int) -> Chunks:
    return Chunks(index)
