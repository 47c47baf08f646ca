"""Trains a small network with DistributedDataParallel over both backends: ddp.py PORT STEPS. Rank 0 prints the last loss and a
hash of all weights for each. With ARLAB_TEST_STOP=RANK that rank stops itself after three steps of the first, ours."""
import hashlib
import os
import signal
import sys

import torch
import torch.distributed as dist

import arlab

port, steps = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(1)
arlab.init(timeout_seconds=float(os.environ.get("ARLAB_TEST_TIMEOUT", 60)), port=int(port))
rank, ranks = dist.get_rank(), dist.get_world_size()


def train(backend):
    group = dist.group.WORLD if backend == "arlab" else dist.new_group(backend=backend)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.BatchNorm1d(128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.02, process_group=group)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1, momentum=0.9)
    generator = torch.Generator().manual_seed(7)
    inputs, labels = torch.randn(640, 64, generator=generator), torch.randint(10, (640,), generator=generator)
    loss = torch.zeros(())
    for step in range(steps):
        if step == 3 and os.environ.get("ARLAB_TEST_STOP") == str(rank):
            os.kill(os.getpid(), signal.SIGSTOP)
        batch = slice(64 * (step % 10), 64 * (step % 10 + 1))
        mine = slice(rank * 64 // ranks, (rank + 1) * 64 // ranks)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(ddp(inputs[batch][mine]), labels[batch][mine])
        loss.backward()
        optimizer.step()
    weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
    return f"{backend}: loss {loss.item()!r} weights {hashlib.sha256(weights).hexdigest()}"


for each in ("arlab", "gloo"):
    line = train(each)
    if rank == 0:
        print(line, flush=True)
