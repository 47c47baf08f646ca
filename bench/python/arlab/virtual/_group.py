"""The process group of virtual ranks: values as if all ranks held the same, and times of the simulator."""
# mypy: disable-error-code="name-defined, misc"
import math
from typing import Any, List, Optional, Sequence

import torch
import torch.distributed as dist

from .._errors import UsageError
from ._session import Session
from ._work import Work

_SAME = ("AVG", "MIN", "MAX", "BAND", "BOR")  # of equal values: the value


def reduced(tensor: torch.Tensor, op: Any, ranks: int) -> None:
    """Makes of a tensor what a reduction over ranks with this tensor gives."""
    name = next((one for one in ("SUM", "PRODUCT", "BXOR", *_SAME) if op == getattr(dist.ReduceOp, one)), "")
    if not name:
        raise UsageError(f"virtual time cannot reduce by {op}: use SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, or BXOR")
    if name in _SAME or tensor.dtype == torch.bool and name != "BXOR" or ranks == 1:
        return
    with torch.no_grad():
        if name == "SUM":
            tensor.mul_(ranks)
        elif name == "PRODUCT":
            tensor.pow_(ranks)
        elif ranks % 2 == 0:
            tensor.zero_()


def check_root(root: int, ranks: int) -> None:
    if not 0 <= root < ranks:
        raise UsageError(f"root is {root}, but the ranks are 0 to {ranks - 1}: choose one of those")


class VirtualGroup(dist.ProcessGroup):
    """A group whose rank 0, this process, stands for all."""

    def __init__(self, session: Session, rank: int, size: int, ranks: Sequence[int]) -> None:
        super().__init__(rank, size)
        self._session, self._count, self.asked = session, size, session.asked
        whole = not ranks or list(ranks) == list(range(session.settings.ranks))
        self._ranks = None if whole else tuple(ranks)

    def getBackendName(self) -> str:
        return "virtual"

    def name(self) -> str:
        return "virtual"

    def _carry(self, collective: str, tensors: Sequence[torch.Tensor], results: List[torch.Tensor], copies: int = 1) -> Work:
        """Starts a collective of a vector that `copies` times the tensors make."""
        first = tensors[0] if tensors else torch.empty(1)
        same = all(tensor.dtype == first.dtype for tensor in tensors)
        size = first.element_size() if same else 1
        elements = copies * (sum(t.numel() if same else t.numel() * t.element_size() for t in tensors) if tensors else 1)
        dtype = str(first.dtype).rpartition(".")[2] if same else "uint8"
        end = self._session.carry(collective, elements, dtype, size, self._ranks, self._arrived())
        return Work(self._session, end, results)

    def _arrived(self) -> Optional[float]:
        """When the last rank is there; None: with this one."""
        return None

    def _paused(self, tensors: Sequence[torch.Tensor]) -> Any:
        """The clock, which stands while values are made. What a GPU still computes counts before."""
        if any(tensor.is_cuda for tensor in tensors):
            torch.cuda.synchronize()
        return self._session.clock

    def _check_root(self, opts: Any) -> None:
        if opts is not None:
            check_root(opts.rootRank, self._count)

    def _refuse(self, what: str, instead: str) -> Any:
        raise UsageError(f"virtual time has no {what}: {instead}")

    def allreduce(self, tensors: List[torch.Tensor], opts: Any = None) -> Work:
        with self._paused(tensors):
            for tensor in tensors:
                reduced(tensor, opts.reduceOp if opts is not None else dist.ReduceOp.SUM, self._count)
            return self._carry("allreduce", tensors, tensors)

    allreduce_coalesced = allreduce

    def broadcast(self, tensors: List[torch.Tensor], opts: Any = None) -> Work:
        self._check_root(opts)
        with self._paused(tensors):
            return self._carry("broadcast", tensors, tensors)

    def reduce(self, tensors: List[torch.Tensor], opts: Any) -> Work:
        self._check_root(opts)
        with self._paused(tensors):
            if opts.rootRank == self.rank():
                for tensor in tensors:
                    reduced(tensor, opts.reduceOp, self._count)
            return self._carry("reduce", tensors, tensors)

    def barrier(self, opts: Any = None) -> Work:
        with self._session.clock:
            return self._carry("allreduce", [], [])

    def allgather(self, outputs: List[List[torch.Tensor]], inputs: List[torch.Tensor], opts: Any = None) -> Work:
        with self._paused(inputs), torch.no_grad():
            for parts, tensor in zip(outputs, inputs):
                for part in parts:
                    part.copy_(tensor)
            return self._carry("all_gather", inputs, [part for parts in outputs for part in parts], self._count)

    def allgather_coalesced(self, outputs: List[List[torch.Tensor]], inputs: List[torch.Tensor], opts: Any = None) -> Work:
        with self._paused(inputs), torch.no_grad():
            for parts in outputs:  # of one rank each
                for part, tensor in zip(parts, inputs):
                    part.copy_(tensor)
            return self._carry("all_gather", inputs, [part for parts in outputs for part in parts], self._count)

    def _allgather_base(self, output: torch.Tensor, tensor: torch.Tensor, opts: Any = None) -> Work:
        with self._paused([tensor]), torch.no_grad():
            self._check_blocks("all_gather", output, tensor)
            self._fill(output, tensor.reshape(1, -1).expand(self._count, -1))
            return self._carry("all_gather", [tensor], [output], self._count)

    def _fill(self, output: torch.Tensor, rows: torch.Tensor) -> None:
        """Copies what the ranks have into an output, whose memory may have gaps."""
        if output.is_contiguous():
            output.view(self._count, -1).copy_(rows.reshape(self._count, -1))
        else:
            output.copy_(rows.reshape(output.shape))

    def reduce_scatter(self, outputs: List[torch.Tensor], inputs: List[List[torch.Tensor]], opts: Any) -> Work:
        with self._paused(outputs), torch.no_grad():
            for output, parts in zip(outputs, inputs):
                output.copy_(parts[self.rank()])
                reduced(output, opts.reduceOp, self._count)
            return self._carry("reduce_scatter", [part for parts in inputs for part in parts], outputs)

    def _reduce_scatter_base(self, output: torch.Tensor, tensor: torch.Tensor, opts: Any) -> Work:
        with self._paused([tensor]), torch.no_grad():
            self._check_blocks("reduce_scatter", tensor, output)
            output.copy_(tensor.reshape(self._count, -1)[self.rank()].view_as(output))
            reduced(output, opts.reduceOp, self._count)
            return self._carry("reduce_scatter", [tensor], [output])

    def _check_blocks(self, what: str, whole: torch.Tensor, block: torch.Tensor) -> None:
        if whole.numel() != self._count * block.numel():
            raise UsageError(f"{what}: {whole.numel()} elements are not {self._count} times {math.prod(block.shape)}: give a tensor with a "
                             "block for each rank")

    def alltoall(self, *_: Any) -> Any:
        return self._refuse("all_to_all", "ranks that are alike hold nothing for each other; use all_gather, or real ranks")

    alltoall_base = alltoall

    def gather(self, *_: Any) -> Any:
        return self._refuse("gather", "use all_gather, or real ranks")

    def scatter(self, *_: Any) -> Any:
        return self._refuse("scatter", "use broadcast, or real ranks")

    def send(self, *_: Any) -> Any:
        return self._refuse("messages between two ranks", "one rank stands for all, as in data-parallel jobs; use real ranks")

    recv = recv_anysource = send


def create(session: Session, options: Any) -> Optional[VirtualGroup]:
    """What torch.distributed calls for each new group."""
    if session.settings.real:
        from ._processes import ProcessesGroup
        return ProcessesGroup(session, options)
    return VirtualGroup(session, options.group_rank, options.group_size, list(options.global_ranks_in_group or []))
