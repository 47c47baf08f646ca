"""Which algorithm to use for each number of ranks and size."""
import dataclasses
import json
from typing import Any, Dict

from . import _call, _commands
from ._results import Results, show_size, show_time


@dataclasses.dataclass(frozen=True)
class Choice:
    """The fastest algorithm for a number of ranks and a size."""
    ranks: int
    bytes: int
    algorithm: str
    segments: int
    time_us: float
    record: _call.Record = dataclasses.field(default_factory=dict, repr=False, compare=False)

    def cells(self) -> Dict[str, str]:
        return {"ranks": str(self.ranks), "size": show_size(self.bytes), "algorithm": self.algorithm,
                "segments": "" if self.segments == 1 else str(self.segments), "time": show_time(self.time_us)}


class Tuning(Results[Choice]):
    """Choices, and the tuning table that `arlab run auto:table=FILE` takes."""

    def __init__(self, rows: Any, table_text: str) -> None:
        super().__init__(rows)
        self.table_text = table_text

    def write(self, file: str) -> None:
        """Writes the tuning table."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.table_text)


def tune(algorithms: Any = "all", ranks: Any = 4, size: Any = "1K..1Mx4", network: Any = None, **options: Any) -> Tuning:
    """Simulates candidates on a network, and chooses among them. `arlab tune` measures them, on MPI."""
    simulated = _commands.simulate(algorithms, ranks, size, network, **options)
    found = json.loads(_call.compiled().choices(json.dumps(simulated.records), "arlab.tune in Python"))
    rows = [Choice(c["ranks"], c["bytes"], c["algorithm"], c["segments"], c["time_us"], c) for c in found["choices"]]
    return Tuning(rows, found["table"])
