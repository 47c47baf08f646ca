"""As much of Horovod's API as its MNIST example needs, over Gloo: the example's model is wrapped in DistributedDataParallel instead."""
import os
import types

import torch.distributed as dist

Average = Adasum = None
Compression = types.SimpleNamespace(none=None, fp16=None)


def init():
    """Starts Gloo on the ranks of mpirun."""
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    dist.init_process_group("gloo", rank=int(os.environ["OMPI_COMM_WORLD_RANK"]), world_size=int(os.environ["OMPI_COMM_WORLD_SIZE"]))


def rank():
    """This process's rank."""
    return dist.get_rank()


def size():
    """The number of processes."""
    return dist.get_world_size()


def allreduce(tensor, name=None):
    """The average."""
    dist.all_reduce(tensor)
    return tensor / size()


def broadcast_parameters(params, root_rank):
    """DistributedDataParallel does it."""


def broadcast_optimizer_state(optimizer, root_rank):
    """An optimizer that has not made a step has no state."""


def DistributedOptimizer(optimizer, **options):
    """The optimizer itself: DistributedDataParallel averages the gradients."""
    return optimizer
