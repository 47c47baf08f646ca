"""Allreduce Lab: collective algorithms, proved, counted, drawn, simulated, bounded, and run.

    import arlab

    @arlab.algorithm
    def relay(p, me):
        "A sum that travels up the ranks and back down."
        if me > 0: yield arlab.reduce(me - 1, p.all())
        if me < p.ranks - 1: yield arlab.send(me + 1, p.all())
        if me < p.ranks - 1: yield arlab.replace(me + 1, p.all())
        if me > 0: yield arlab.send(me - 1, p.all())

    print(arlab.verify(relay, ranks=8))
    print(arlab.simulate("ring + relay", ranks=8, size="1M", network="loggops"))

Algorithms, networks, sizes, and ranks are written as on the command line: "ring, tree", "rail_pod:nodes=8", "1K..1M", "2..64".
The backend for PyTorch is arlab.torch; arlab.virtual runs its scripts in virtual time.
"""
from typing import TYPE_CHECKING, Any, Callable

from ._algorithm import Algorithm, Cost, algorithm, registered, unregister
from ._commands import (bound, count, export, list_algorithms, list_backends, list_compressors, list_gpus, list_models, list_schedulers,
                        list_strategies, list_topologies, list_types, plan, run, simulate, verify)
from ._display import show
from ._errors import CheckError, Error, MachineError, UsageError
from ._grade import Verdict, grade
from ._network import Topology, topology
from ._records import read
from ._results import Bound, Counts, Measured, Plan, Proof, Results, Simulated
from ._schedule import Schedule
from ._tune import Choice, Tuning, tune
from ._words import Action, Chunks, Problem, exchange, reduce, replace, send

__all__ = ["Action", "Algorithm", "Bound", "CheckError", "Choice", "Chunks", "Cost", "Counts", "Error", "MachineError", "Measured",
           "Plan", "Problem", "Proof", "Results", "Schedule", "Simulated", "Topology", "Tuning", "UsageError", "Verdict", "algorithm", "bound",
           "count", "exchange", "export", "grade", "list_algorithms", "list_backends", "list_compressors", "list_gpus", "list_models", "list_schedulers",
           "list_strategies", "list_topologies", "list_types", "plan", "read", "reduce", "registered", "replace", "run", "send",
           "show", "simulate", "topology", "tune", "unregister", "verify"]

_OF_TORCH = ("bytes_sent", "compress", "init", "local_rank", "rank", "world_size")  # names of arlab.torch, once of this module

if TYPE_CHECKING:
    __version__: str
    __commit__: str
    bytes_sent: Callable[..., int]
    compress: Callable[..., Any]
    init: Callable[..., None]
    local_rank: Callable[[], int]
    rank: Callable[[], int]
    world_size: Callable[[], int]
else:
    import sys

    def __getattr__(name: str) -> Any:
        if name in _OF_TORCH:
            import importlib
            try:
                return getattr(importlib.import_module("arlab.torch"), name)
            except ModuleNotFoundError as error:
                if error.name != "arlab.torch":
                    raise
                raise MachineError("arlab.torch is not in this installation: build the target arlab_torch_plugin, and install that "
                                   "build's folder python") from None
        if name in ("torch", "virtual"):  # which need PyTorch
            import importlib
            return importlib.import_module(f"arlab.{name}")
        if name in ("__version__", "__commit__"):
            from . import _call
            return getattr(_call.compiled(), name.strip("_"))
        raise AttributeError(f"module 'arlab' has no attribute '{name}'")

    if "torch.distributed" in sys.modules:  # a script that was written when this import registered the backend
        try:
            from . import torch as torch
        except ImportError:
            pass
