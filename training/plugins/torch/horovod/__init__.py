"""Horovod's API for PyTorch, over the backend of Allreduce Lab.

    import arlab.horovod as hvd  # was: import horovod.torch as hvd

Start the processes with mpirun, or with torchrun on one machine. Tensors are on the CPU. Collectives go by the order in which they
are called, which is the same on all ranks; names are for people. Beside Horovod's compressors, Compression has those of
`arlab list compressors`: Compression.of("powersgd:rank=4").
"""
from ._compression import Compression
from ._handles import Adasum, Average, HorovodInternalError, Max, Min, Product, ReduceOp, Sum, poll, synchronize
from ._job import (ProcessSet, add_process_set, cross_rank, cross_size, global_process_set, init, is_homogeneous, is_initialized,
                   local_rank, local_size, rank, remove_process_set, shutdown, size)
from ._objects import allgather_object, broadcast_object, broadcast_object_fn, broadcast_optimizer_state, broadcast_parameters
from ._ops import (allreduce, allreduce_, allreduce_async, allreduce_async_, barrier, broadcast, broadcast_, broadcast_async,
                   broadcast_async_, grouped_allreduce, grouped_allreduce_, grouped_allreduce_async, grouped_allreduce_async_, join)
from ._optimizer import DistributedOptimizer
from ._rows import (allgather, allgather_async, alltoall, alltoall_async, grouped_allgather, grouped_allgather_async,
                    grouped_reducescatter, grouped_reducescatter_async, reducescatter, reducescatter_async, sparse_allreduce_async)

__all__ = ["Adasum", "Average", "Compression", "DistributedOptimizer", "HorovodInternalError", "Max", "Min", "ProcessSet",
           "Product", "ReduceOp", "Sum", "add_process_set", "allgather", "allgather_async", "allgather_object", "allreduce",
           "allreduce_", "allreduce_async", "allreduce_async_", "alltoall", "alltoall_async", "barrier", "broadcast", "broadcast_",
           "broadcast_async", "broadcast_async_", "broadcast_object", "broadcast_object_fn", "broadcast_optimizer_state",
           "broadcast_parameters", "ccl_built", "cross_rank", "cross_size", "cuda_built", "ddl_built", "global_process_set",
           "gloo_built", "gloo_enabled", "grouped_allgather", "grouped_allgather_async", "grouped_allreduce", "grouped_allreduce_",
           "grouped_allreduce_async", "grouped_allreduce_async_", "grouped_reducescatter", "grouped_reducescatter_async", "init",
           "is_homogeneous", "is_initialized", "join", "local_rank", "local_size", "mpi_built", "mpi_enabled",
           "mpi_threads_supported", "nccl_built", "poll", "rank", "reducescatter", "reducescatter_async", "remove_process_set",
           "rocm_built", "shutdown", "size", "sparse_allreduce_async", "synchronize"]

_MISSING = {
    "SyncBatchNorm": "use BatchNorm, whose statistics are those of each rank",
    "elastic": "start the job again from a checkpoint",
    "run": "start the script with mpirun or torchrun",
    "start_timeline": "use torch.profiler",
    "stop_timeline": "use torch.profiler",
}


def mpi_built() -> bool:
    """Whether the backend can use MPI."""
    return True


def mpi_enabled() -> bool:
    """Whether a launcher of MPI has started this process."""
    from . import _job
    return _job.by_mpi()


def mpi_threads_supported() -> bool:
    """Whether threads of the program may call MPI beside the backend: no, they would have to take turns with it."""
    return False


def _no() -> bool:
    return False


gloo_built = gloo_enabled = ccl_built = cuda_built = ddl_built = rocm_built = _no


def nccl_built() -> int:
    """No version of NCCL: tensors are on the CPU."""
    return 0


def __getattr__(name: str) -> object:
    if name in _MISSING:
        raise AttributeError(f"arlab.horovod has no {name}: {_MISSING[name]}")
    raise AttributeError(f"module 'arlab.horovod' has no attribute '{name}'")
