"""Real ranks in virtual time: values of all of them, and collectives that begin with the last one. It prints once per rank."""
import os

import pytest
import torch
import torch.distributed as dist

import arlab
import arlab.virtual

dist.init_process_group("gloo")
session, ops = arlab.virtual.current(), dist.ReduceOp
me, P = dist.get_rank(), dist.get_world_size()
assert (me, P) == (int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))


def of(value, call, *arguments):
    tensor = torch.tensor(value)
    call(tensor, *arguments)
    return tensor.tolist()


total = P * (P - 1) // 2
assert of([me, 1.0], dist.all_reduce) == [total, P] and of([me], dist.all_reduce, ops.MAX) == [P - 1]
assert of([float(me)], dist.all_reduce, ops.AVG) == [total / P]
assert of([me], dist.broadcast, 1) == [1]
assert of([me], dist.reduce, 1) == [total if me == 1 else me]
assert of([me], dist.all_reduce, ops.AVG) == [total // P]  # integers are cut

# Types that Gloo does not know. A sum of bools is whether any is true, a product whether all are, as in the backend arlab.
mine = [me == 0, True, False]
assert [of(mine, dist.all_reduce, op) for op in (ops.SUM, ops.MAX, ops.BOR)] == [[True, True, False]] * 3
assert [of(mine, dist.all_reduce, op) for op in (ops.PRODUCT, ops.MIN, ops.BAND)] == [[False, True, False]] * 3
assert of(mine, dist.all_reduce, ops.BXOR) == [True, P % 2 == 1, False]
assert of(mine, dist.broadcast, 1) == [False, True, False] and of(mine, dist.reduce, 1) == [me <= 1, True, False]
with pytest.raises(arlab.UsageError, match="bools by AVG"):
    of(mine, dist.all_reduce, ops.AVG)
for dtype in (torch.bool, torch.bfloat16, torch.int16, torch.complex64):
    vector = torch.tensor([me, 1]).to(dtype)
    parts = [torch.empty_like(vector) for _ in range(P)]
    dist.all_gather(parts, vector)
    assert torch.equal(torch.stack(parts), torch.tensor([[rank, 1] for rank in range(P)]).to(dtype)), parts
    dist.broadcast(vector, P - 1)
    assert torch.equal(vector, torch.tensor([P - 1, 1]).to(dtype))
halves = torch.tensor([1.0, 2.0**-7 * me], dtype=torch.bfloat16)
for op, wanted in ((ops.SUM, [P, 2.0**-7 * total]), (ops.AVG, [1, 2.0**-7 * total / P]), (ops.MAX, [1, 2.0**-7 * (P - 1)])):
    result = halves.clone()
    dist.all_reduce(result, op)
    assert torch.equal(result, torch.tensor(wanted, dtype=torch.bfloat16)), (op, result)
short = torch.tensor([300, me], dtype=torch.int16)
dist.all_reduce(short)
assert short.tolist() == [300 * P, total]

# Memory with gaps.
gaps = torch.zeros(P, 4)
dist.all_gather_into_tensor(gaps[:, ::2], torch.tensor([me, 4.0]))
assert gaps.tolist() == [[rank, 0, 4, 0] for rank in range(P)]
gaps = torch.full((2, 2), float(me))
dist.all_reduce(gaps[:, 0])
dist.broadcast(gaps[:, 1], 1)
assert gaps.tolist() == [[total, 1]] * 2

assert dist.get_backend() == "gloo"
dist.monitored_barrier()
parts = [torch.zeros(2) for _ in range(P)]
dist.all_gather(parts, torch.tensor([float(me), 7]))
assert torch.stack(parts).tolist() == [[rank, 7] for rank in range(P)]
whole = torch.zeros(P * 2)
dist.all_gather_into_tensor(whole, torch.tensor([me, 1.0]))
assert whole.tolist() == [x for rank in range(P) for x in (rank, 1)]
block = torch.zeros(2)
dist.reduce_scatter(block, [torch.full((2,), float(rank + me)) for rank in range(P)])
assert block.tolist() == [P * me + total] * 2
dist.reduce_scatter_tensor(block, torch.arange(2.0 * P) + me, ops.MAX)
assert block.tolist() == [2 * me + P - 1, 2 * me + P]
objects = [None] * P
dist.all_gather_object(objects, {"rank": me})
assert objects == [{"rank": rank} for rank in range(P)]
names = [me]
dist.broadcast_object_list(names, src=P - 1)
assert names == [P - 1]

# Time: computation takes none here but what is added. A collective begins when the last rank is there.
dist.barrier()
before = session.clock.now()
session.clock.compute(0.25 * me)
vector = torch.full((1 << 18,), float(me))
dist.all_reduce(vector)
ring = min(row.time_us for row in arlab.simulate("ring,rabenseifner,circulant", ranks=P, size="1M", network="1G:latency=20us")) * 1e-6
assert vector[-1] == total and abs(session.clock.now() - before - 0.25 * (P - 1) - ring) < 0.01 * ring, (session.clock.now() - before, ring)
begin = session.clock.now()
work = dist.all_reduce(vector, async_op=True)
session.clock.compute(2 * ring)  # hides it
work.wait()
assert abs(session.clock.now() - begin - 2 * ring) < 0.01 * ring

# Messages take the time of their bytes after the sender's call.
begin = session.clock.now()
if me == 0:
    session.clock.compute(0.5)
    dist.send(torch.arange(250000.0), 1)
if me == 1:
    got = torch.zeros(250000)
    dist.recv(got, 0)
    assert got[-1] == 249999 and abs(session.clock.now() - begin - 0.5 - 8e-3) < 2e-4, session.clock.now() - begin
left = torch.zeros(1, dtype=torch.int64)
for request in (dist.isend(torch.tensor([me]), (me + 1) % P), dist.irecv(left, (me - 1) % P)):
    request.wait()
assert left.item() == (me - 1) % P
for call in (dist.broadcast, dist.reduce):
    with pytest.raises(arlab.UsageError, match=f"root is {P}, but the ranks are 0 to {P - 1}"):
        call(left, P)
with pytest.raises(arlab.UsageError, match="has no all_to_all"):
    dist.all_to_all_single(whole, whole)

# Groups of some ranks, and training, whose gradients are means over all ranks.
pair = dist.new_group([0, 1])
if me < 2:
    tensor = torch.tensor([me + 1])
    dist.all_reduce(tensor, group=pair)
    assert tensor.item() == 3
torch.manual_seed(5)
model = torch.nn.Linear(3, 2, bias=False)
parallel = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(parallel.parameters(), lr=1.0)
weights = model.weight.detach().clone()
for _ in range(9):
    optimizer.zero_grad()
    parallel(torch.full((1, 3), float(me))).sum().backward()
    optimizer.step()
assert torch.allclose(model.weight, weights - 9 * total / P)
assert len(session.steps) == 9
steps = [None] * P
dist.all_gather_object(steps, session.steps[-1].time)
assert max(steps) - min(steps) < 1e-3 * max(steps), steps
print(f"rank {me} is right", flush=True)
