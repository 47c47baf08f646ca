"""Trains with DistributedDataParallel as any script does, for the given number of steps."""
import sys

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 8))
parallel = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(parallel.parameters(), lr=0.05, momentum=0.9)
inputs, labels = torch.randn(32, 256), torch.randint(0, 8, (32,))
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(parallel(inputs), labels).backward()
    optimizer.step()
