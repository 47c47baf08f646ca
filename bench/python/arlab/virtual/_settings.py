"""The two variables: ARLAB_VIRTUAL=64:slowdown=0.1,trace=steps.json and ARLAB_NETWORK=rail_pod:nodes=8."""
import dataclasses
import os
from typing import Dict, Mapping, Tuple

from .._errors import UsageError

MOST_RANKS = 16384  # as `arlab plan`
_MEANINGS = {"slowdown": "a factor on the time of computation, such as 0.1", "time": "virtual: time.time() and its siblings read it",
             "device": "cpu: what the script asks of a GPU runs on the processor", "trace": "a file for Perfetto",
             "profile": "a file for `arlab plan -m profile:FILE`", "gpu": "a100, or another of `arlab list gpus`: computation by FLOPs",
             "precision": "float32, tf32, or mixed, of gpu=", "processes": "real: all ranks compute, as torchrun or mpirun starts them",
             "clock": "processor: computation is the processor's time", "json": "a file of records for `arlab chart`",
             "csv": "a file of several numbers of ranks"}


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run in virtual time is of."""
    ranks: int
    network: str = "10G"
    algorithms: str = ""          # by size, as ARLAB_ALGORITHM; "": the fastest of a few
    slowdown: float = 1.0         # factor on measured computation
    virtual_time: bool = False    # whether the script's clocks read virtual time
    on_cpu: bool = False          # whether CUDA devices are the processor
    trace: str = ""               # file
    profile: str = ""             # file
    gpu: str = ""                 # computation is that of its FLOPs; "": measured
    precision: str = ""           # "": the GPU's usual one
    real: bool = False            # whether each rank is a process
    processor_time: bool = False  # whether computation is measured by the processor's clock
    json: str = ""                # file


def counts_in(text: str) -> Tuple[str, ...]:
    """The numbers of ranks in "8,64,512:slowdown=0.1"."""
    return tuple(text.partition(":")[0].split(","))


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Reads the variables. Throws UsageError for what they cannot mean."""
    text = environment.get("ARLAB_VIRTUAL", "")
    if not text:
        raise UsageError("ARLAB_VIRTUAL is not set: give the number of ranks, as in ARLAB_VIRTUAL=64")
    ranks, _, rest = text.partition(":")
    if "," in ranks:
        raise UsageError(f"ARLAB_VIRTUAL has {len(counts_in(text))} numbers of ranks, and this process can have one: start the script by "
                         "`python3 -m arlab.virtual`, or give one")
    keys = keys_of(rest)
    if "csv" in keys:
        raise UsageError("ARLAB_VIRTUAL: csv is of several numbers of ranks, as in ARLAB_VIRTUAL=8,64,512:csv=scaling.csv")
    if "precision" in keys and "gpu" not in keys:
        raise UsageError("ARLAB_VIRTUAL: precision is of a GPU: add gpu=a100, or leave it out")
    rules = environment.get("ARLAB_ALGORITHM", "")
    return Settings(_ranks_of(ranks), environment.get("ARLAB_NETWORK", "") or "10G", "" if rules == "auto" else rules,
                    _slowdown_of(keys.get("slowdown", "1")), _only(keys, "time", "virtual"), _only(keys, "device", "cpu"),
                    keys.get("trace", ""), keys.get("profile", ""), keys.get("gpu", ""), keys.get("precision", ""),
                    _only(keys, "processes", "real"), _only(keys, "clock", "processor"), keys.get("json", ""))


def keys_of(text: str) -> Dict[str, str]:
    """The settings after the ranks. Throws UsageError for unknown, empty, and repeated ones."""
    keys: Dict[str, str] = {}
    for part in text.split(",") if text else []:
        key, equals, value = part.partition("=")
        if key not in _MEANINGS:
            offers = ", ".join(f"{name} ({meaning})" for name, meaning in _MEANINGS.items())
            raise UsageError(f"ARLAB_VIRTUAL has no setting '{key}': use one of {offers}")
        if not equals or not value:
            raise UsageError(f"ARLAB_VIRTUAL: {key} has no value: give {_MEANINGS[key]}")
        if key in keys:
            raise UsageError(f"ARLAB_VIRTUAL: {key} is there twice: remove one")
        keys[key] = value
    return keys


def _ranks_of(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_RANKS:
        raise UsageError(f"ARLAB_VIRTUAL has '{text}' ranks: give a whole number from 1 to {MOST_RANKS}, as in ARLAB_VIRTUAL=64")
    return int(text)


def _slowdown_of(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1e6:
        raise UsageError(f"ARLAB_VIRTUAL: slowdown is '{text}': give {_MEANINGS['slowdown']}")
    return value


def _only(keys: Mapping[str, str], key: str, value: str) -> bool:
    if keys.get(key, value) != value:
        raise UsageError(f"ARLAB_VIRTUAL: {key} is '{keys[key]}': write {key}={value}, or leave it out")
    return key in keys
