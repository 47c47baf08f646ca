"""A script of Horovod on 4 virtual ranks, and what of arlab.torch and arlab.horovod virtual time does not have."""
import pytest
import torch
import torch.distributed as dist

import arlab
import arlab.horovod as hvd
import arlab.torch
import arlab.virtual

hvd.init()
session, P = arlab.virtual.current(), 4
assert (hvd.size(), hvd.rank(), hvd.local_rank(), hvd.local_size(), dist.get_backend()) == (P, 0, 0, P, "arlab")
value = torch.tensor([2.0, -1])
assert hvd.allreduce(value, op=hvd.Sum).tolist() == [8, -4]
assert [hvd.allreduce(value, op=op).tolist() for op in (hvd.Average, hvd.Adasum, hvd.Min)] == [[2, -1]] * 3
assert hvd.allgather(value.reshape(1, 2)).tolist() == [[2, -1]] * P
assert hvd.reducescatter(torch.ones(5), op=hvd.Sum).tolist() == [4, 4]
assert hvd.broadcast_object({"epoch": 3}, P - 1) == {"epoch": 3} and hvd.allgather_object(7) == [7] * P
handle = hvd.allreduce_async(value)
hvd.poll(handle)
assert hvd.synchronize(handle).tolist() == [2, -1]
some = hvd.add_process_set([0, 2])
assert hvd.allreduce(value, op=hvd.Sum, process_set=some).tolist() == [4, -2]
assert hvd.join() == P - 1


def trained(distribute, scheduler_first=False, steps=3):
    """The weights after some steps, and the last of these."""
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(64, 48), torch.nn.Linear(48, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1) if scheduler_first else None
    optimizer = distribute(optimizer, model)
    schedule = schedule or torch.optim.lr_scheduler.StepLR(optimizer, 1)
    before = len(session.steps)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(4, 64)).square().mean().backward()
        optimizer.step()
        schedule.step()
    assert len(session.steps) == before + steps  # each step ends one of the run
    return torch.cat([one.detach().flatten() for one in model.parameters()]), session.steps[-1]


def distributed(**options):
    def distribute(optimizer, model):
        hvd.broadcast_parameters(model.state_dict(), root_rank=0)
        hvd.broadcast_optimizer_state(optimizer, root_rank=1)
        return hvd.DistributedOptimizer(optimizer, model.named_parameters(), **options)

    return distribute


alone, _ = trained(lambda optimizer, _: optimizer)
for op, calls in ((hvd.Average, 1), (hvd.Adasum, 4)):
    for scheduler_first in (False, True):
        weights, step = trained(distributed(op=op), scheduler_first)
        assert torch.allclose(alone, weights, atol=1e-6) and step.collectives == calls, (op, scheduler_first)
_, usual = trained(distributed())
_, half = trained(distributed(compression=hvd.Compression.fp16))
assert usual.sent == 2 * half.sent > 0

linear = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
for call, text in ((lambda: linear.register_comm_hook(None, arlab.torch.compress("none")), "virtual time has no arlab.compress()"),
                   (arlab.torch.bytes_sent, "virtual time has no arlab.bytes_sent()"),
                   (lambda: trained(distributed(compression=hvd.Compression.powersgd)), "virtual time has no compressor powersgd"),
                   (lambda: hvd.alltoall(torch.ones(P)), "virtual time has no all_to_all"),
                   (lambda: hvd.broadcast_object(1, P), f"root is {P}, but the ranks are 0 to 3")):
    with pytest.raises(arlab.UsageError) as refusal:
        call()
    assert text in str(refusal.value), refusal.value
hvd.shutdown()
print("Horovod is right")
