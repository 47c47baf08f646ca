"""Trains a small network on several processes with DistributedDataParallel over Gloo. Each needs RANK, WORLD_SIZE, MASTER_ADDR, and
MASTER_PORT, as torchrun sets them.

Under this project's backend, one line changes, and mpirun starts the script:

    - torch.distributed.init_process_group("gloo")
    + import arlab; arlab.init()
"""
import torch
import torch.distributed

torch.distributed.init_process_group("gloo")
rank, ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
inputs, teacher = torch.randn(512, 32), torch.randn(32, 4)
labels = (inputs @ teacher).argmax(1)

parallel = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1, momentum=0.9)
for step in range(1, 51):
    batch = torch.arange(64 * step + rank, 64 * (step + 1), ranks) % len(inputs)
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(parallel(inputs[batch]), labels[batch])
    loss.backward()
    optimizer.step()
    torch.distributed.all_reduce(loss.detach().div_(ranks))
    if rank == 0 and step % 10 == 0:
        print(f"step {step}: loss {loss.item():.4f}", flush=True)
torch.distributed.destroy_process_group()
