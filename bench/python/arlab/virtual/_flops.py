"""Computation by FLOPs: what a GPU of `arlab list gpus` would take for the operators that run here."""
# mypy: disable-error-code="no-untyped-call"
from typing import Any, Dict, List

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .._commands import list_gpus
from .._errors import UsageError
from ._profile import tensors_in
from ._session import Session

_PRODUCTS = {"mm": (0, 1), "addmm": (1, 2), "bmm": (0, 1), "baddbmm": (1, 2), "mv": (0, 1), "addmv": (1, 2), "dot": (0, 1)}
_ATTENTION = ("_scaled_dot_product_", "_flash_attention_", "_efficient_attention_")


def product(a: torch.Tensor, b: torch.Tensor) -> int:
    """Of [batch,] m by k, and k by n: two operations for each multiply-add."""
    return 2 * a.numel() * (b.shape[-1] if b.dim() > 1 else 1)


def convolution(data: torch.Tensor, weight: torch.Tensor, output: torch.Tensor, transposed: bool) -> int:
    return 2 * (data if transposed else output).numel() * weight.numel() // weight.shape[0]


def attention(query: torch.Tensor, key: torch.Tensor) -> int:
    """Two products, each of all queries with all keys."""
    return 4 * query.numel() * key.shape[-2]


def flops_of(name: str, args: Any, output: Any) -> Dict[str, int]:
    """Floating-point operations of an operator of ATen, by the rate at which a GPU does them."""
    if name in _PRODUCTS:
        return {"sequences": product(*(args[i] for i in _PRODUCTS[name]))}
    if name == "convolution":
        return {"images": convolution(args[0], args[1], output, args[6])}
    if name == "convolution_backward":
        return {"images": convolution(args[1], args[2], args[0], args[7]) * sum(args[10][:2])}
    if name.startswith(_ATTENTION):
        backward = name.endswith("backward")  # which computes one product again, and four
        return {"sequences": attention(args[1], args[2]) * 5 // 2 if backward else attention(args[0], args[1])}
    return {}


def rate_of(gpu: str, precision: str) -> Dict[str, Any]:
    """The rates of a GPU, operations and bytes per second, as `arlab plan --compute gpu=` takes them."""
    known = {entry["name"]: entry for entry in list_gpus()}
    if gpu not in known:
        raise UsageError(f"ARLAB_VIRTUAL: gpu is '{gpu}': give one of {', '.join(known)}")
    rates = {rate["precision"]: rate for rate in known[gpu]["rates"]}
    if precision and precision not in rates:
        raise UsageError(f"ARLAB_VIRTUAL: precision is '{precision}': {gpu} was measured in {', '.join(rates)}")
    rate = rates[precision] if precision else known[gpu]["rates"][0]
    return {**rate, "memory": known[gpu]["memory_reached"], "label": f"{known[gpu]['label']}, {rate['precision']}"}


def moves(operator: Any) -> bool:
    """Whether an operator reads or writes elements: not so views, and memory that is not set yet."""
    aliases = [result.alias_info for result in operator._schema.returns]
    return not operator.overloadpacket.__name__.startswith("empty") and not any(one is not None and not one.is_write for one in aliases)


def bytes_of(args: Any, output: Any) -> int:
    """Of the tensors that an operator reads, and of those that it writes."""
    tensors: List[torch.Tensor] = [*tensors_in(list(args)), *tensors_in(output)]
    return sum(tensor.element_size() * tensor.numel() for tensor in tensors)


class FlopClock(TorchDispatchMode):
    """Lets virtual time pass as operators run: by their FLOPs, and in the optimizer by the bytes that they move."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._rate = rate_of(session.settings.gpu, session.settings.precision)
        self.label = self._rate["label"]

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = operator(*args, **(kwargs or {}))
        session = self._session
        if not session.clock.paused():
            name = operator.overloadpacket.__name__
            seconds = sum(count / self._rate[kind] for kind, count in flops_of(name, args, output).items())
            if session.in_optimizer and moves(operator):
                seconds += bytes_of(args, output) / self._rate["memory"]
            if seconds:
                session.clock.compute(seconds * session.settings.slowdown)
        return output


def begin(session: Session) -> None:
    """From now on, until this process ends."""
    mode = FlopClock(session)
    session.device = mode.label
    mode.__enter__()
