"""What travels instead of a tensor."""
from typing import Any, Optional, Tuple

import torch

from arlab.torch import _torch


class Compressor:
    """Changes a tensor before it is reduced, and back."""

    @staticmethod
    def compress(tensor: torch.Tensor) -> Tuple[torch.Tensor, Any]:
        """Returns what travels, and what decompress() needs."""
        return tensor, None

    @staticmethod
    def decompress(tensor: torch.Tensor, ctx: Any) -> torch.Tensor:
        """Returns the tensor in its own type."""
        return tensor if ctx is None else tensor.to(ctx)


class NoneCompressor(Compressor):
    """The tensor itself."""


class FP16Compressor(Compressor):
    """Floating-point numbers in 16 bits."""

    @staticmethod
    def compress(tensor: torch.Tensor) -> Tuple[torch.Tensor, Optional[torch.dtype]]:
        if not tensor.dtype.is_floating_point or tensor.dtype in (torch.float16, torch.bfloat16):
            return tensor, None
        return tensor.to(torch.float16), tensor.dtype


class CatalogCompressor:
    """A compressor of `arlab list compressors`, for DistributedOptimizer: it keeps what it left out for later steps."""

    def __init__(self, spec: str, seed: int = 0) -> None:
        self.spec = _torch.BucketAverages(spec, seed).spec  # a ValueError names what is wrong
        self.seed = seed

    def averages(self) -> Any:
        """The state of one optimizer."""
        return _torch.BucketAverages(self.spec, self.seed)

    def compress(self, tensor: torch.Tensor) -> Tuple[torch.Tensor, Any]:
        """Is refused: a collective of its own has no state."""
        raise ValueError(f"compressor {self.spec} keeps state from step to step: give it to DistributedOptimizer")

    def __repr__(self) -> str:
        return f"Compression.of({self.spec!r})"


class _Compressions(type):
    def __getattr__(cls, name: str) -> CatalogCompressor:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return CatalogCompressor(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None


class Compression(metaclass=_Compressions):
    """Compression.none, .fp16, and each compressor of `arlab list compressors`: .powersgd, or .of("powersgd:rank=4")."""

    none = NoneCompressor
    fp16 = FP16Compressor

    @staticmethod
    def of(spec: str, seed: int = 0) -> CatalogCompressor:
        """The compressor with these settings. `seed` is the same on all ranks."""
        return CatalogCompressor(spec, seed)
