"""Backends of torch.distributed, and launchers of its ranks."""
# mypy: disable-error-code="no-untyped-call"
import inspect
import os
from typing import Any, Callable, List

import torch.distributed as dist


def register(name: str, create: Callable[..., Any], devices: List[str], **more: Any) -> None:
    """Registers a backend. PyTorch 1 does not ask for devices, and PyTorch 2 warns if it is not told."""
    if "devices" in inspect.signature(dist.Backend.register_backend).parameters:
        more["devices"] = devices
    dist.Backend.register_backend(name, create, **more)


def by_srun() -> bool:
    """Whether srun has started this process. The script of a batch job is alone, and has SLURM_PROCID and SLURM_NTASKS, too."""
    step = os.environ.get("SLURM_STEP_ID", "")
    return step.isdigit() and int(step) < 0xFFFFFFF0  # Slurm's steps batch, extern, and interactive have the numbers above
