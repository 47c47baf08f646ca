"""Trains with arlab.compress() as the communication hook of DistributedDataParallel: compression.py PORT. Rank 0 says when
all is right."""
import sys

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook

import arlab

torch.set_num_threads(1)
arlab.init(timeout_seconds=60, port=int(sys.argv[1]))
rank, ranks = dist.get_rank(), dist.get_world_size()
BUCKET_MB = 0.005  # several buckets
generator = torch.Generator().manual_seed(7)
inputs, teacher = torch.randn(960, 64, generator=generator), torch.randn(64, 10, generator=generator)
labels = (inputs @ teacher).argmax(1)


def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(64, 48), torch.nn.ReLU(), torch.nn.Linear(48, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))


def parallel(model, hook=None, state=None):
    its = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=BUCKET_MB)
    if hook is not None:
        its.register_comm_hook(state, hook)
    return its


def train(hook, steps, optimizer=lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), state=None):
    """Returns the weights, the loss of each step averaged over the ranks, and the bytes that all ranks sent in the last step."""
    model = network()
    its = parallel(model, hook, state)
    update, losses, before = optimizer(its.parameters()), [], 0
    for step in range(steps):
        if step == steps - 1:
            before = arlab.bytes_sent()
        batch = slice(96 * (step % 10) + rank * 96 // ranks, 96 * (step % 10) + (rank + 1) * 96 // ranks)
        update.zero_grad()
        loss = torch.nn.functional.cross_entropy(its(inputs[batch]), labels[batch])
        loss.backward()
        update.step()
        losses.append(loss.detach())
    sent = torch.tensor([arlab.bytes_sent() - before])
    dist.all_reduce(sent)
    average = torch.stack(losses)
    dist.all_reduce(average, dist.ReduceOp.AVG)
    return torch.cat([p.detach().flatten() for p in model.parameters()]), average, sent.item()


def same_on_all_ranks(weights):
    every = [torch.empty_like(weights) for _ in range(ranks)]
    dist.all_gather(every, weights)
    return all(torch.equal(each, weights) for each in every)


def refused(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"not refused: {text}")


refused(ValueError, "unknown compressor 'powersdg', did you mean 'powersgd'?", lambda: arlab.compress("powersdg"))
refused(ValueError, "rank", lambda: arlab.compress("powersgd:rank=0"))
refused(ValueError, "feedback of compressor topk is 'yes': give on or off", lambda: arlab.compress("topk:feedback=yes"))
assert arlab.compress("powersgd").__qualname__ == "arlab.compress(powersgd:rank=4,warm=1,feedback=on)"

# Without a compressor: to the bits of DistributedDataParallel.
plain, plain_losses, plain_bytes = train(None, 12)
dense, dense_losses, dense_bytes = train(arlab.compress("none"), 12)
assert torch.equal(dense, plain) and torch.equal(dense_losses, plain_losses) and dense_bytes == plain_bytes
floats = sum(p.numel() for p in network().parameters())
assert plain_bytes == 2 * (ranks - 1) * 4 * floats, plain_bytes

# PowerSGD converges like PyTorch's own hook, and sends r (a + b) of each a x b matrix, as that does.
state = PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=2, min_compression_rate=1)
_, theirs, their_bytes = train(powerSGD_hook, 60, state=state)
weights, losses, sent = train(arlab.compress("powersgd:rank=2"), 60)
assert same_on_all_ranks(weights)
assert losses[-10:].mean() < 0.6 * losses[:10].mean(), losses
assert abs(losses[-10:].mean() - theirs[-10:].mean()) < 0.1 * theirs[-10:].mean(), (losses[-10:].mean(), theirs[-10:].mean())
assert sent == their_bytes, (sent, their_bytes)
shapes = [p.shape for p in network().parameters()]
code = sum(2 * (s[0] + s[1]) if len(s) == 2 else s.numel() for s in shapes)
assert sent == 2 * (ranks - 1) * 4 * code, (sent, code)

# One compressor of each kind of exchange.
for spec in ("fp16", "topk:ratio=0.1", "threshold", "int8", "onebit_adam:freeze=3"):
    weights, losses, _ = train(arlab.compress(spec), 8, lambda p: torch.optim.SGD(p, lr=0.01))
    assert same_on_all_ranks(weights) and torch.isfinite(losses).all(), spec


class Constant(torch.nn.Module):
    """Its gradients are the same in every step: a row of each rank's numbers per parameter."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(2000)) for _ in range(3)])

    def forward(self, number):
        return sum((row * (torch.arange(2000) % 7 + number)).sum() for row in self.rows)


def sums_of_gradients(spec, steps):
    its = parallel(Constant(), arlab.compress(spec))
    sums = [torch.zeros(2000) for _ in its.module.rows]
    for step in range(steps):
        its.zero_grad()
        its(float(rank + 1)).backward()
        if step > 0:  # the first step is dense
            sums = [before + row.grad for before, row in zip(sums, its.module.rows)]
    return sums


# Error feedback of each bucket survives: what one step leaves out, a later one sends.
exact = 40 * (torch.arange(2000) % 7 + (ranks + 1) / 2)
for total in sums_of_gradients("topk:ratio=0.1", 41):
    assert (total - exact).abs().mean() < 0.3 * exact.mean(), (total - exact).abs().mean()
for total in sums_of_gradients("topk:ratio=0.1,feedback=off", 41):
    assert (total == 0).any()

# A hook belongs to one model of float32, and to this backend.
hook = arlab.compress("fp16")
train(hook, 3)
other = parallel(torch.nn.Linear(7, 5), hook)
refused(RuntimeError, "bucket 0 has other tensors than in the step before: give each model a compressor of its own",
        lambda: other(torch.ones(1, 7)).sum().backward())
double = parallel(torch.nn.Linear(7, 5).double(), arlab.compress("fp16"))
refused(RuntimeError, "a bucket's gradients are Double: train in float32", lambda: double(torch.ones(1, 7).double()).sum().backward())
gloo = dist.new_group(backend="gloo")
foreign = parallel(torch.nn.Linear(7, 5), arlab.compress("fp16"), gloo)
refused((RuntimeError, ValueError), "needs a group of the backend arlab, not of gloo", lambda: foreign(torch.ones(1, 7)).sum().backward())
refused(ValueError, "arlab.bytes_sent() needs a group of the backend arlab", lambda: arlab.bytes_sent(gloo))
dist.destroy_process_group()
if rank == 0:
    print("all averages are right")
