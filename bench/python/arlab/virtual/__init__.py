"""Virtual time: one process stands for all ranks of a data-parallel PyTorch script, which stays as it is.

    ARLAB_VIRTUAL=64 ARLAB_NETWORK=10G python3 -m arlab.virtual train.py ...

Collectives return what they would if all ranks held the same values, and take the time that the simulator says. Computation takes the
time that it takes here. At the end: the time of a step, and what of it is communication. It needs PyTorch.
"""
from .._errors import MachineError
from . import _files  # before PyTorch: what it does at exit comes last

try:
    import torch.distributed
except ImportError as error:
    raise MachineError(f"virtual time needs PyTorch ({error}): apt install python3-torch, or pip install torch") from error
if not torch.distributed.is_available():
    raise MachineError("virtual time needs a PyTorch with torch.distributed: pip install torch")

from ._profile import Profile, profile
from ._session import Session, Summary
from ._settings import Settings
from ._start import current, start

__all__ = ["Profile", "Session", "Settings", "Summary", "current", "profile", "start"]
