"""DistributedOptimizer: averages gradients while they are computed."""
import contextlib
import functools
import os
import warnings
import weakref
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Set, Tuple

import torch

from arlab.torch import _torch
from arlab.virtual._start import need_real_time

from . import _job
from ._compression import CatalogCompressor, Compression
from ._handles import Adasum, Average, HorovodInternalError, ReduceOp, Sum, add_handle, checked_op, synchronize
from ._job import ProcessSet, global_process_set
from ._ops import allreduce_async_
from ._rows import sparse_allreduce_async


class _Bucket:
    """Gradients that travel together: views of one vector."""

    def __init__(self, index: int, parameters: List[torch.nn.Parameter]) -> None:
        self.index, self.parameters = index, parameters
        self.vector = torch.zeros(sum(p.numel() for p in parameters), dtype=parameters[0].dtype)
        pieces = self.vector.split([p.numel() for p in parameters])  # type: ignore[no-untyped-call]
        self.views = {p: piece.view(p.shape) for p, piece in zip(parameters, pieces)}
        self.ready: Dict[torch.nn.Parameter, bool] = {}
        self.handle: Optional[int] = None


def _buckets_of(parameters: List[torch.nn.Parameter]) -> List[_Bucket]:
    """The last layers first, as their gradients come: the first bucket short, so that it leaves soon."""
    most = int(os.environ.get("HOROVOD_FUSION_THRESHOLD", 25 << 20))
    limit, bytes_ = min(most, 1 << 20), 0
    lists: List[List[torch.nn.Parameter]] = []
    for p in reversed(parameters):
        size = p.numel() * p.element_size()
        if not lists or lists[-1][0].dtype != p.dtype or bytes_ >= limit:
            limit, bytes_ = (most if lists else limit), 0
            lists.append([])
        lists[-1].append(p)
        bytes_ += size
    return [_Bucket(index, its) for index, its in enumerate(lists)]


def _keep_own_step(optimizer: Any) -> None:
    """A scheduler that was there first has given the optimizer a step() of its own, which counts and calls that of the class it had then.

    It now comes after ours, within _plain_step(). In its place is one that calls ours, with the marks by which schedulers know theirs.
    """
    own = vars(optimizer).get("step")
    if own is None or getattr(own, "by_class", False):  # that of virtual time calls the step of the class it finds
        return
    weak = weakref.ref(optimizer)

    @functools.wraps(own)
    def step(*arguments: Any, **named: Any) -> Any:
        its: Any = weak()
        return type(its).step(its, *arguments, **named)

    optimizer._own_step, optimizer.step = own, step


def _plain_step(optimizer: Any, closure: Any) -> Any:
    """The step that the optimizer would take alone."""
    own = vars(optimizer).get("_own_step")
    return own(closure) if own else super(optimizer.__class__, optimizer).step(closure)


class _Distributed:
    """What DistributedOptimizer adds to the class of an optimizer."""

    param_groups: Any  # the optimizer's
    _smalls: List[Tuple[torch.Tensor, torch.Tensor, Any]]

    def _begin(self, compression: Any, passes: int, op: ReduceOp, factor: float, sparse_as_dense: bool, process_set: ProcessSet) -> None:
        self._compression, self._passes, self._op, self._factor = compression, passes, op, factor
        self._sparse_as_dense, self._process_set = sparse_as_dense, process_set
        self._averages = compression.averages() if isinstance(compression, CatalogCompressor) else None
        self._synchronized, self._should_synchronize = False, True
        parameters = [p for group in self.param_groups for p in group["params"] if p.requires_grad]
        for p in parameters:
            if not p.is_cpu:
                raise ValueError(f"a parameter is on {p.device}: arlab takes tensors on the CPU, move the model there")
        self._sparse: Set[torch.nn.Parameter] = set()  # those whose gradients are sparse
        self._sparse_dims: Dict[torch.nn.Parameter, int] = {}  # those whose gradients were sparse, and travel dense
        self._make_buckets(parameters)
        self._counts = dict.fromkeys(parameters, 0)
        self._next = 0  # bucket that has not left
        self._accumulators = []
        self._active = process_set.included() and (_job.size() > 1 or self._averages is not None)  # others train by themselves
        if self._active:
            for p in parameters:
                accumulator = p.expand_as(p).grad_fn.next_functions[0][0]
                accumulator.register_hook(self._hook_of(p))
                self._accumulators.append(accumulator)  # or its hook ends with it

    def _make_buckets(self, parameters: List[torch.nn.Parameter]) -> None:
        self._buckets = _buckets_of(parameters)
        self._bucket_of = {p: bucket for bucket in self._buckets for p in bucket.parameters}

    def _hook_of(self, p: torch.nn.Parameter) -> Callable[..., None]:
        def hook(*_: Any) -> None:
            if p not in self._bucket_of:  # sparse: travels in synchronize()
                return
            bucket = self._bucket_of[p]
            if p in bucket.ready:
                raise AssertionError("Gradients were computed more than backward_passes_per_step times before call to step(). "
                                     "Increase backward_passes_per_step to accumulate gradients locally.")
            self._counts[p] += 1
            if self._counts[p] == self._passes:
                self._add(bucket, p)
                self._launch(all_of=False)

        return hook

    def _add(self, bucket: _Bucket, p: torch.nn.Parameter) -> None:
        view = bucket.views[p]
        with torch.no_grad():
            if p.grad is None:
                view.zero_()
            elif p.grad.is_sparse and not self._sparse_as_dense:
                self._sparse.add(p)
                view.zero_()
            elif p.grad.is_sparse:
                self._sparse_dims[p] = p.grad.sparse_dim()
                view.copy_(p.grad.to_dense())
            elif p.grad.data_ptr() != view.data_ptr():
                view.copy_(p.grad)
        if p not in self._sparse:
            p.grad = view
        bucket.ready[p] = True

    def _finish_sparse(self) -> None:
        """Averages sparse gradients, in the order of parameters. Their places in the buckets, full of zeros, go after the first step."""
        for p, dims in self._sparse_dims.items():
            p.grad = self._bucket_of[p].views[p].to_sparse(dims)
        self._sparse_dims.clear()
        if not self._sparse:
            return
        parameters = [p for group in self.param_groups for p in group["params"] if p in self._counts]
        waits = [(p, sparse_allreduce_async(p.grad, None, self._op, self._process_set)) for p in parameters if p in self._sparse]
        for p, wait in waits:
            p.grad = wait()
        if any(p in self._bucket_of for p in self._sparse):
            self._make_buckets([p for p in parameters if p not in self._sparse])

    def _launch(self, all_of: bool) -> None:
        """Buckets leave in the same order on all ranks."""
        while self._next < len(self._buckets):
            bucket = self._buckets[self._next]
            if all_of:
                for p in bucket.parameters:
                    if p not in bucket.ready:
                        self._add(bucket, p)
            if len(bucket.ready) < len(bucket.parameters):
                return
            bucket.handle = self._reduce(bucket)
            self._next += 1

    def _reduce(self, bucket: _Bucket) -> int:
        vector = bucket.vector
        if self._averages:
            last = bucket.index + 1 == len(self._buckets)
            parts = [bucket.views[p] for p in bucket.parameters]
            work = _torch.average_of(self._averages, _job.group_of(self._process_set), bucket.index, last, vector, parts)
            return add_handle(work, lambda: vector)
        small, context = self._compression.compress(vector)
        average = self._op is Average
        handle = allreduce_async_(small, op=self._op, prescale_factor=1 / self._factor if average else 1.0,
                                  postscale_factor=self._factor if average else 1.0, process_set=self._process_set)
        if small is vector:
            return handle
        self._smalls.append((vector, small, context))
        return handle

    def synchronize(self) -> None:
        """Waits for the averages. Gradients of parameters that were not used are zeros."""
        if self._active:
            self._launch(all_of=True)
            for bucket in self._buckets:
                assert bucket.handle is not None  # all have left
                synchronize(bucket.handle)
                bucket.handle = None
                bucket.ready.clear()
            for vector, small, context in self._smalls:
                vector.copy_(self._compression.decompress(small, context))
            self._smalls.clear()
            self._finish_sparse()
            self._counts = dict.fromkeys(self._counts, 0)
            self._next = 0
        self._synchronized = True

    @contextlib.contextmanager
    def skip_synchronize(self) -> Iterator[None]:
        """step() within it does not synchronize: call synchronize() before."""
        self._should_synchronize = False
        try:
            yield
        finally:
            self._should_synchronize = True

    def set_backward_passes_per_step(self, passes: int) -> None:
        """How many backward passes come before each step."""
        self._passes = passes

    def step(self, closure: Any = None) -> Any:
        """Waits for the averages, and updates the parameters."""
        if self._should_synchronize:
            if self._synchronized:
                warnings.warn("optimizer.step() called without optimizer.skip_synchronize() context after optimizer.synchronize(). The "
                              "gradients are averaged twice: call step() within `with optimizer.skip_synchronize():`", stacklevel=2)
            self.synchronize()
        self._synchronized = False
        return _plain_step(self, closure)

    def zero_grad(self, *arguments: Any, **named: Any) -> Any:
        """As that of the optimizer. It must not come between backward() and step()."""
        if any(bucket.ready for bucket in self._buckets):
            raise AssertionError("optimizer.zero_grad() was called after loss.backward() but before optimizer.step() or "
                                 "optimizer.synchronize(). This is prohibited as it can cause a race condition.")
        plain: Any = super(self.__class__, self)
        return plain.zero_grad(*arguments, **named)

    def load_state_dict(self, *arguments: Any, **named: Any) -> Any:
        """As that of the optimizer. What a step that failed has left is forgotten: a script may go on from a checkpoint."""
        for bucket in self._buckets:
            if bucket.handle is not None:
                with contextlib.suppress(HorovodInternalError, ValueError):  # it has been said, and its handle is closed
                    synchronize(bucket.handle)
                bucket.handle = None
            bucket.ready.clear()
        self._smalls.clear()
        self._sparse_dims.clear()
        self._counts, self._next = dict.fromkeys(self._counts, 0), 0
        self._synchronized, self._should_synchronize = False, True
        plain: Any = super(self.__class__, self)
        return plain.load_state_dict(*arguments, **named)


class _AdasumSteps:
    """What DistributedOptimizer adds for Adasum: the steps of the ranks are combined, not their gradients."""

    param_groups: Any  # the optimizer's
    _compression: Any
    _process_set: ProcessSet

    def synchronize(self) -> None:
        """Does nothing: step() waits for what it sends."""

    def skip_synchronize(self) -> Any:
        """Is refused, as by Horovod."""
        raise AssertionError("Skipping synchronization is not supported when using Adasum optimizer.")

    def set_backward_passes_per_step(self, passes: int) -> None:
        """Has no effect: each step takes the gradients of all passes since zero_grad()."""

    def step(self, closure: Any = None) -> Any:
        """Updates the parameters by the combination of what each rank would do."""
        parameters = [p for group in self.param_groups for p in group["params"]]
        before = [p.detach().clone() for p in parameters]
        loss = _plain_step(self, closure)
        with torch.no_grad():
            for p, old in zip(parameters, before):
                small, context = self._compression.compress(p - old)
                handle = allreduce_async_(small, op=Adasum, process_set=self._process_set)
                p.copy_(old + self._compression.decompress(synchronize(handle), context))
        return loss


def _names_of(optimizer: torch.optim.Optimizer, named: Optional[Iterable[Tuple[str, Any]]]) -> Dict[torch.nn.Parameter, str]:
    """The names of parameters, checked; without names, their places."""
    if named is None:
        return {p: f"allreduce.noname.{i}.{j}" for i, group in enumerate(optimizer.param_groups) for j, p in enumerate(group["params"])}
    pairs = list(named)
    if any(not isinstance(pair, tuple) for pair in pairs):
        raise ValueError("named_parameters should be a sequence of tuples (name, parameter), usually produced by model.named_parameters().")
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Parameter names in named_parameters must be unique. Found duplicates: {', '.join(twice)}")
    known = {id(p) for _, p in pairs}
    unnamed = sum(1 for group in optimizer.param_groups for p in group["params"] if id(p) not in known)
    if unnamed:
        raise ValueError(f"named_parameters was specified, but {unnamed} model parameters were not named: give all of them")
    return {p: name for name, p in pairs}


def DistributedOptimizer(optimizer: torch.optim.Optimizer, named_parameters: Optional[Iterable[Tuple[str, Any]]] = None,
                         compression: Any = Compression.none, backward_passes_per_step: int = 1, op: ReduceOp = Average,
                         gradient_predivide_factor: float = 1.0, num_groups: int = 0, groups: Any = None,
                         sparse_as_dense: bool = False, process_set: ProcessSet = global_process_set) -> Any:
    """Returns the optimizer with a step() that first averages the gradients of all ranks, which begins while backward() runs.

    `backward_passes_per_step` passes are added before. `compression` is one of Compression. `num_groups` and `groups` have no effect:
    gradients travel in buckets of up to HOROVOD_FUSION_THRESHOLD bytes, 25 MiB by default.
    """
    its = checked_op(op)
    if its not in (Average, Sum, Adasum):
        raise ValueError(f"DistributedOptimizer by {its} is not supported: use hvd.Average, hvd.Sum, or hvd.Adasum")
    if gradient_predivide_factor != 1.0 and its is not Average:
        raise ValueError(f"gradient_predivide_factor={gradient_predivide_factor} needs op=hvd.Average, not {its}")
    if isinstance(compression, CatalogCompressor) and its is not Average:
        raise ValueError(f"compressor {compression.spec} averages: use op=hvd.Average, not {its}")
    if isinstance(compression, CatalogCompressor):
        need_real_time(f"compressor {compression.spec}", "use hvd.Compression.fp16, or `arlab plan`, which compares compressors")
    if backward_passes_per_step < 1:
        raise ValueError(f"backward_passes_per_step is {backward_passes_per_step}: give 1 or more")
    if process_set.included():
        _job.group_of(process_set)
    names = _names_of(optimizer, named_parameters)
    added = _AdasumSteps if its is Adasum else _Distributed
    members = {name: value for name, value in added.__dict__.items() if name not in ("__dict__", "__weakref__")}
    members["step"].hooked = True  # or load_state_dict() wraps it in PyTorch's hooks, which the optimizer's own step() has
    made = type(optimizer.__class__.__name__, (optimizer.__class__,), members)
    optimizer.__class__ = made  # the caller's optimizer, so that its settings and state stay
    _keep_own_step(optimizer)
    grown: Any = optimizer
    grown._parameter_names = names
    if its is Adasum:
        grown._compression, grown._process_set = compression, process_set
    else:
        grown._smalls = []
        grown._begin(compression, backward_passes_per_step, its, gradient_predivide_factor, sparse_as_dense, process_set)
    return optimizer
