"""Real ranks in virtual time: each process computes, Gloo exchanges the values, and the simulator says how long that takes."""
# mypy: disable-error-code="attr-defined, override"
import os
from typing import Any, List, Optional

import torch
import torch.distributed as dist

from .._backends import by_srun
from .._errors import UsageError
from ._group import VirtualGroup
from ._session import Session
from ._work import Message, Work

_VARIABLES = {"RANK": ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"),
              "WORLD_SIZE": ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"),
              "LOCAL_RANK": ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")}
_CARRIED = {torch.bool: torch.uint8, torch.bfloat16: torch.float32, torch.int16: torch.int32}  # for Gloo, which cannot reduce all types


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    """The elements as bytes, which Gloo moves whatever their type is; those of a tensor with gaps are a copy."""
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def name_ranks(ranks: int) -> None:
    """Names this process's rank as torchrun does, where mpirun or Slurm started it. Throws UsageError for another number of processes."""
    for name, others in _VARIABLES.items():
        names = [other for other in others if by_srun() or not other.startswith("SLURM_")]
        found = next((os.environ[other] for other in names if other in os.environ), None)
        if found is not None:
            os.environ.setdefault(name, found)
    started = os.environ.get("WORLD_SIZE")
    if started is not None and started != str(ranks):
        raise UsageError(f"ARLAB_VIRTUAL has {ranks} ranks, and {started} processes were started: with processes=real, both are the same")


def check_launched(ranks: int, rank: int, world_size: int) -> None:
    """Throws UsageError if neither the script nor a launcher says which rank this process is. What the script does not say is -1."""
    if rank < 0 and "RANK" not in os.environ or world_size < 0 and "WORLD_SIZE" not in os.environ:
        raise UsageError(f"processes=real needs {ranks} processes, and nothing has started them: start the script by `mpirun -n {ranks} "
                         f"python3 -m arlab.virtual ...` or `torchrun --nproc_per_node {ranks} -m arlab.virtual ...`")


class ProcessesGroup(VirtualGroup):
    """A group of processes. A collective begins when the last of them could begin it."""

    def __init__(self, session: Session, options: Any) -> None:
        super().__init__(session, options.group_rank, options.group_size, list(options.global_ranks_in_group or []))
        self._gloo: Any = dist.ProcessGroupGloo(dist.PrefixStore("values", options.store), options.group_rank, options.group_size,
                                                timeout=options.timeout)
        session.at_end.append(self._close)

    def _close(self) -> None:
        self._gloo = None  # whose threads must end before the process does

    def _arrived(self) -> Optional[float]:
        latest = torch.tensor([self._session.earliest()], dtype=torch.float64)
        self._sum(latest, dist.ReduceOp.MAX)
        return float(latest)

    def _sum(self, tensor: torch.Tensor, op: Any) -> None:
        ops: Any = dist.ReduceOp
        average = op == ops.AVG
        if tensor.dtype == torch.bool:  # a sum is whether any is true, a product whether all are
            if average:
                raise UsageError("virtual time cannot reduce bools by AVG: convert them to float32 first")
            op = ops.MAX if op == ops.SUM else ops.MIN if op == ops.PRODUCT else op
        options = dist.AllreduceOptions()
        options.reduceOp = ops.SUM if average else op
        carried = tensor.to(_CARRIED.get(tensor.dtype, tensor.dtype)).contiguous()
        self._gloo.allreduce([carried], options).wait()
        if average:
            carried.div_(self._count, rounding_mode=None if carried.is_floating_point() or carried.is_complex() else "trunc")
        if carried is not tensor:
            tensor.copy_(carried)

    def allreduce(self, tensors: List[torch.Tensor], opts: Any = None) -> Work:
        with self._paused(tensors), torch.no_grad():
            for tensor in tensors:
                self._sum(tensor, opts.reduceOp if opts is not None else dist.ReduceOp.SUM)
            return self._carry("allreduce", tensors, tensors)

    allreduce_coalesced = allreduce

    def broadcast(self, tensors: List[torch.Tensor], opts: Any = None) -> Work:
        self._check_root(opts)
        with self._paused(tensors), torch.no_grad():
            for tensor in tensors:
                data = _bytes_of(tensor)
                self._gloo.broadcast([data], opts).wait()
                if not tensor.is_contiguous():
                    tensor.copy_(data.view(tensor.dtype).view(tensor.shape))
            return self._carry("broadcast", tensors, tensors)

    def reduce(self, tensors: List[torch.Tensor], opts: Any) -> Work:
        self._check_root(opts)
        with self._paused(tensors), torch.no_grad():
            for tensor in tensors:
                whole = tensor.clone()
                self._sum(whole, opts.reduceOp)
                if opts.rootRank == self.rank():
                    tensor.copy_(whole)
            return self._carry("reduce", tensors, tensors)

    def _gathered(self, tensor: torch.Tensor) -> List[torch.Tensor]:
        parts = [torch.empty_like(tensor, memory_format=torch.contiguous_format) for _ in range(self._count)]
        self._gloo.allgather([[_bytes_of(part) for part in parts]], [_bytes_of(tensor)]).wait()
        return parts

    def allgather(self, outputs: List[List[torch.Tensor]], inputs: List[torch.Tensor], opts: Any = None) -> Work:
        with self._paused(inputs), torch.no_grad():
            for parts, tensor in zip(outputs, inputs):
                for part, found in zip(parts, self._gathered(tensor)):
                    part.copy_(found)
            return self._carry("all_gather", inputs, [part for parts in outputs for part in parts], self._count)

    def allgather_coalesced(self, outputs: List[List[torch.Tensor]], inputs: List[torch.Tensor], opts: Any = None) -> Work:
        return self.allgather([list(parts) for parts in zip(*outputs)], inputs, opts)

    def _allgather_base(self, output: torch.Tensor, tensor: torch.Tensor, opts: Any = None) -> Work:
        with self._paused([tensor]), torch.no_grad():
            self._check_blocks("all_gather", output, tensor)
            self._fill(output, torch.stack(self._gathered(tensor)))
            return self._carry("all_gather", [tensor], [output], self._count)

    def reduce_scatter(self, outputs: List[torch.Tensor], inputs: List[List[torch.Tensor]], opts: Any) -> Work:
        with self._paused(outputs), torch.no_grad():
            for output, parts in zip(outputs, inputs):
                for rank, part in enumerate(parts):
                    whole = part.clone()
                    self._sum(whole, opts.reduceOp)
                    if rank == self.rank():
                        output.copy_(whole)
            return self._carry("reduce_scatter", [part for parts in inputs for part in parts], outputs)

    def _reduce_scatter_base(self, output: torch.Tensor, tensor: torch.Tensor, opts: Any) -> Work:
        with self._paused([tensor]), torch.no_grad():
            self._check_blocks("reduce_scatter", tensor, output)
            whole = tensor.clone()
            self._sum(whole, opts.reduceOp)
            output.copy_(whole.reshape(self._count, -1)[self.rank()].view_as(output))
            return self._carry("reduce_scatter", [tensor], [output])

    def _world_rank(self, rank: int) -> int:
        return rank if self._ranks is None else self._ranks[rank]

    def _took(self, tensor: torch.Tensor, peer: int) -> float:
        pair = tuple(sorted((self._world_rank(self.rank()), self._world_rank(peer))))
        return self._session.times.of("broadcast", tensor.numel(), str(tensor.dtype).rpartition(".")[2], tensor.element_size(), pair)[0]

    def send(self, tensors: List[torch.Tensor], peer: int, tag: int) -> Work:
        with self._paused(tensors):
            end = self._session.earliest() + self._took(tensors[0], peer)
            self._session.network_free = end
            stamp = torch.tensor([end], dtype=torch.float64)
            exchanged = [self._gloo.send([one], peer, tag) for one in (stamp, *tensors)]
            return Message(self._session, end, tensors, exchanged, stamp)

    def recv(self, tensors: List[torch.Tensor], peer: int, tag: int) -> Work:
        with self._paused(tensors):
            stamp = torch.zeros(1, dtype=torch.float64)
            exchanged = [self._gloo.recv([one], peer, tag) for one in (stamp, *tensors)]
            return Message(self._session, 0.0, tensors, exchanged, stamp)

    def recv_anysource(self, *_: Any) -> Any:
        return self._refuse("messages from any rank", "name the source")

    def alltoall(self, *_: Any) -> Any:
        return self._refuse("all_to_all", "the simulator has no times of it; use all_gather")

    alltoall_base = alltoall

    def gather(self, *_: Any) -> Any:
        return self._refuse("gather", "the simulator has no times of it; use all_gather")

    def scatter(self, *_: Any) -> Any:
        return self._refuse("scatter", "the simulator has no times of it; use broadcast")
