"""A processor in the place of GPUs, for scripts that name CUDA devices."""
# mypy: disable-error-code="attr-defined, assignment, return-value"
import types
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


def _load(load: Callable[..., Any], file: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
    """torch.load: a file may name devices, too."""
    if map_location is None or isinstance(map_location, (str, torch.device)):
        map_location = torch.device("cpu")
    return load(file, map_location, *args, **kwargs)


def replace_cuda(ranks: int) -> None:
    """Replaces what moves to CUDA devices, and what makes tensors there. There is a device for each rank, as in one machine."""
    for name in _MAKERS:
        _start.wrapped(torch, name, _make)
    _start.wrapped(torch.Tensor, "to", _to)
    _start.wrapped(torch.nn.Module, "to", _to)
    torch.Tensor.cuda = lambda self, *_, **__: self
    torch.nn.Module.cuda = lambda self, *_, **__: self
    for name in _NOTHING:
        setattr(torch.cuda, name, lambda *_, **__: None)
    _start.wrapped(torch, "load", _load)
    torch.cuda.device_count = lambda: ranks
    torch.cuda.current_device = lambda: torch.device("cpu")
    torch.cuda.get_device_name = lambda *_, **__: "the processor"
    _replace_accelerator(ranks)


def _replace_accelerator(ranks: int) -> None:
    """The names of PyTorch 2.6, also in older ones, whose scripts do not have them."""
    if not hasattr(torch, "accelerator"):
        torch.accelerator = types.SimpleNamespace()
    torch.accelerator.is_available = lambda: True
    torch.accelerator.device_count = lambda: ranks
    torch.accelerator.current_accelerator = lambda *_, **__: torch.device("cuda")
    torch.accelerator.current_device_index = lambda: 0
    torch.accelerator.set_device_index = torch.accelerator.set_device_idx = torch.accelerator.synchronize = lambda *_, **__: None
    if not hasattr(torch.distributed, "get_default_backend_for_device"):
        torch.distributed.get_default_backend_for_device = lambda *_: "nccl"
