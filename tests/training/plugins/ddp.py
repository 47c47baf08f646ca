"""Trains a small network with DistributedDataParallel: ddp.py BACKEND PORT STEPS. Rank 0 prints the last loss and a hash of
all weights. With ARLAB_TEST_STOP=RANK that rank stops itself after three steps."""
import datetime
import hashlib
import os
import signal
import sys

import torch
import torch.distributed as dist

import arlab

backend, port, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.set_num_threads(1)
rank, ranks = arlab.rank(), arlab.world_size()
dist.init_process_group(backend, init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks,
                        timeout=datetime.timedelta(seconds=float(os.environ.get("ARLAB_TEST_TIMEOUT", 60))))
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.BatchNorm1d(128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.02)
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
if rank == 0:
    weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
    print("loss", repr(loss.item()), "weights", hashlib.sha256(weights).hexdigest())
