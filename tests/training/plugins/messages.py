"""Sends and receives in every order that frees no rank from waiting for another, on the ranks of mpirun: messages.py PORT."""
import random
import sys

import torch
import torch.distributed as dist

import arlab
from refused import refused

torch.set_num_threads(1)
arlab.init(timeout_seconds=30, port=int(sys.argv[1]))
rank, ranks = dist.get_rank(), dist.get_world_size()
left, right = (rank - 1) % ranks, (rank + 1) % ranks
SIZES = (0, 1, 500, 3000, 1_000_000)  # short ones travel with their header


def value(source, target, number, size):
    return torch.full((size,), float(source * 100 + target * 10 + number))


# A ring: receive first, send first, and as a batch.
for size in SIZES:
    for order in ("receive", "send", "batch"):
        got = torch.zeros(size)
        if order == "receive":
            works = [dist.irecv(got, left), dist.isend(value(rank, right, 0, size), right)]
        elif order == "send":
            works = [dist.isend(value(rank, right, 0, size), right), dist.irecv(got, left)]
        else:
            works = dist.batch_isend_irecv([dist.P2POp(dist.irecv, got, left),
                                            dist.P2POp(dist.isend, value(rank, right, 0, size), right)])
        for work in works:
            work.wait()
        assert torch.equal(got, value(left, rank, 0, size)), (size, order)

# All pairs at once, with tags, sent and received in orders that each rank chooses.
mine = random.Random(rank)
sizes = [SIZES[(7 * a + 3 * b + tag) % len(SIZES)] for a in range(ranks) for b in range(ranks) for tag in range(4)]


def size_of(source, target, tag):
    return sizes[(source * ranks + target) * 4 + tag]


calls, results = [], {}
for other in range(ranks):
    for tag in range(4):
        if other != rank:
            results[other, tag] = torch.zeros(size_of(other, rank, tag))
            calls.append(lambda o=other, t=tag: dist.irecv(results[o, t], o, tag=t))
            calls.append(lambda o=other, t=tag: dist.isend(value(rank, o, t, size_of(rank, o, t)), o, tag=t))
mine.shuffle(calls)
works = [call() for call in calls]
mine.shuffle(works)
total = torch.ones(3)
dist.all_reduce(total)  # while they are open
assert (total == ranks).all()
for work in works:
    work.wait()
for (other, tag), got in results.items():
    assert torch.equal(got, value(other, rank, tag, size_of(other, rank, tag))), (other, tag)

# From any rank.
if rank == 0:
    sources = set()
    for _ in range(ranks - 1):
        got = torch.zeros(2000)
        source = dist.recv(got, tag=5)
        assert torch.equal(got, value(source, 0, 5, 2000))
        sources.add(source)
    assert sources == set(range(1, ranks))
else:
    dist.send(value(rank, 0, 5, 2000), 0, tag=5)

# Two groups of the same ranks, used in another order on each rank.
groups = [dist.new_group() for _ in range(3)]
order = list(range(3))
for _ in range(20):
    mine.shuffle(order)
    tensors = [torch.full((n,), float(g)) for g, n in enumerate((2, 5000, 300_000))]
    works = [dist.all_reduce(tensors[g], group=groups[g], async_op=True) for g in order]
    mine.shuffle(works)
    for work in works:
        work.wait()
    assert all((t == g * ranks).all() for g, t in enumerate(tensors))

# A receive of another size or type is an error, and the next message arrives. The sender of a long one learns of it.
for size, other in ((3, torch.zeros(4)), (3, torch.zeros(3, dtype=torch.int32)), (100_000, torch.zeros(99_999)), (100_000, torch.zeros(2))):
    if rank == 0:
        if size == 3:
            dist.send(torch.ones(size), 1)
        else:
            refused("it receives another size or type", lambda: dist.send(torch.ones(size), 1))
        dist.send(torch.ones(7), 1)
    if rank == 1:
        before = other.clone()
        refused(f"has sent {4 * size} bytes of Float with tag 0, but this rank receives", lambda: dist.recv(other, 0))
        assert torch.equal(other, before)
        got = torch.zeros(7)
        dist.recv(got, 0)
        assert (got == 1).all()
refused("tag -1: give one of 0 to", lambda: dist.send(torch.ones(1), right, tag=-1))
open_at_the_end = dist.irecv(torch.zeros(3), left, tag=9)
dist.barrier()
if rank == 0:
    print("all messages are right")
