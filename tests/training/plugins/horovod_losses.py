"""Trains Horovod's MNIST network by arlab.horovod and by DistributedDataParallel, step by step: horovod_losses.py STEPS. Rank 0
prints the largest difference of a loss."""
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "training" / "plugins" / "torch" / "example"))
import horovod_mnist  # noqa: E402

import arlab.horovod as hvd  # noqa: E402

hvd.init()
torch.set_num_threads(1)
STEPS, BATCH = int(sys.argv[1]), 8
images, labels = horovod_mnist.digits(512).tensors


def train(by_horovod, set_to_none=False):
    """Returns the loss of each step, averaged over the ranks."""
    torch.manual_seed(7)
    model = horovod_mnist.Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)
    net = model
    if by_horovod:
        if hvd.rank() > 0:
            with torch.no_grad():
                for p in model.parameters():
                    p.zero_()  # the root's must come
        hvd.broadcast_parameters(model.state_dict(), root_rank=0)
        hvd.broadcast_optimizer_state(optimizer, root_rank=0)
        optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
    else:
        net = torch.nn.parallel.DistributedDataParallel(model)
    torch.manual_seed(hvd.rank())  # of dropout
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad(set_to_none=set_to_none)
        first = BATCH * (step * hvd.size() + hvd.rank()) % len(images)
        loss = F.nll_loss(net(images[first:first + BATCH]), labels[first:first + BATCH])
        loss.backward()
        optimizer.step()
        losses.append(hvd.allreduce(loss.detach(), name="loss").item())
    return torch.tensor(losses, dtype=torch.float64)


ours, theirs = train(True), train(False)
apart = (ours - theirs).abs().max().item()
assert len(set(ours.tolist())) == STEPS, ours
again = (train(True, set_to_none=True) - ours).abs().max().item()  # buckets are copied, or are the gradients
if hvd.rank() == 0:
    print(f"{hvd.size()} ranks: losses differ by {max(apart, again):.2e}", flush=True)
hvd.shutdown()
