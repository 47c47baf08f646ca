"""Ranks that do not come to what the others wait for, though they run: late.py PORT, on 3 ranks of mpirun. Each case has a group of
its own, with a timeout of one second."""
import datetime
import sys
import time

import torch
import torch.distributed as dist

import arlab

torch.set_num_threads(1)
arlab.init(timeout_seconds=60, port=int(sys.argv[1]))
rank = dist.get_rank()


def sleeps():
    time.sleep(4)


def computes():
    end = time.monotonic() + 4
    while time.monotonic() < end:
        sum(range(10000))


def sums(group):
    dist.all_reduce(torch.ones(4), group=group)


def sums_many(group):
    dist.all_reduce(torch.ones(1_000_000), group=group)


def takes(group):
    dist.broadcast(torch.ones(4), 0, group=group)


for call, missing, does in ((dist.barrier, 1, sleeps), (sums_many, 2, computes), (takes, 0, sleeps)):
    group = dist.new_group(timeout=datetime.timedelta(seconds=1))
    sums(group)
    dist.barrier()
    began = time.monotonic()
    if rank == missing:
        does()
    else:
        for _ in (False, True):  # the group has failed, and says so at once
            try:
                call(group)
            except RuntimeError as error:
                text = str(error)
                assert " timeout after 1 s: " in text and f"rank {missing} (process " in text, text
                assert not any(f"rank {r} (process" in text for r in range(3) if r != missing), text
            else:
                raise AssertionError(f"{call.__name__} returned without rank {missing}")
            waited = time.monotonic() - began
            assert waited >= 0.9, waited
    dist.barrier()  # all others go on

# One that comes late, but before the others give up, is no longer late afterwards.
group = dist.new_group(timeout=datetime.timedelta(seconds=1))
sums(group)
for seconds in (1.6, 0.4, 0.4, 1.6, 0.4):
    if rank == 1:
        time.sleep(seconds)
    sums(group)
    sums_many(group)
dist.barrier()

# A message that is not sent, and one that is not received.
group = dist.new_group(timeout=datetime.timedelta(seconds=1))
if rank == 0:
    for call, text in ((lambda: dist.recv(torch.ones(3), 1, group), "rank 1 (process"), (lambda: dist.recv(torch.ones(3), None, group), "no rank"),
                       (lambda: dist.send(torch.ones(1_000_000), 2, group), "rank 2 (process")):
        try:
            call()
        except RuntimeError as error:
            assert " timeout after 1 s: " in str(error) and text in str(error), error
        else:
            raise AssertionError("returned")
dist.barrier()
if rank == 0:
    print("every missing rank was named", flush=True)
