"""A rank whose program ends early, and one that calls a collective too late: ended.py PORT, on 3 ranks of mpirun or torchrun."""
import atexit
import os
import sys
import time

import torch


def calls_too_late():  # before arlab's own: it runs after it
    try:
        torch.distributed.all_reduce(torch.ones(3), group=last)
    except (RuntimeError, ValueError) as error:
        print(f"too late: {error}", flush=True)


atexit.register(calls_too_late)
import torch.distributed as dist  # noqa: E402

import arlab.torch  # noqa: E402

arlab.torch.init(timeout_seconds=60, port=int(sys.argv[1]))
rank = dist.get_rank()
last = dist.group.WORLD


def threads():
    return len(os.listdir("/proc/self/task"))


for number in range(10):
    group = dist.new_group([0, 1, 2])
    for size in (3, 100_000):
        dist.all_reduce(torch.ones(size), group=group)
    dist.destroy_process_group(group)
    del group
    if number == 1:
        few = threads()
assert threads() <= few, (few, threads())  # those of groups that have ended are gone

dist.all_reduce(torch.ones(3))
if rank == 1:
    raise SystemExit(0)
began = time.monotonic()
for size in (3, 100_000):
    try:
        dist.all_reduce(torch.ones(size))
    except RuntimeError as error:
        assert "rank 1 (process " in str(error) and "has left the group: its program has ended" in str(error), error
    else:
        raise AssertionError("returned")
assert time.monotonic() - began < 30
print("left", flush=True)
