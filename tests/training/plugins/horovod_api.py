"""Calls what arlab.horovod has, on the ranks of mpirun or torchrun, and checks the results. Rank 0 says when all is right."""
import os
import subprocess
import sys
import warnings

import torch

import arlab.horovod as hvd
from arlab.horovod import _handles


def refused(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"not refused: {text}")


launched = any(name in os.environ for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"))
refused(ValueError, "call hvd.init() first", hvd.size)
hvd.init()
torch.set_num_threads(1)
rank, ranks = hvd.rank(), hvd.size()
assert hvd.is_initialized() and hvd.local_rank() == rank and hvd.local_size() == ranks
assert (hvd.cross_rank(), hvd.cross_size()) == (0, 1) and hvd.is_homogeneous()


def of(r, size=1000, dtype=torch.float32):
    return (torch.arange(size) % 7 + r + 1).to(dtype)


def every(size=1000, dtype=torch.float32, members=range(ranks)):
    return torch.stack([of(r, size, dtype) for r in members])


def check_sums():
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64):
        for size in (1, 1000, 50_000):
            x, wanted = of(rank, size, dtype), every(size, torch.float64).sum(0).to(dtype)
            assert torch.equal(hvd.allreduce(x, op=hvd.Sum), wanted), (dtype, size)
            assert torch.equal(x, of(rank, size, dtype))
            assert torch.equal(hvd.allreduce_(x, average=False), wanted) and torch.equal(x, wanted)
    assert torch.allclose(hvd.allreduce(of(rank)), every().mean(0))
    assert torch.equal(hvd.allreduce(of(rank), op=hvd.Max), of(ranks - 1))
    assert torch.equal(hvd.allreduce(of(rank), op=hvd.Min), of(0))
    assert torch.allclose(hvd.allreduce(of(rank), op=hvd.Product), every().prod(0))
    assert torch.allclose(hvd.allreduce(of(rank), op=hvd.Sum, prescale_factor=2, postscale_factor=0.25), every().sum(0) / 2)
    assert torch.allclose(hvd.allreduce(of(rank), compression=hvd.Compression.fp16), every().mean(0), rtol=1e-3)
    assert all(map(torch.equal, hvd.grouped_allreduce([of(rank), of(rank, 3)], op=hvd.Sum), (every().sum(0), every(3).sum(0))))
    x = torch.ones(3, requires_grad=True)
    (hvd.allreduce(x, op=hvd.Sum) * (rank + 1)).sum().backward()
    assert (x.grad == ranks * (ranks + 1) / 2).all()
    handles = [hvd.allreduce_async(of(rank, size), name=str(size)) for size in (1, 2000, 30)]
    hvd.poll(handles[0])
    for handle, size in reversed(list(zip(handles, (1, 2000, 30)))):
        assert torch.allclose(hvd.synchronize(handle), every(size).mean(0))
    refused(ValueError, "is not open", lambda: hvd.synchronize(handles[0]))
    refused(ValueError, "not both", lambda: hvd.allreduce(of(rank), average=True, op=hvd.Sum))
    refused(ValueError, "give hvd.Average", lambda: hvd.allreduce(of(rank), op="sum"))


def check_adasum():
    if ranks & (ranks - 1):
        return refused(ValueError, f"power of two of ranks, not {ranks}", lambda: hvd.allreduce(of(rank), op=hvd.Adasum))
    same = hvd.allreduce(of(0), op=hvd.Adasum)
    assert torch.allclose(same, of(0))  # what all have in common counts once
    apart = torch.zeros(8)
    apart[rank] = 3
    wanted = torch.zeros(8)
    wanted[:ranks] = 3
    assert torch.allclose(hvd.allreduce(apart, op=hvd.Adasum), wanted)  # and what they have not, fully
    assert torch.allclose(hvd.allreduce(apart, op=hvd.Adasum, prescale_factor=2.0, postscale_factor=0.25), wanted / 2)


def check_others():
    rows = torch.full((rank + 1, 2), float(rank), requires_grad=True)
    joined = hvd.allgather(rows)
    assert torch.equal(joined.detach(), torch.cat([torch.full((r + 1, 2), float(r)) for r in range(ranks)]))
    (joined * (rank + 1)).sum().backward()
    assert (rows.grad == (ranks + 1) / 2).all()  # Horovod averages the gradients of an allgather
    assert torch.equal(hvd.synchronize(hvd.allgather_async(torch.tensor(rank))), torch.arange(ranks))
    assert torch.equal(hvd.allgather(torch.ones(2 if rank == 0 else 0)), torch.ones(2))
    for root in range(ranks):
        x = of(rank)
        assert torch.equal(hvd.broadcast(x, root), of(root)) and torch.equal(x, of(rank))
        assert torch.equal(hvd.synchronize(hvd.broadcast_async_(x, root)), of(root)) and torch.equal(x, of(root))
        assert hvd.broadcast_object({"of": rank, "text": "x" * 9000}, root)["of"] == root
    for call in (lambda: hvd.broadcast(of(rank), ranks), lambda: hvd.broadcast_object(rank, ranks)):
        refused(RuntimeError, f"root is {ranks}, but the ranks are 0 to {ranks - 1}", call)
    assert hvd.allgather_object(["x" * rank, rank]) == [["x" * r, r] for r in range(ranks)]
    assert hvd.broadcast_object_fn(0)(rank) == 0
    output, counts = hvd.alltoall(torch.arange(3 * ranks).repeat_interleave(rank + 1).float(), torch.full((ranks,), 3 * (rank + 1)))
    assert counts.tolist() == [3 * (r + 1) for r in range(ranks)] and output.numel() == 3 * ranks * (ranks + 1) // 2
    assert torch.equal(hvd.alltoall(torch.full((ranks,), rank)), torch.arange(ranks))
    for size in (3 * ranks, 3 * ranks + 1):
        mine = hvd.reducescatter(of(rank, size), op=hvd.Sum)
        assert torch.equal(hvd.allgather(mine), every(size).sum(0)), size
    check_gradients_by_rows()
    hvd.barrier()
    some = hvd.add_process_set([0, ranks - 1])
    members = sorted({0, ranks - 1}) if ranks > 1 else [0]
    if some.included():
        assert torch.equal(hvd.allreduce(of(rank), op=hvd.Sum, process_set=some), every(members=members).sum(0))
        assert some.size() == len(members) and some.rank() == (rank > 0)
    else:
        refused(ValueError, "only its ranks call", lambda: hvd.allreduce(of(rank), process_set=some))
    assert hvd.remove_process_set(some) and not hvd.remove_process_set(some)


class Pair:
    """A class of the script: PyTorch 2.6 does not read it by itself."""

    def __init__(self, one, two):
        self.one, self.two = one, two


class Sealed:
    def __reduce__(self):
        raise TypeError("sealed")


def check_objects():
    for root in range(ranks):
        assert hvd.broadcast_object(Pair(rank, "x"), root).one == root
        kind, text = (TypeError, "sealed") if rank == root else (hvd.HorovodInternalError, f"rank {root} cannot pickle its object")
        refused(kind, text, lambda: hvd.broadcast_object(Sealed(), root))
    assert hvd.broadcast_object(rank, ranks - 1) == ranks - 1  # all ranks go on


def check_process_sets():
    hvd.shutdown()
    refused(ValueError, "give a list of ProcessSet, or \"dynamic\"", lambda: hvd.init(process_sets="static"))
    refused(Exception, "", lambda: hvd.init(process_sets=[hvd.ProcessSet([0, ranks])]))  # which PyTorch refuses
    assert not hvd.is_initialized()
    hvd.init(process_sets="dynamic")
    assert hvd.add_process_set([0]).size() == 1
    hvd.shutdown()
    hvd.init(process_sets=[hvd.ProcessSet([0])])
    assert hvd.remove_process_set(hvd._job._sets[0])


def check_alone():
    """Without a launcher, two processes may be alone on a machine, and so may the script of a batch job of Slurm."""
    if launched:
        return
    code = ("import os, arlab.horovod as hvd; before = dict(os.environ); hvd.init(); assert dict(os.environ) == before; "
            "print(hvd.size(), hvd.rank(), hvd.local_rank(), hvd.local_size())")
    environment = {**os.environ, "SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0", "SLURM_STEP_ID": "4294967291"}
    done = subprocess.run([sys.executable, "-B", "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "1 0 0 1\n", done.stderr
    assert not any(name in os.environ for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))


def check_gradients_by_rows():
    x = torch.ones(2 * ranks, requires_grad=True)
    output, _ = hvd.alltoall(x, torch.full((ranks,), 1, dtype=torch.int32))
    (output * (rank + 1)).sum().backward()
    assert x.grad.tolist() == [*range(1, ranks + 1), *[0] * ranks]  # what was not sent has no gradient
    x = torch.ones(ranks, requires_grad=True)
    (hvd.reducescatter(x, op=hvd.Sum, prescale_factor=2.0) * (rank + 1)).sum().backward()
    assert x.grad.tolist() == [2 * ranks * (r + 1) for r in range(ranks)]
    refused(ValueError, "whose sum is at most that", lambda: hvd.alltoall(torch.ones(1), torch.full((ranks,), 2)))
    refused(ValueError, "integers, one per rank", lambda: hvd.alltoall(torch.ones(1), torch.ones(ranks)))
    refused(ValueError, "give it rows", lambda: hvd.reducescatter(torch.tensor(1.0)))
    scaled = hvd.allreduce(torch.tensor([3, -3]), op=hvd.Sum, prescale_factor=0.5)
    assert scaled.tolist() == [ranks, -ranks]  # integers are cut
    total = hvd.sparse_allreduce_async(torch.tensor([0.0, rank + 1, 0]).to_sparse(), op=hvd.Sum)()
    assert total.to_dense().tolist() == [0, ranks * (ranks + 1) / 2, 0]
    handle = hvd.grouped_reducescatter_async([of(rank, ranks), of(rank, 2 * ranks)], op=hvd.Sum)
    assert [each.numel() for each in hvd.synchronize(handle)] == [1, 2]
    assert [each.numel() for each in hvd.grouped_allgather([of(rank, 1), of(rank, 2)])] == [ranks, 2 * ranks]
    for as_dense in (False, True):  # twice: after the first step, sparse gradients have no place in the buckets
        table = torch.nn.Embedding(6, 2, sparse=True)
        hvd.broadcast_parameters(table.state_dict(), 0)
        before = table.weight.detach().clone()
        optimizer = hvd.DistributedOptimizer(torch.optim.SGD([table.weight, torch.nn.Parameter(torch.ones(3))], lr=1.0),
                                             sparse_as_dense=as_dense)
        for _ in range(2):
            optimizer.zero_grad()
            table(torch.tensor([0, 1 + rank])).sum().backward()
            optimizer.step()
        moved = (before - table.weight.detach())[:, 0] / 2
        wanted = [1.0] + [1 / ranks] * ranks + [0.0] * (5 - ranks)
        assert torch.allclose(moved, torch.tensor(wanted), atol=1e-5), (as_dense, moved)


def network():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(64, 48), torch.nn.ReLU(), torch.nn.Linear(48, 10))


def train(steps=30, passes=1, make=lambda p: torch.optim.SGD(p, lr=0.5), **options):
    generator = torch.Generator().manual_seed(7)
    inputs, teacher = torch.randn(960, 64, generator=generator), torch.randn(64, 10, generator=generator)
    labels = (inputs @ teacher).argmax(1)
    model = network()
    optimizer = make(model.parameters())
    if options:
        optimizer = hvd.DistributedOptimizer(optimizer, model.named_parameters(), backward_passes_per_step=passes, **options)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        for each in range(passes):
            first = 48 * ((step * passes + each) % 20) + rank * 48 // ranks
            mine = slice(first, first + 48 // ranks)
            loss = torch.nn.functional.cross_entropy(model(inputs[mine]), labels[mine])
            loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    weights = torch.cat([p.detach().flatten() for p in model.parameters()])
    assert all(torch.equal(weights, each) for each in hvd.allgather(weights.unsqueeze(0))), options
    average = hvd.allreduce(torch.stack(losses))
    assert average[-5:].mean() < 0.9 * average[:5].mean(), (options, average)
    return weights


def check_optimizers():
    plain = train(op=hvd.Average)
    assert torch.equal(plain, train(op=hvd.Sum, make=lambda p: torch.optim.SGD(p, lr=0.5 / ranks))) or ranks & (ranks - 1)
    assert torch.allclose(plain, train(compression=hvd.Compression.fp16), atol=0.02)
    assert torch.allclose(plain, train(op=hvd.Average, gradient_predivide_factor=2.0), atol=1e-5)
    train(passes=3, op=hvd.Average)
    if ranks & (ranks - 1) == 0:
        train(op=hvd.Adasum)
    for spec in ("powersgd:rank=2", "topk:ratio=0.3", "int8", "fp16"):
        train(compression=hvd.Compression.of(spec))
    train(compression=hvd.Compression.powersgd)
    refused(AttributeError, "unknown compressor 'powersdg', did you mean 'powersgd'?", lambda: hvd.Compression.powersdg)
    refused(ValueError, "give it to DistributedOptimizer", lambda: hvd.allreduce(of(rank), compression=hvd.Compression.of("topk")))
    refused(AttributeError, "arlab.horovod has no SyncBatchNorm: use BatchNorm", lambda: hvd.SyncBatchNorm)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01 * (rank + 1))
    model(torch.ones(1, 64)).sum().backward()
    optimizer.step()
    hvd.broadcast_optimizer_state(optimizer, 0)
    hvd.broadcast_parameters(model.named_parameters(), 0)
    assert optimizer.param_groups[0]["lr"] == 0.01
    optimizer = hvd.DistributedOptimizer(optimizer, model.named_parameters())
    unused = network()  # one rank uses a parameter that the others do not
    pair = hvd.DistributedOptimizer(torch.optim.SGD([*model.parameters(), *unused.parameters()], lr=0.1))
    (model(torch.ones(1, 64)).sum() + (unused(torch.ones(1, 64)).sum() if rank == 0 else 0)).backward()
    if ranks > 1:
        refused(AssertionError, "before optimizer.step()", pair.zero_grad)
    pair.synchronize()
    with pair.skip_synchronize():
        pair.step()
    assert all(p.grad is not None for p in unused.parameters())
    refused(ValueError, "not supported", lambda: hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=1), op=hvd.Max))
    refused(ValueError, "Found duplicates: a", lambda: hvd.DistributedOptimizer(optimizer, [("a", 1), ("a", 2)]))


def check_schedulers():
    """A scheduler may be there before the optimizer is distributed: its steps of 1, 1/2, 1/4 are the averages', and are counted."""
    pair = hvd.add_process_set([0, min(1, ranks - 1)])
    for op, members in ((hvd.Average, hvd.global_process_set), (hvd.Sum, hvd.global_process_set), (hvd.Adasum, pair)):
        if not members.included():
            continue
        for first in (True, False):
            weight = torch.nn.Parameter(torch.zeros(1))
            optimizer = torch.optim.SGD([weight], lr=1.0)
            make = lambda: torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
            schedule = make() if first else None
            assert hvd.DistributedOptimizer(optimizer, [("weight", weight)], op=op, process_set=members) is optimizer
            schedule = schedule or make()
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # as of a scheduler that misses its mark
                for _ in range(3):
                    optimizer.zero_grad()
                    (weight * (rank + 1)).sum().backward()
                    optimizer.step()
                    schedule.step()
            gradient = (members.size() + 1) / 2 * (members.size() if op is hvd.Sum else 1)  # Adasum's is the mean of 1 and 2
            assert abs(weight.item() + 1.75 * gradient) < 1e-5 * gradient, (op, first, weight)
            assert optimizer.param_groups[0]["lr"] == 0.125
            assert hasattr(optimizer.step, "_with_counter") or hasattr(optimizer.step, "_wrapped_by_lr_sched")
            assert getattr(optimizer, "_step_count", 3) == 3
    hvd.remove_process_set(pair)


def check_adasum_optimizer():
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = hvd.DistributedOptimizer(torch.optim.SGD([weight], lr=1.0), op=hvd.Adasum, backward_passes_per_step=2)
    optimizer.set_backward_passes_per_step(3)
    optimizer.synchronize()
    refused(AssertionError, "not supported when using Adasum", optimizer.skip_synchronize)


def check_failed_step():
    """A step that fails, and one after a checkpoint was loaded."""
    os.environ["HOROVOD_FUSION_THRESHOLD"] = "1"  # a bucket for each parameter
    one, two = (torch.nn.Parameter(torch.zeros(size)) for size in (3, 5))
    optimizer = hvd.DistributedOptimizer(torch.optim.SGD([one, two], lr=1.0))
    del os.environ["HOROVOD_FUSION_THRESHOLD"]
    still_open, step = len(_handles._open), type(optimizer).step
    if ranks > 1 and rank == 0:
        refused(hvd.HorovodInternalError, "", lambda: hvd.allreduce(torch.ones(7)))
        hvd.allreduce(torch.ones(3))
    elif ranks > 1:
        (one.sum() + two.sum()).backward()
        refused(hvd.HorovodInternalError, "", optimizer.step)
    optimizer.load_state_dict(optimizer.state_dict())
    assert len(_handles._open) == still_open and type(optimizer).step is step
    optimizer.zero_grad()
    ((one.sum() + two.sum()) * (rank + 1)).backward()
    optimizer.step()
    assert all(torch.equal(p.detach(), torch.full_like(p, -(ranks + 1) / 2)) for p in (one, two))
    assert len(_handles._open) == still_open


def check_join():
    for size in (10, 50_000):  # with the calls, and after them
        for step in range(rank + 1):
            total = hvd.allreduce(torch.ones(size), op=hvd.Sum)
            assert (total == ranks - step).all(), (step, total)
        assert hvd.join() == ranks - 1
    if ranks > 1:  # what a joined rank cannot do is an error on those that call it, and they may join
        if rank > 0:
            refused(hvd.HorovodInternalError, "call different collectives", lambda: hvd.allgather(torch.ones(1)))
        assert hvd.join() >= 0


for check in (check_sums, check_adasum, check_others, check_objects, check_optimizers, check_schedulers, check_adasum_optimizer,
              check_failed_step, check_join, check_alone, check_process_sets):
    check()
if hvd.rank() == 0:
    print("arlab.horovod is right", flush=True)
hvd.shutdown()
hvd.init()  # once more
assert hvd.allreduce(torch.ones(3), op=hvd.Sum).tolist() == [ranks] * 3
hvd.shutdown()
