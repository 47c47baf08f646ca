"""Calls every collective of torch.distributed that the backend has, on the ranks of mpirun, and checks the results."""
import functools
import os
import sys

import torch
import torch.distributed as dist

import arlab
from refused import refused

if os.environ.get("ARLAB_TEST_MPI4PY"):
    from mpi4py import MPI  # starts MPI before the backend does
    assert MPI.Is_initialized()
torch.set_num_threads(1)
arlab.init(timeout_seconds=60, port=int(sys.argv[1]))
rank, ranks = dist.get_rank(), dist.get_world_size()
messages = not os.environ.get("ARLAB_TEST_NO_MESSAGES")
assert (rank, ranks) == (arlab.rank(), arlab.world_size())
OPS = {dist.ReduceOp.SUM: torch.sum, dist.ReduceOp.MAX: torch.amax, dist.ReduceOp.MIN: torch.amin}


def of(r, count, dtype):
    return (torch.arange(count) % 5 + r + 1).to(dtype)


def every(count, dtype, members=range(ranks)):
    return torch.stack([of(r, count, dtype) for r in members])


def check_group(group, members):
    me = members.index(rank)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.int8, torch.uint8):
        for count in (1, 100, 20011):
            for op, combine in OPS.items():
                tensor = of(rank, count, dtype)
                dist.all_reduce(tensor, op, group=group)
                wanted = every(count, torch.float64, members)
                assert torch.equal(tensor, combine(wanted, 0).to(dtype)), (dtype, count, op)
    tensor = of(rank, 100, torch.float32)
    dist.all_reduce(tensor, dist.ReduceOp.AVG, group=group)
    assert torch.allclose(tensor, every(100, torch.float32, members).mean(0))
    for root in members:
        tensor = of(rank, 1000, torch.int64)
        dist.broadcast(tensor, root, group=group)
        assert torch.equal(tensor, of(root, 1000, torch.int64))
        tensor = of(rank, 1000, torch.float32)
        dist.reduce(tensor, root, group=group)
        assert torch.equal(tensor, every(1000, torch.float32, members).sum(0) if rank == root else of(rank, 1000, torch.float32))
    parts = [torch.empty(7, dtype=torch.int16) for _ in members]
    dist.all_gather(parts, of(rank, 7, torch.int16), group=group)
    assert torch.equal(torch.stack(parts), every(7, torch.int16, members))
    inputs = [of(rank, 11, torch.float32) * (i + 1) for i in range(len(members))]
    output = torch.empty(11)
    dist.reduce_scatter(output, inputs, group=group)
    assert torch.equal(output, every(11, torch.float32, members).sum(0) * (me + 1))
    for size in (3, 20011):  # with the calls, and in messages of their own
        for root in members:
            blocks = [of(r, size, torch.int64) * (root + 1) for r in members]
            parts = [torch.empty(size, dtype=torch.int64) for _ in members] if rank == root else None
            dist.gather(blocks[me], parts, root, group=group)
            assert rank != root or all(map(torch.equal, parts, blocks))
            part = torch.empty(size, dtype=torch.int64)
            dist.scatter(part, blocks if rank == root else None, root, group=group)
            assert torch.equal(part, blocks[me])
        parts = [torch.empty(size) for _ in members]
        dist.all_to_all(parts, [of(rank, size, torch.float32) * (i + 1) for i in range(len(members))], group=group)
        assert torch.equal(torch.stack(parts), every(size, torch.float32, members) * (me + 1))
        output = torch.empty(size * len(members))
        dist.all_to_all_single(output, of(rank, size * len(members), torch.float32), group=group)
        wanted = every(size * len(members), torch.float32, members).view(len(members), len(members), size)[:, me]
        assert torch.equal(output, wanted.flatten())
    # rank i sends i + j + 1 rows to rank j
    sizes = [me + j + 1 for j in range(len(members))]
    rows = torch.cat([torch.full((n, 2), 10.0 * me + j) for j, n in enumerate(sizes)])
    output = torch.empty(sum(sizes), 2)
    dist.all_to_all_single(output, rows, sizes, sizes, group=group)
    assert torch.equal(output, torch.cat([torch.full((n, 2), 10.0 * i + me) for i, n in enumerate(sizes)]))
    for op, combine in ((dist.ReduceOp.BAND, lambda a, b: a & b), (dist.ReduceOp.BOR, lambda a, b: a | b),
                        (dist.ReduceOp.BXOR, lambda a, b: a ^ b)):
        for dtype in (torch.int32, torch.uint8, torch.int16):
            tensor = of(rank, 2000, dtype)
            dist.all_reduce(tensor, op, group=group)
            assert torch.equal(tensor, functools.reduce(combine, every(2000, dtype, members)))
    for op, wanted in ((dist.ReduceOp.SUM, True), (dist.ReduceOp.MAX, True), (dist.ReduceOp.MIN, len(members) == 1),
                       (dist.ReduceOp.PRODUCT, len(members) == 1)):
        tensor = torch.tensor([me == 0, False, True])
        dist.all_reduce(tensor, op, group=group)
        assert tensor.tolist() == [wanted, False, True], (op, tensor)
    dist.barrier(group=group)


def check_layouts():
    """Values go by place in the tensor, not in memory, whatever the layouts of the ranks."""
    def grid(r):
        return torch.arange(2 * 3 * 4 * 5, dtype=torch.float32).view(2, 3, 4, 5) * (r + 1)

    layouts = (lambda x: x, lambda x: x.contiguous(memory_format=torch.channels_last),
               lambda x: x.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0), lambda x: torch.stack([x, x], -1)[..., 0])
    total = sum(grid(r) for r in range(ranks))
    for shift in range(len(layouts)):
        def mine(x):
            return layouts[(rank + shift) % len(layouts)](x)

        tensor = mine(grid(rank))
        dist.all_reduce(tensor)
        assert torch.equal(tensor, total) and tensor.stride() == mine(grid(rank)).stride()
        tensor = mine(grid(rank))
        dist.broadcast(tensor, ranks - 1)
        assert torch.equal(tensor, grid(ranks - 1))
        parts = [mine(torch.zeros(2, 3, 4, 5)) for _ in range(ranks)]
        dist.all_gather(parts, mine(grid(rank)))
        assert all(torch.equal(part, grid(r)) for r, part in enumerate(parts))
        tensor = mine(torch.zeros(2, 3, 4, 5))
        dist.reduce_scatter(tensor, [mine(grid(rank) * (i + 1)) for i in range(ranks)])
        assert torch.equal(tensor, total * (rank + 1))
        if ranks > 1 and messages:
            works = [dist.irecv(tensor, (rank + 1) % ranks), dist.isend(mine(grid(rank)), (rank - 1) % ranks)]
            assert all(work.wait() for work in works) and torch.equal(tensor, grid((rank + 1) % ranks))
    refused("whose elements share memory", lambda: dist.all_reduce(torch.ones(3, 1).expand(3, 4)))


def check_functional():
    """What compiled programs call, in PyTorch 2."""
    from torch.distributed import _functional_collectives as functional

    def waited(results):
        return [functional.wait_tensor(result) for result in results]

    world, mine, square = dist.group.WORLD, of(rank, 3, torch.float32), torch.full((2, 2), float(rank))
    assert torch.equal(*waited([functional.all_reduce(mine, "sum", world)]), every(3, torch.float32).sum(0))
    gathered = waited(functional.all_gather_into_tensor_coalesced([mine, square], world))
    assert torch.equal(gathered[0], every(3, torch.float32).flatten())
    assert torch.equal(gathered[1], torch.arange(ranks).float().repeat_interleave(4).view(-1, 2))
    rows = torch.arange(2.0 * ranks).view(-1, 2)
    scattered = waited(functional.reduce_scatter_tensor_coalesced([rows * (rank + 1), rows + rank], "sum", [0, 0], world))
    sum_of_ranks = ranks * (ranks - 1) / 2
    assert torch.equal(scattered[0], rows[rank:rank + 1] * (sum_of_ranks + ranks))
    assert torch.equal(scattered[1], rows[rank:rank + 1] * ranks + sum_of_ranks)


check_layouts()
with torch.inference_mode():  # whose tensors no other thread may change outside of it
    check_layouts()
if int(torch.__version__.split(".")[0]) >= 2:
    check_functional()
check_group(dist.group.WORLD, list(range(ranks)))
flat = torch.empty(4 * ranks)
dist._all_gather_base(flat, torch.full((4,), float(rank)))
assert torch.equal(flat, torch.arange(ranks).repeat_interleave(4).float())
parts = [[torch.empty(3), torch.empty(2, 2)] for _ in range(ranks)]
dist.all_gather_coalesced(parts, [of(rank, 3, torch.float32), torch.full((2, 2), float(rank))])
assert all(torch.equal(a, of(r, 3, torch.float32)) and (b == r).all() for r, (a, b) in enumerate(parts))
pair = [of(rank, 5, torch.float32), torch.full((2, 2), float(rank))]
dist.all_reduce_coalesced(pair)
assert torch.equal(pair[0], every(5, torch.float32).sum(0)) and (pair[1] == ranks * (ranks - 1) / 2).all()
objects = [None] * ranks if rank == ranks - 1 else None
dist.gather_object({"rank": rank}, objects, ranks - 1)
assert objects == ([{"rank": r} for r in range(ranks)] if rank == ranks - 1 else None)
objects = [None]
dist.scatter_object_list(objects, [["x" * 5000, r] for r in range(ranks)], 0)
assert objects == [["x" * 5000, rank]]
objects = [["from", rank], rank]
dist.broadcast_object_list(objects, ranks - 1)
assert objects == [["from", ranks - 1], ranks - 1]
objects = [None] * ranks
dist.all_gather_object(objects, {"rank": rank})
assert objects == [{"rank": r} for r in range(ranks)]

if not messages:
    refused("send and recv need MPI: start the processes with mpirun", lambda: dist.send(torch.ones(1), (rank + 1) % ranks))
if ranks > 1:
    if rank == 0 and messages:
        dist.send(torch.arange(5), ranks - 1)
    if rank == ranks - 1 and messages:
        got = torch.zeros(5, dtype=torch.int64)
        dist.recv(got, 0)
        assert torch.equal(got, torch.arange(5))
    works = [dist.all_reduce(torch.full((1000,), 1.0), async_op=True) for _ in range(10)]
    for work in works:
        assert work.get_future().wait()[0][0] == ranks
    for members in ([0, ranks - 1], list(range(ranks))):  # a group of some, and a second one of all
        group = dist.new_group(members)
        if rank in members:
            check_group(group, members)

refused("arlab cannot reduce tensors of Short", lambda: dist.all_reduce(torch.ones(3, dtype=torch.int16)))
for root in (-1, ranks):
    text = f"root is {root}, but the ranks are 0 to {ranks - 1}"
    refused(text, lambda: dist.broadcast(torch.ones(2), root))
    refused(text, lambda: dist.reduce(torch.ones(2), root))
    refused(text, lambda: dist.gather(torch.ones(2), None, root))
    refused(text, lambda: dist.scatter(torch.ones(2), None, root))
refused("arlab reduces by SUM", lambda: dist.all_reduce(torch.ones(3), dist.ReduceOp.BAND))
dist.destroy_process_group()
if rank == 0:
    print("all collectives are right")
