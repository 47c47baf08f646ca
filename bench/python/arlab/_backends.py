"""Backends of torch.distributed."""
# mypy: disable-error-code="no-untyped-call"
import inspect
from typing import Any, Callable, List

import torch.distributed as dist


def register(name: str, create: Callable[..., Any], devices: List[str], **more: Any) -> None:
    """Registers a backend. PyTorch 1 does not ask for devices, and PyTorch 2 warns if it is not told."""
    if "devices" in inspect.signature(dist.Backend.register_backend).parameters:
        more["devices"] = devices
    dist.Backend.register_backend(name, create, **more)
