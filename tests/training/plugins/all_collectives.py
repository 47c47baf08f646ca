"""Calls every collective of torch.distributed that the backend has, on the ranks of mpirun, and checks the results."""
import os
import sys

import torch
import torch.distributed as dist

import arlab

if os.environ.get("ARLAB_TEST_MPI4PY"):
    from mpi4py import MPI  # starts MPI before the backend does
    assert MPI.Is_initialized()
torch.set_num_threads(1)
arlab.init(timeout_seconds=60, port=int(sys.argv[1]))
rank, ranks = dist.get_rank(), dist.get_world_size()
assert (rank, ranks) == (arlab.rank(), arlab.world_size())
OPS = {dist.ReduceOp.SUM: torch.sum, dist.ReduceOp.MAX: torch.amax, dist.ReduceOp.MIN: torch.amin}


def of(r, count, dtype):
    return (torch.arange(count) % 5 + r + 1).to(dtype)


def every(count, dtype, members=range(ranks)):
    return torch.stack([of(r, count, dtype) for r in members])


def refused(text, call):
    try:
        call()
    except RuntimeError as error:
        assert text in str(error), error
        return
    raise AssertionError(f"not refused: {text}")


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
    dist.barrier(group=group)


check_group(dist.group.WORLD, list(range(ranks)))
flat = torch.empty(4 * ranks)
dist._all_gather_base(flat, torch.full((4,), float(rank)))
assert torch.equal(flat, torch.arange(ranks).repeat_interleave(4).float())
objects = [None] * ranks
dist.all_gather_object(objects, {"rank": rank})
assert objects == [{"rank": r} for r in range(ranks)]

if ranks > 1:
    if rank == 0:
        dist.send(torch.arange(5), ranks - 1)
    if rank == ranks - 1:
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

refused("arlab cannot reduce tensors of Bool", lambda: dist.all_reduce(torch.ones(3, dtype=torch.bool)))
refused("arlab reduces by SUM", lambda: dist.all_reduce(torch.ones(3, dtype=torch.int32), dist.ReduceOp.BAND))
refused("with gaps", lambda: dist.all_reduce(torch.ones(4, 4).t()[:, :2]))
dist.destroy_process_group()
if rank == 0:
    print("all collectives are right")
