"""A rank that is killed between two collectives: killed.py PORT, on the ranks of torchrun."""
import os
import signal
import sys

import torch
import torch.distributed as dist

import arlab.torch

arlab.torch.init(timeout_seconds=3)
x = torch.ones(70_000)
dist.all_reduce(x)
if dist.get_rank() == 1:
    os.kill(os.getpid(), signal.SIGKILL)
dist.all_reduce(x)
