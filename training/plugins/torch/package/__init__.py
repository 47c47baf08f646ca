"""Collectives and compressors of Allreduce Lab for PyTorch.

    import arlab.torch as arlab  # registers the backend
    arlab.init()  # was: torch.distributed.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(model)
    model.register_comm_hook(None, arlab.compress("powersgd:rank=4"))  # optional: fewer bytes

Start the processes with mpirun, or with torchrun on one machine. Within a machine, collectives go through shared memory;
ARLAB_ALGORITHM=butterfly@16K,ring chooses algorithms by size instead.
"""
import datetime
import os
from typing import Any, Callable, Dict, Optional, Tuple

import torch
import torch.distributed as dist  # loads what the compiled module needs
from torch._C._distributed_c10d import GradBucket, ProcessGroup, Store  # those of dist, which have types here
from torch.distributed.rendezvous import rendezvous

from . import _torch
from .._backends import by_srun, register
from ..virtual import profile, start
from ..virtual._start import need_real_time

__all__ = ["bytes_sent", "compress", "init", "local_rank", "profile", "rank", "world_size"]

Hook = Callable[[Optional[ProcessGroup], GradBucket], "torch.futures.Future[torch.Tensor]"]

register("arlab", _torch.create, ["cpu"])

_stores: Dict[str, Store] = {}  # by address: a job that starts again finds the same one, and uses other names in it
_starts: Dict[str, int] = {}


def _of_launcher(names: Tuple[str, ...], what: str) -> int:
    for name in names:
        if name in os.environ and (by_srun() or not name.startswith("SLURM_")):
            return int(os.environ[name])
    raise RuntimeError(f"arlab: the launcher gives no {what}: start the program with `mpirun -n 2 python3 ...`, or with "
                       "`torchrun --nproc_per_node 2 ...`")


def rank() -> int:
    """This process's rank in the job."""
    return _of_launcher(("OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK", "SLURM_PROCID"), "rank")


def world_size() -> int:
    """The number of processes of the job."""
    return _of_launcher(("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE", "SLURM_STEP_NUM_TASKS"), "number of ranks")


def local_rank() -> int:
    """This process's rank among those of its machine."""
    return _of_launcher(("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "LOCAL_RANK", "SLURM_LOCALID"), "local rank")


def _store_at(method: str, timeout: datetime.timedelta) -> Store:
    """The store of the job. PyTorch 2 makes it of libuv by default, without which Debian 13 builds it."""
    store: Store
    try:
        store, _, _ = next(rendezvous(method, rank(), world_size(), timeout=timeout))
    except RuntimeError as error:
        if "libuv" not in str(error):
            raise
        store, _, _ = next(rendezvous(f"{method}?use_libuv=0", rank(), world_size(), timeout=timeout))
    return store


def init(timeout_seconds: float = 300.0, address: Optional[str] = None, port: int = 29500) -> None:
    """Starts torch.distributed with this backend on all ranks of the job.

    Rank 0's machine is `address`, or the variable MASTER_ADDR, or this machine. A collective that a rank does not come to
    for `timeout_seconds` raises a RuntimeError that names the rank. Further groups have torch.distributed's own default, unless
    new_group() is given a timeout.
    With ARLAB_VIRTUAL=64, this process is rank 0 of 64 in virtual time instead (arlab.virtual).
    """
    if "ARLAB_VIRTUAL" in os.environ:
        start()
        dist.init_process_group("arlab")
        return
    address = address or os.environ.get("MASTER_ADDR", "127.0.0.1")
    port = int(os.environ.get("MASTER_PORT", port))
    timeout = datetime.timedelta(seconds=timeout_seconds)
    method = f"tcp://{address}:{port}"
    if method not in _stores:
        _stores[method] = _store_at(method, timeout)
    _starts[method] = _starts.get(method, 0) + 1
    store = dist.PrefixStore(f"start {_starts[method]}", _stores[method])  # type: ignore[attr-defined]
    store.set_timeout(timeout)
    dist.init_process_group("arlab", store=store, rank=rank(), world_size=world_size(), timeout=timeout)


def compress(spec: str, *, seed: int = 0) -> Hook:
    """Returns a communication hook of DistributedDataParallel that averages gradients by a compressor.

    `spec` names a compressor of `arlab list compressors` with its settings, such as "powersgd:rank=4" or
    "topk:ratio=0.01,feedback=off"; "none" averages like DistributedDataParallel without a hook, to the bit.
    A wrong spec raises a ValueError that names the value. `seed` must be the same on all ranks. A hook keeps
    the state of one model's buckets, so each model needs its own. Its first step is not compressed, since
    DistributedDataParallel cuts its buckets anew after it. The first argument of register_comm_hook() is
    None, or the process group of the model.
    """
    averages = _torch.BucketAverages(spec, seed)
    missing = "arlab.compress()", "use a communication hook of PyTorch, or `arlab plan`, which compares compressors"
    need_real_time(*missing)

    def hook(state: Optional[ProcessGroup], bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
        need_real_time(*missing)  # which init() may have started since
        group: Any = dist.group.WORLD if state is None else state
        work: Any = _torch.average(averages, group, bucket)  # whose get_future() has no type
        averaged: torch.futures.Future[torch.Tensor] = work.get_future().then(lambda future: future.value()[0])
        return averaged

    hook.__name__ = hook.__qualname__ = f"arlab.compress({averages.spec})"
    return hook


def bytes_sent(group: Optional[ProcessGroup] = None) -> int:
    """The bytes that this rank has sent in the collectives of a group, by default that of all ranks.

    It waits for the collectives that were called before. It does not count what MPI's own allreduce sends,
    which ARLAB_ALGORITHM=mpi chooses.
    """
    need_real_time("arlab.bytes_sent()", "json=FILE after the ranks of ARLAB_VIRTUAL has the bytes of a step")
    whose: Any = dist.group.WORLD if group is None else group
    return _torch.bytes_sent(whose)
