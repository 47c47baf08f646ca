"""A processor in the place of GPUs, for scripts that name CUDA devices."""
# mypy: ignore-errors
from typing import Any, Callable

import torch

from . import _start

_MAKERS = ("arange", "as_tensor", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones", "ones_like", "rand", "rand_like",
           "randint", "randint_like", "randn", "randn_like", "randperm", "tensor", "zeros", "zeros_like")
_NOTHING = ("set_device", "synchronize", "empty_cache", "reset_peak_memory_stats", "manual_seed", "manual_seed_all")


def _placed(device: Any) -> Any:
    """The processor for CUDA devices and their numbers; other values stay."""
    is_cuda = isinstance(device, torch.device) and device.type == "cuda" or isinstance(device, str) and device.split(":")[0] == "cuda"
    return torch.device("cpu") if is_cuda or isinstance(device, int) and not isinstance(device, bool) else device


def _make(make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    if "device" in kwargs:
        kwargs["device"] = _placed(kwargs["device"])
    return make(*args, **kwargs)


def _to(to: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    return _make(to, self, *[_placed(one) for one in args[:1]], *args[1:], **kwargs)


def replace_cuda() -> None:
    """Replaces what moves to CUDA devices, and what makes tensors there."""
    for name in _MAKERS:
        _start.wrapped(torch, name, _make)
    _start.wrapped(torch.Tensor, "to", _to)
    _start.wrapped(torch.nn.Module, "to", _to)
    torch.Tensor.cuda = lambda self, *_, **__: self
    torch.nn.Module.cuda = lambda self, *_, **__: self
    for name in _NOTHING:
        setattr(torch.cuda, name, lambda *_, **__: None)
    torch.cuda.device_count = lambda: 1
    torch.cuda.current_device = lambda: torch.device("cpu")
    torch.cuda.get_device_name = lambda *_, **__: "the processor"
