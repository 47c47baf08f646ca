"""Six algorithms of the catalog, written by hand in Python: the tests compare them with those in C++."""
from typing import Iterator, List, Union

import arlab
from arlab import Action, Problem, exchange, reduce, replace, send

Rounds = Iterator[Union[Action, List[Action], "tuple[Action, ...]"]]


@arlab.algorithm(name="py_all_to_all", cost=lambda p, n: ((p.ranks * (p.ranks - 1) if n else 0), n * p.ranks * (p.ranks - 1), int(p.ranks > 1)))
def all_to_all(p: Problem, me: int) -> Rounds:
    """Every rank sends its whole vector to every other, and each adds."""
    round = []
    for s in range(1, p.ranks):
        round += [send(p.wrap(me + s), p.all()), reduce(p.wrap(me - s), p.all())]
    if round:
        yield round


@arlab.algorithm(name="py_butterfly")
def butterfly(p: Problem, me: int) -> Rounds:
    """Partners at distance 1, 2, 4, ... exchange whole vectors."""
    core = 1 << (p.ranks.bit_length() - 1)
    if me >= core:
        yield send(me - core, p.all())
        yield replace(me - core, p.all())
        return
    has_extra = me < p.ranks - core
    if has_extra:
        yield reduce(me + core, p.all())
    distance = 1
    while distance < core:
        yield exchange(me ^ distance, p.all())
        distance *= 2
    if has_extra:
        yield send(me + core, p.all())


@arlab.algorithm(name="py_master_worker", collectives=("allreduce", "reduce", "broadcast"))
def master_worker(p: Problem, me: int) -> Rounds:
    """All send to one master, which adds, and sends the sum back."""
    workers = [p.wrap(p.root + s) for s in range(1, p.ranks)]
    if p.ranks == 1:
        return
    if me == p.root:
        if p.reduces:
            yield [reduce(worker, p.all()) for worker in workers]
        if p.shares:
            yield [send(worker, p.all()) for worker in workers]
    else:
        if p.reduces:
            yield send(p.root, p.all())
        if p.shares:
            yield replace(p.root, p.all())


@arlab.algorithm(name="py_ring", collectives=("allreduce", "reduce_scatter", "all_gather"),
                 cost=lambda p, n: (2 * (p.ranks - 1) * min(p.ranks, n), 2 * (p.ranks - 1) * n, 2 * (p.ranks - 1))
                 if p.collective == "allreduce" else ((p.ranks - 1) * min(p.ranks, n), (p.ranks - 1) * n, p.ranks - 1))
def ring(p: Problem, me: int) -> Rounds:
    """Partial sums go once around the ring, then the finished chunks do."""
    right, left = p.wrap(me + 1), p.wrap(me - 1)
    if p.reduces:
        for s in range(1, p.ranks):
            yield send(right, me - s), reduce(left, me - s - 1)
    if p.shares:
        for s in range(p.ranks - 1):
            yield send(right, me - s), replace(left, me - s - 1)


@arlab.algorithm(name="py_round_robin", collectives=("allreduce", "reduce_scatter", "all_gather"))
def round_robin(p: Problem, me: int) -> Rounds:
    """Each chunk goes directly to its owner, in rotation, and comes back in the same way."""
    if p.reduces:
        for s in range(1, p.ranks):
            yield send(p.wrap(me + s), me + s), reduce(p.wrap(me - s), me)
    if p.shares:
        for s in range(1, p.ranks):
            yield send(p.wrap(me + s), me), replace(p.wrap(me - s), me - s)


@arlab.algorithm(name="py_tree", collectives=("allreduce", "reduce", "broadcast"))
def tree(p: Problem, me: int) -> Rounds:
    """A binomial tree to the root, and back."""
    number = p.wrap(me - p.root)
    parent = number & -number or 1 << (p.ranks - 1).bit_length()
    if p.reduces:
        distance = 1
        while distance < parent and number + distance < p.ranks:
            yield reduce(p.wrap(me + distance), p.all())
            distance *= 2
        if number:
            yield send(p.wrap(me - parent), p.all())
    if p.shares:
        if number:
            yield replace(p.wrap(me - parent), p.all())
        distance = parent // 2
        while distance:
            if number + distance < p.ranks:
                yield send(p.wrap(me + distance), p.all())
            distance //= 2


SIX = {"all_to_all": all_to_all, "butterfly": butterfly, "master_worker": master_worker, "ring": ring, "round_robin": round_robin,
       "tree": tree}
