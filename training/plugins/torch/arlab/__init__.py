"""Collectives of Allreduce Lab for PyTorch.

    import arlab  # registers the backend
    torch.distributed.init_process_group("arlab", init_method=..., rank=arlab.rank(), world_size=arlab.world_size())

Start the processes with mpirun. ARLAB_ALGORITHM=butterfly@16K,ring chooses the algorithms by size.
"""
import os

import torch.distributed  # noqa: F401  loads what the module needs

from . import _arlab  # noqa: F401  registers the backend

__all__ = ["init", "local_rank", "rank", "world_size"]


def _of_launcher(names: tuple[str, ...], what: str) -> int:
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    raise RuntimeError(f"arlab: the launcher gives no {what}: start the program with `mpirun -n 2 python3 ...`")


def rank() -> int:
    """This process's rank in the MPI job."""
    return _of_launcher(("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"), "rank")


def world_size() -> int:
    """The number of processes of the MPI job."""
    return _of_launcher(("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"), "number of ranks")


def local_rank() -> int:
    """This process's rank among those of its machine."""
    return _of_launcher(("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"), "local rank")


def init(timeout_seconds: float = 300.0, address: str | None = None, port: int = 29500) -> None:
    """Starts torch.distributed with this backend on all ranks of the MPI job.

    Rank 0's machine is `address`, or the variable MASTER_ADDR, or this machine.
    """
    import datetime

    address = address or os.environ.get("MASTER_ADDR", "127.0.0.1")
    port = int(os.environ.get("MASTER_PORT", port))
    torch.distributed.init_process_group(
        "arlab", init_method=f"tcp://{address}:{port}", rank=rank(), world_size=world_size(),
        timeout=datetime.timedelta(seconds=timeout_seconds))
