"""Ways to train on 64 virtual ranks that hold the same data: the gradients of one, and the times of 64."""
import contextlib

import pytest
import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.optim import ZeroRedundancyOptimizer

import arlab
import arlab.virtual

dist.init_process_group("nccl")
session = arlab.virtual.current()
inputs, labels = torch.randn(32, 256), torch.randint(0, 8, (32,))


def trained(wrap, make=torch.optim.SGD, passes=1, steps=6):
    """The weights after some steps, and the communication of the last one in seconds."""
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 8))
    parallel = wrap(model)
    optimizer = make(parallel.parameters(), lr=0.05, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    for _ in range(steps):
        optimizer.zero_grad()
        for number in range(passes):
            with parallel.no_sync() if number + 1 < passes else contextlib.nullcontext():
                torch.nn.functional.cross_entropy(parallel(inputs), labels).div(passes).backward()
        optimizer.step()
        schedule.step()
    return torch.cat([one.detach().flatten() for one in model.parameters()]), session.steps[-1].communicated


def ddp(model, hook=None, state=None, **options):
    parallel = torch.nn.parallel.DistributedDataParallel(model, **options)
    if hook:
        parallel.register_comm_hook(state, hook)
    return parallel


alone, nothing = trained(lambda model: model)
plain, usual = trained(ddp)
accumulated, once = trained(ddp, passes=2)
sharded, zero = trained(ddp, lambda parameters, **options: ZeroRedundancyOptimizer(parameters, optimizer_class=torch.optim.SGD, **options))
unused, more = trained(lambda model: ddp(model, find_unused_parameters=True, gradient_as_bucket_view=True))
assert torch.equal(alone, unused) and more > usual  # which parameters were used is reduced, too
assert nothing == 0 and torch.equal(alone, plain) and torch.equal(alone, sharded) and torch.allclose(alone, accumulated, atol=1e-6)
assert once == usual and zero > 1.2 * usual  # the broadcasts of six tensors come on top
assert len(session.steps) == 30  # a step of the sharded optimizer is one

def builtin(kind):
    def wrap(model):
        parallel = ddp(model)
        parallel._register_builtin_comm_hook(kind)
        return parallel

    return wrap


rounded, half = trained(lambda model: ddp(model, default_hooks.fp16_compress_hook))
assert 0.45 < half / usual < 0.6, (half, usual)
rounded_too, half_too = trained(builtin(dist.BuiltinCommHookType.FP16_COMPRESS))
plain_too, usual_too = trained(builtin(dist.BuiltinCommHookType.ALLREDUCE))
assert (half_too, usual_too) == (half, usual) and torch.equal(rounded_too, rounded) and torch.equal(plain_too, plain)
state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=2)
_, low_rank = trained(lambda model: ddp(model, powerSGD_hook.powerSGD_hook, state))
assert low_rank < 0.4 * usual, (low_rank, usual)

with pytest.raises(arlab.UsageError, match="overlap_with_ddp"):
    ZeroRedundancyOptimizer(torch.nn.Linear(2, 2).parameters(), optimizer_class=torch.optim.SGD, overlap_with_ddp=True, lr=1)
with pytest.raises(arlab.UsageError, match="not there in virtual time"):
    ZeroRedundancyOptimizer(torch.nn.Linear(2, 2).parameters(), optimizer_class=torch.optim.SGD, lr=1).consolidate_state_dict()
print("all ways are right")
