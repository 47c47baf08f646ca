"""Starts a process for each rank: own_processes.py process|start_processes"""
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, ranks):
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    parallel = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    parallel(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    print(f"rank {rank} of {dist.get_world_size()}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "start_processes":
        mp.start_processes(run, args=(2,), nprocs=2, start_method="fork")
    else:
        processes = [mp.get_context("fork").Process(target=run, args=(rank, 2)) for rank in range(2)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
