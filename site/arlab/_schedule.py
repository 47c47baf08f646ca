"""Schedule: what each rank sends, adds, and overwrites, round by round."""
import dataclasses
import html
import json
from typing import Any, Dict, List, Tuple

from ._results import html_table

Record = Dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Schedule:
    """The rounds of all ranks. print() and notebooks show them as a table of steps."""
    algorithm: str
    collective: str
    ranks: int
    root: int
    record: Record = dataclasses.field(repr=False)  # as a schedule file holds it
    text: str = dataclasses.field(repr=False)

    def rounds(self, rank: int, lane: int = 0) -> List[List[Record]]:
        """The rounds of one rank, each a list of {"action": "send", "peer": 1, "chunk": 0, "chunks": 1}."""
        rounds: List[List[Record]] = self.record["lanes"][lane]["ranks"][rank]["rounds"]
        return rounds

    def write(self, file: str) -> None:
        """Writes a schedule file, which all commands take as file:NAME."""
        with open(file, "w", encoding="utf-8") as out:
            json.dump(self.record, out)

    def steps(self) -> Tuple[List[str], List[List[str]]]:
        """The names of columns, and the cells of the table."""
        lines = [line for line in self.text.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        return (cells[0], cells[2:]) if cells else ([], [])

    def frame(self) -> Any:
        """The actions, a row for each, as a DataFrame or list of dicts."""
        from ._results import frame_of
        return frame_of([{"lane": number, "rank": rank["rank"], "round": at, **action}
                         for number, lane in enumerate(self.record["lanes"]) for rank in lane["ranks"]
                         for at, actions in enumerate(rank["rounds"], 1) for action in actions])

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from ._display import animation_of
        heading = [line for line in self.text.splitlines() if line and not line.startswith("|")]
        about = "".join(f"<p>{html.escape(line)}</p>" for line in heading[:2])
        return f"{about}{html_table(*self.steps())}{animation_of(self)}"
