"""Times of collectives on the network, each simulated once per size and group."""
import os
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._commands import list_topologies, simulate
from .._errors import UsageError
from .._network import topology

Group = Optional[Tuple[int, ...]]  # ranks of a sub-group; None: all
_BUCKET = 25 << 18                 # elements of DDP's usual bucket, by which `arlab plan` chooses, too
_MOST_MESSAGES = 1_100_000         # of one candidate, as there
_TYPES = {"float32", "float64", "float16", "bfloat16", "int8", "int32", "int64", "uint8"}
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_rules(text: str) -> List[Tuple[float, str]]:
    """Reads "butterfly@16K,ring": algorithms, and the bytes up to which each is used."""
    rules: List[Tuple[float, str]] = []
    for part in text.split(",") if text else []:
        name, at, size = part.partition("@")
        number, unit = (size[:-1], size[-1]) if size[-1:].isalpha() else (size, "")
        if not name or name in ("mpi", "shared") or name.endswith(".json") or at and (not number.isdigit() or unit not in _UNITS):
            raise UsageError(f"ARLAB_ALGORITHM has '{part}', which virtual time cannot simulate: give algorithms of "
                             "`arlab list algorithms` and sizes, as in butterfly@16K,ring")
        rules.append((int(number) * _UNITS[unit] if at else float("inf"), name))
    return rules


def as_planned(network: str) -> str:
    """The network with the latency that `arlab plan` gives to ports of which only the rate is known."""
    return f"{network}:latency=20us" if network[:1].isdigit() and ":" not in network else network


class CollectiveTimes:
    """How long collectives take from the start of all ranks to the end of the last, on an idle network."""

    def __init__(self, network: str, ranks: int, rules: str = "") -> None:
        self._network, self._ranks, self._rules = as_planned(network), ranks, parse_rules(rules)
        self._known: Dict[Any, Tuple[float, str, float]] = {}
        self._folder: Optional["tempfile.TemporaryDirectory[str]"] = None
        self._networks: Dict[Group, str] = {None: self._network}

    def of(self, collective: str, elements: int, dtype: str, size: int, group: Group = None) -> Tuple[float, str]:
        """Returns seconds, and the algorithm. `elements` are those of the whole vector, of `size` bytes each."""
        return self._of(collective, elements, dtype, size, group)[:2]

    def sent_of(self, collective: str, elements: int, dtype: str, size: int, group: Group = None) -> float:
        """Returns the bytes that a rank sends, as a mean."""
        return self._of(collective, elements, dtype, size, group)[2]

    def _of(self, collective: str, elements: int, dtype: str, size: int, group: Group) -> Tuple[float, str, float]:
        ranks = self._ranks if group is None else len(group)
        if ranks == 1 or elements == 0:
            return 0.0, "none", 0.0
        if dtype not in _TYPES:
            elements, dtype = elements * size, "uint8"
        key = collective, elements, dtype, group
        if key not in self._known:
            self._known[key] = self._fastest(collective, elements, dtype, group, self._names(collective, elements * size, group))
        return self._known[key]

    def _names(self, collective: str, size: int, group: Group) -> str:
        """The candidates. One algorithm carries all allreduces, as in `arlab plan`, unless there are rules."""
        ranks = self._ranks if group is None else len(group)
        if collective == "allreduce":
            for most, name in self._rules:
                if size <= most:
                    return name
        if collective in ("broadcast", "reduce"):
            return "tree,chain"
        names = ["rabenseifner", "hierarchical", "circulant"]
        if 2 * ranks * (ranks - 1) <= _MOST_MESSAGES:
            names.insert(0, "ring")
        if collective != "allreduce":
            return ",".join(names)
        key = "chosen", group
        if key not in self._known:
            self._known[key] = self._fastest(collective, _BUCKET, "float32", group, ",".join(names))
        return self._known[key][1]

    def _fastest(self, collective: str, elements: int, dtype: str, group: Group, names: str) -> Tuple[float, str, float]:
        ranks = self._ranks if group is None else len(group)
        segments = "1,16" if "chain" in names else None
        rows: Sequence[Any] = simulate(names, ranks=ranks, elements=elements, dtype=dtype, collective=collective,
                                       network=self._network_of(group), segments=segments)
        timed = [row for row in rows if row.time_us is not None]
        if not timed:
            raise UsageError(f"no time of {collective} on {ranks} ranks of {self._network}: {rows[-1].skipped if rows else names}")
        best = min(timed, key=lambda row: float(row.time_us))
        return best.time_us * 1e-6, best.algorithm, (best.record["bytes_sent"] or 0) / ranks

    def _network_of(self, group: Group) -> str:
        """The network whose first hosts are those of the group: with a file that places it."""
        if group not in self._networks:
            self._networks[group] = self._placed(group or ())
        return self._networks[group]

    def _placed(self, group: Sequence[int]) -> str:
        row = simulate("tree", ranks=self._ranks, elements=1, network=self._network)[0]
        if row.topology == "crossbar":  # all hosts are alike
            return self._network
        if "placement=" in self._network:
            raise UsageError(f"ARLAB_NETWORK={self._network}: a sub-group cannot be placed on a network with its own placement: remove "
                             "placement=")
        whole = self._sized(len(group))
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="arlab-")
        path = os.path.join(self._folder.name, f"group{len(self._networks)}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{rank}\n" for rank in group)
        return f"{whole}{',' if ':' in whole else ':'}placement={path}"

    def _sized(self, ranks: int) -> str:
        """The spec of the network for all ranks with as many sizes as keep it so for fewer."""
        whole = topology(self._network, ranks=self._ranks)
        name, _, settings = whole.name.partition(":")
        given = {key: value for key, _, value in (part.partition("=") for part in settings.split(",") if part)}
        usual: Dict[str, Any] = next((entry["parameters"] for entry in list_topologies() if entry["name"] == name), {})
        counts = {key: one["default"] for key, one in usual.items() if key not in given and one["default"].isdigit()}
        for more in (dict[str, str](), counts):
            spec = f"{name}:" + ",".join(f"{key}={value}" for key, value in [*given.items(), *more.items()])
            try:
                if topology(spec, ranks=ranks).hosts == whole.hosts:
                    return spec
            except UsageError:  # sizes that exclude each other
                continue
        raise UsageError(f"a sub-group of {ranks} ranks cannot be placed on {whole.name}: give all sizes in ARLAB_NETWORK")
