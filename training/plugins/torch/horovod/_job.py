"""The processes of the job, and groups of them."""
import datetime
import os
import zlib
from typing import Any, List, Optional, Sequence, Tuple, Union

import torch.distributed as dist

import arlab.torch
from arlab._backends import by_srun
from arlab.virtual import current

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


def _launched() -> bool:
    """Whether a launcher, or virtual time, says which rank this process is."""
    return "ARLAB_VIRTUAL" in os.environ or by_mpi() or "RANK" in os.environ or by_srun()


def init(comm: Optional[Sequence[int]] = None, process_sets: Union[None, str, Sequence[ProcessSet]] = None) -> None:
    """Starts the job, unless torch.distributed runs already with the backend arlab. All ranks call it.

    Without a launcher this process is the only one. A wait may take HOROVOD_GLOO_TIMEOUT_SECONDS, by default 300 s. `process_sets`
    are added at once; "dynamic" has no effect, since more may always be added.
    """
    global _ours
    if comm:
        raise ValueError(f"arlab.horovod.init(comm={comm!r}) is not supported: give process_sets=[ProcessSet(ranks)] instead")
    if isinstance(process_sets, str):
        if process_sets.lower() != "dynamic":
            raise ValueError(f"process_sets is {process_sets!r}: give a list of ProcessSet, or \"dynamic\"")
        process_sets = None
    running = dist.is_initialized()
    if running:
        if dist.get_backend() != "arlab":
            raise RuntimeError(f"arlab.horovod needs the backend arlab, but torch.distributed runs with {dist.get_backend()}: leave "
                               "init_process_group() out, or give it \"arlab\"")
    else:
        seconds = float(os.environ.get("HOROVOD_GLOO_TIMEOUT_SECONDS", 300))
        if _launched():
            arlab.torch.init(seconds, port=_port())
        else:
            store = dist.HashStore()  # type: ignore[attr-defined]  # no port, which another lone process may have
            dist.init_process_group("arlab", store=store, rank=0, world_size=1, timeout=datetime.timedelta(seconds=seconds))
        _ours = True
    try:
        for each in process_sets or ():
            add_process_set(each)
    except BaseException:
        if not running:
            shutdown()
        raise


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
    return arlab.torch.local_rank() if _launched() or size() > 1 else 0


def alike() -> bool:
    """Whether this process stands for all ranks, in virtual time."""
    session = current()
    return session is not None and not session.settings.real


def holds(root: int) -> bool:
    """Whether this process has what the root has."""
    return rank() == root or alike()


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
