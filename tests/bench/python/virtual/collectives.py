"""Every collective on 6 virtual ranks: values as if all ranks held the same, and the simulator's times."""
import sys
import types

import pytest
import torch
import torch.distributed as dist

import arlab
import arlab.virtual

sharded = types.SimpleNamespace(FullyShardedDataParallel=type("Sharded", (), {}))
sys.modules["torch.distributed.fsdp"] = sharded  # Debian's cannot be imported by its Python
dist.init_process_group("gloo")
session, ops, P = arlab.virtual.current(), dist.ReduceOp, 6
assert (dist.get_rank(), dist.get_world_size()) == (0, P)


def took(call):
    """The virtual seconds of a blocking call, and the simulated ones of its collective."""
    before, free = session.clock.waited, session.network_free
    call()
    return session.clock.waited - before, session.network_free - free


def of(value, call, *arguments):
    tensor = torch.tensor(value)
    call(tensor, *arguments)
    return tensor.tolist()


assert of([1.5, -2], dist.all_reduce) == [9, -12]
assert of([3], dist.all_reduce, ops.SUM) == [18]
assert of([2.0], dist.all_reduce, ops.PRODUCT) == [64]
assert [of([2.5], dist.all_reduce, op) for op in (ops.AVG, ops.MIN, ops.MAX)] == [[2.5]] * 3
assert [of([5], dist.all_reduce, op) for op in (ops.BAND, ops.BOR, ops.BXOR)] == [[5], [5], [0]]
assert of([True, False], dist.all_reduce) == [True, False]
assert of([1 + 2j], dist.all_reduce) == [6 + 12j]
assert of([4.0], dist.reduce, 0) == [24] and of([4.0], dist.reduce, 3) == [4]
assert of([4.0], dist.broadcast, 5) == [4]

parts = [torch.zeros(2) for _ in range(P)]
dist.all_gather(parts, torch.tensor([1.0, 2]))
assert torch.stack(parts).tolist() == [[1, 2]] * P
whole = torch.zeros(P * 2)
dist.all_gather_into_tensor(whole, torch.tensor([3.0, 4]))
assert whole.tolist() == [3, 4] * P
gaps = torch.zeros(P, 4)
dist.all_gather_into_tensor(gaps[:, ::2], torch.tensor([3.0, 4]))
assert gaps.tolist() == [[3, 0, 4, 0]] * P
block = torch.zeros(2)
dist.reduce_scatter(block, [torch.full((2,), i + 1.0) for i in range(P)])
assert block.tolist() == [6, 6]
dist.reduce_scatter_tensor(block, torch.arange(2.0 * P) + 1, ops.MAX)
assert block.tolist() == [1, 2]
objects = [None] * P
dist.all_gather_object(objects, {"loss": 1})
assert objects == [{"loss": 1}] * P
names = ["a"]
dist.broadcast_object_list(names, src=2)
assert names == ["a"]

# Time: that of the algorithm which simulate() finds the fastest, at once for blocking calls.
vector = torch.zeros(1 << 20)
waited, carried = took(lambda: dist.all_reduce(vector))
fastest = min(row.time_us for row in arlab.simulate("ring,rabenseifner,circulant", ranks=P, size="4M", network="10G:latency=20us"))
assert abs(waited * 1e6 - fastest) < 0.02 * fastest, (waited, fastest)
assert took(dist.barrier)[1] > 0  # on a busy machine, the call itself can take longer
assert dist.get_backend() == "gloo" and took(dist.monitored_barrier)[1] > 0

# Asynchronous ones follow one another, and computation in between hides them.
start = session.clock.now()
works = [dist.all_reduce(vector, async_op=True) for _ in range(3)]
assert session.clock.now() - start < fastest * 1e-6 and not works[2].is_completed()
works[2].wait()
assert abs(session.clock.now() - start - 3e-6 * fastest) < 0.1e-6 * fastest
assert took(works[0].wait)[0] == 0 and works[0].is_completed()
future = dist.all_reduce(torch.ones(4), async_op=True).get_future().then(lambda f: f.wait()[0] + 1)
assert future.wait().tolist() == [7] * 4
assert took(lambda: dist.all_reduce(torch.zeros(0)))[0] == 0

# Groups: alone on their hosts. A group without rank 0 is nobody's here.
pair = dist.new_group([0, 3], backend="nccl")
assert (dist.get_backend(pair), dist.get_backend(dist.new_group([0]))) == ("nccl", "gloo")
dist.monitored_barrier(pair)
tensor = torch.ones(3)
dist.all_reduce(tensor, group=pair)
assert tensor.tolist() == [2] * 3 and dist.get_world_size(pair) == 2
dist.all_reduce(tensor, group=dist.new_group([0]))
dist.all_reduce(tensor, group=dist.new_group([1, 2]))
assert tensor.tolist() == [2] * 3

for call in (lambda: dist.all_to_all_single(whole, whole), lambda: dist.send(tensor, 1), lambda: dist.irecv(tensor, 1),
             lambda: dist.gather(tensor, parts), lambda: dist.scatter(tensor, parts)):
    with pytest.raises(arlab.UsageError, match="virtual time has no .*real ranks"):
        call()
for root in (-1, P):
    for call in (lambda: dist.broadcast(tensor, root), lambda: dist.reduce(tensor, root), lambda: dist.broadcast_object_list(names, root)):
        with pytest.raises(arlab.UsageError, match=f"root is {root}, but the ranks are 0 to 5: choose one of those"):
            call()
with pytest.raises(arlab.UsageError, match="11 elements are not 6 times 2"):
    dist.group.WORLD._allgather_base(torch.zeros(11), torch.zeros(2))
with pytest.raises(arlab.UsageError, match="use DistributedDataParallel, or `arlab plan -s fsdp`"):
    sharded.FullyShardedDataParallel(torch.nn.Linear(2, 2))
print("all collectives are right")
