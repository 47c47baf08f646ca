"""The processes of the job, and groups of them."""
import os
import zlib
from typing import Any, List, Optional, Sequence, Tuple

import torch.distributed as dist

import arlab.torch

_MPI = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")
_ours = False  # whether init() has started torch.distributed


class ProcessSet:
    """Some ranks of the job: ProcessSet([0, 2]). Collectives take it as process_set once it is added."""

    def __init__(self, ranks: Sequence[int]) -> None:
        self.ranks: Optional[List[int]] = sorted(set(ranks))
        self.process_set_id: Optional[int] = None
        self._group: Any = None

    def size(self) -> int:
        """How many ranks it has."""
        return size() if self.ranks is None else len(self.ranks)

    def rank(self) -> int:
        """This process's rank among them, or -1."""
        return rank() if self.ranks is None else self.ranks.index(rank()) if self.included() else -1

    def included(self) -> bool:
        """Whether this process is one of them."""
        return self.ranks is None or rank() in self.ranks

    def __repr__(self) -> str:
        return f"ProcessSet(process_set_id={self.process_set_id}, ranks={self.ranks})"


global_process_set = ProcessSet([])
global_process_set.ranks = None
_sets: List[ProcessSet] = []


def by_mpi() -> bool:
    """Whether a launcher of MPI has started this process."""
    return any(name in os.environ for name in _MPI)


def _of_launcher(names: Tuple[str, ...], default: int) -> int:
    return next((int(os.environ[name]) for name in names if name in os.environ), default)


def _port() -> int:
    """Jobs of mpirun on one machine meet at different ports."""
    job = os.environ.get("PMIX_NAMESPACE") or os.environ.get("OMPI_MCA_ess_base_jobid") or ""
    return 20000 + zlib.crc32(job.encode()) % 12000 if job else 29500


def init(comm: Optional[Sequence[int]] = None, process_sets: Optional[Sequence[ProcessSet]] = None) -> None:
    """Starts the job, unless torch.distributed runs already with the backend arlab. All ranks call it.

    Without a launcher this process is the only one. A wait may take HOROVOD_GLOO_TIMEOUT_SECONDS, by default 300 s.
    """
    global _ours
    if comm:
        raise ValueError(f"arlab.horovod.init(comm={comm!r}) is not supported: give process_sets=[ProcessSet(ranks)] instead")
    if dist.is_initialized():
        if dist.get_backend() != "arlab":
            raise RuntimeError(f"arlab.horovod needs the backend arlab, but torch.distributed runs with {dist.get_backend()}: leave "
                               "init_process_group() out, or give it \"arlab\"")
    else:
        if not by_mpi() and not any(name in os.environ for name in ("RANK", "SLURM_PROCID")):
            os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
        arlab.torch.init(float(os.environ.get("HOROVOD_GLOO_TIMEOUT_SECONDS", 300)), port=_port())
        _ours = True
    for each in process_sets or ():
        add_process_set(each)


def shutdown() -> None:
    """Ends what init() has started."""
    global _ours
    for each in _sets:
        each.process_set_id = each._group = None
    _sets.clear()
    if _ours and dist.is_initialized():
        dist.destroy_process_group()
    _ours = False


def is_initialized() -> bool:
    """Whether the job has been started, and not ended."""
    return dist.is_initialized() and dist.get_backend() == "arlab"


def _started() -> None:
    if not is_initialized():
        raise ValueError("arlab.horovod has not been initialized: call hvd.init() first")


def rank() -> int:
    """This process's rank."""
    _started()
    return dist.get_rank()


def size() -> int:
    """The number of processes."""
    _started()
    return dist.get_world_size()


def local_rank() -> int:
    """This process's rank among those of its machine."""
    _started()
    return arlab.torch.local_rank()


def local_size() -> int:
    """The number of processes on this machine."""
    _started()
    return _of_launcher(("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "LOCAL_WORLD_SIZE"), size())


def cross_rank() -> int:
    """The number of this process's machine, if all machines have as many processes."""
    return _of_launcher(("GROUP_RANK",), rank() // local_size())


def cross_size() -> int:
    """The number of machines, if all have as many processes."""
    return -(-size() // local_size())


def is_homogeneous() -> bool:
    """Whether all machines may have as many processes as this one."""
    return size() % local_size() == 0


def add_process_set(process_set: Any) -> ProcessSet:
    """Makes a group of a ProcessSet, or a list of ranks. All ranks of the job call it, in the same order."""
    _started()
    its = process_set if isinstance(process_set, ProcessSet) else ProcessSet(process_set)
    if its.ranks is None or its.process_set_id is not None:
        raise ValueError(f"{its} has been added before")
    its._group = dist.new_group(its.ranks)  # type: ignore[no-untyped-call]
    _sets.append(its)
    its.process_set_id = len(_sets)
    return its


def remove_process_set(process_set: ProcessSet) -> bool:
    """Forgets a process set. Returns whether it had been added."""
    if process_set not in _sets:
        return False
    process_set.process_set_id = process_set._group = None
    _sets.remove(process_set)
    return True


def group_of(process_set: ProcessSet) -> Any:
    """The process group, of which this process must be a member."""
    _started()
    if process_set.ranks is None:
        return dist.group.WORLD
    if process_set.process_set_id is None:
        raise ValueError(f"{process_set} has not been added: call hvd.add_process_set() on all ranks first")
    if not process_set.included():
        raise ValueError(f"rank {rank()} is not in {process_set}: only its ranks call its collectives")
    return process_set._group
