"""Groups that end and start again, by a file and by an address: again.py PORT FOLDER, on the ranks of mpirun or torchrun."""
import os
import sys
import time

import torch
import torch.distributed as dist

import arlab.torch

port, folder = sys.argv[1:3]
os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"  # a store of its own for each start
rank, ranks = arlab.torch.rank(), arlab.torch.world_size()
for method in (f"file://{folder}/1", f"file://{folder}/2", *2 * [f"tcp://127.0.0.1:{port}"]):
    dist.init_process_group("arlab", init_method=method, rank=rank, world_size=ranks)
    for size in (3, 100_000):
        x = torch.full((size,), float(rank + 1))
        dist.all_reduce(x)
        assert (x == ranks * (ranks + 1) / 2).all()
    pair = dist.new_group([0, 1])
    dist.broadcast(x, 1, group=pair)
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        print("right", flush=True)
    else:
        time.sleep(0.3)  # rank 0 ends its store, and starts the next one
