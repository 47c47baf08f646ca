"""Results: rows of plain objects, as tables and data frames."""
import dataclasses
import html
from typing import Any, Dict, Generic, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union, overload

from ._call import Record, _importable

Row = TypeVar("Row")


def flat(record: Record, prefix: str = "") -> Record:
    """A record without nested objects: {"time_us": {"median": 1}} is {"time_us_median": 1}. Lists stay."""
    result: Record = {}
    for key, value in record.items():
        if isinstance(value, dict):
            result.update(flat(value, f"{prefix}{key}_"))
        else:
            result[prefix + key] = value
    return result


def frame_of(records: Sequence[Record]) -> Any:
    """A pandas DataFrame of flat records if pandas is there, else the list of them."""
    rows = [flat(record) for record in records]
    if "pandas" not in _importable():
        return rows
    import pandas  # type: ignore[import]
    return pandas.DataFrame(rows)


def show_time(us: Optional[float]) -> str:
    if us is None:
        return ""
    for unit, factor in (("s", 1e6), ("ms", 1e3), ("us", 1.0), ("ns", 1e-3)):
        if abs(us) >= factor or unit == "ns":
            return f"{us / factor:.4g} {unit}"
    return ""


def show_rate(per_second: float) -> str:
    """All digits of a large one, four of a small one."""
    return f"{per_second:.0f}" if per_second >= 1000 else f"{per_second:.4g}"


def show_factor(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 1000 else f"{factor:.3g}"


def show_size(count: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} B"


@dataclasses.dataclass(frozen=True)
class Proof:
    """That every rank ends with every contribution exactly once, and without deadlock; or what is wrong."""
    algorithm: str
    collective: str
    ranks: int
    root: int
    right: bool
    fault: str                       # empty if it is right
    same_on_all_ranks: bool          # rounding is the same everywhere
    bracketing: str                  # how a rank adds up the first chunk, such as ((0+1)+2)
    line: int = 0                    # of the generator that yields the wrong action; 0: not known
    skipped: str = ""                # why there is no proof
    record: Record = dataclasses.field(default_factory=dict, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.right

    def cells(self) -> Dict[str, str]:
        return {"algorithm": self.algorithm, "ranks": str(self.ranks), "proof": "right" if self.right else self.fault or self.skipped,
                "order of additions": self.bracketing if len(self.bracketing) <= 40 else self.bracketing[:37] + "..."}


@dataclasses.dataclass(frozen=True)
class Counts:
    """What all ranks send, counted in the program; and what the formula claims."""
    algorithm: str
    collective: str
    ranks: int
    elements: int
    messages: int
    elements_sent: int
    rounds: int
    claimed: Optional[Tuple[int, int, int]]  # messages, elements, and rounds of the formula; None without one
    right: bool                              # whether no formula contradicts the program
    skipped: str = ""                        # why there is nothing
    record: Record = dataclasses.field(default_factory=dict, repr=False, compare=False)

    def cells(self) -> Dict[str, str]:
        if self.skipped:
            return {"algorithm": self.algorithm, "ranks": str(self.ranks), "formula": self.skipped}
        claim = "" if self.claimed is None else "agrees" if self.right else f"claims {self.claimed}"
        return {"algorithm": self.algorithm, "ranks": str(self.ranks), "elements": str(self.elements), "messages": str(self.messages),
                "elements sent": str(self.elements_sent), "rounds": str(self.rounds), "formula": claim}


@dataclasses.dataclass(frozen=True)
class Simulated:
    """A time on a network, and the parts of it."""
    algorithm: str
    ranks: int
    bytes: int
    time_us: Optional[float]     # None if it was skipped
    busbw_gb_per_s: Optional[float]
    messages: Optional[int]
    rounds: Optional[int]
    model: str
    topology: str
    bound_us: Optional[float]    # which no run can beat; None where none is known
    skipped: str = ""
    record: Record = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def right(self) -> bool:
        """Whether it sends what its formula claims."""
        return not self.record.get("wrong")

    @property
    def picoseconds(self) -> Optional[int]:
        return None if self.time_us is None else round(self.time_us * 1e6)

    def cells(self) -> Dict[str, str]:
        busbw = "" if self.busbw_gb_per_s is None else f"{self.busbw_gb_per_s:.4g}"
        share = "" if not self.bound_us or not self.time_us else f"{100 * self.bound_us / self.time_us:.0f}%"
        network = self.model if self.topology == "crossbar" else f"{self.model} on {self.topology}"
        return {"algorithm": self.algorithm, "network": network, "ranks": str(self.ranks), "size": show_size(self.bytes),
                "time": self.skipped or show_time(self.time_us), "busbw GB/s": busbw, "of the optimum": share}


@dataclasses.dataclass(frozen=True)
class Measured:
    """A real run, on threads or MPI: the time of the slowest rank. Every run was checked."""
    algorithm: str
    backend: str
    ranks: int
    bytes: int
    time_us: Optional[float]                  # median over the runs
    ci95_us: Optional[Tuple[float, float]]    # confidence interval of the median
    runs: int
    busbw_gb_per_s: Optional[float]
    wrong: int                                # elements
    skipped: str = ""
    record: Record = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def right(self) -> bool:
        return self.wrong == 0

    def cells(self) -> Dict[str, str]:
        interval = "" if not self.ci95_us else f"{show_time(self.ci95_us[0])} to {show_time(self.ci95_us[1])}"
        return {"algorithm": self.algorithm, "backend": self.backend, "ranks": str(self.ranks), "size": show_size(self.bytes),
                "time": self.skipped or show_time(self.time_us), "95% interval": interval, "runs": str(self.runs),
                "wrong": str(self.wrong)}


@dataclasses.dataclass(frozen=True)
class Bound:
    """How fast collectives could be at all on a network, and what limits them. Rates are 10^9 bytes of the vector per second."""
    topology: str
    hosts: int
    all_gather_gb_per_s: float
    reduce_scatter_gb_per_s: float
    allreduce_gb_per_s: float
    latency_us: float
    reached: bool              # whether the rates are reached, and not only bounds
    cut: str                   # what limits an all-gather
    record: Record = dataclasses.field(default_factory=dict, repr=False, compare=False)

    def cells(self) -> Dict[str, str]:
        return {"network": self.topology, "hosts": str(self.hosts), "all_gather GB/s": f"{self.all_gather_gb_per_s:.6g}",
                "allreduce GB/s": f"{self.allreduce_gb_per_s:.6g}", "latency": show_time(self.latency_us), "limited by": self.cut}


@dataclasses.dataclass(frozen=True)
class Plan:
    """Training steps on GPUs that one does not have."""
    model: str
    network: str
    gpus: int
    algorithm: str
    step_us: float
    efficiency: float            # the speed of each as a part of that of one alone
    samples_per_s: float
    limited_by: str
    record: Record = dataclasses.field(default_factory=dict, repr=False, compare=False)

    def cells(self) -> Dict[str, str]:
        return {"model": self.model, "network": self.network, "GPUs": str(self.gpus), "algorithm": self.algorithm,
                "step": show_time(self.step_us), "efficiency": f"{100 * self.efficiency:.1f}%",
                "samples/s": show_rate(self.samples_per_s), "limited by": self.limited_by}


class Results(Sequence[Row], Generic[Row]):
    """Rows in their order. print() and notebooks show a table."""

    def __init__(self, rows: Sequence[Row], note: str = "") -> None:
        self.rows: List[Row] = list(rows)
        self.note = note

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> "Results[Row]": ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Row, "Results[Row]"]:
        return Results(self.rows[index], self.note) if isinstance(index, slice) else self.rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __bool__(self) -> bool:
        """Whether all rows are right, or whether there are any; those that were skipped are neither."""
        done = [row for row in self.rows if not getattr(row, "skipped", "")]
        return bool(done) and all(bool(getattr(row, "right", True)) for row in done)

    @property
    def records(self) -> List[Record]:
        """The rows as the program writes them to files."""
        return [getattr(row, "record", {}) for row in self.rows]

    def frame(self) -> Any:
        """A pandas DataFrame with nested keys flat, such as time_us_median; without pandas, a list of such dicts."""
        return frame_of(self.records)

    def table(self) -> Tuple[List[str], List[List[str]]]:
        """Names of columns, and the texts of the cells; without columns that are empty."""
        cells: List[Dict[str, str]] = [row.cells() for row in self.rows]  # type: ignore[attr-defined]
        names = [name for name in dict.fromkeys(name for row in cells for name in row) if any(row.get(name) for row in cells)]
        return names, [[row.get(name, "") for name in names] for row in cells]

    def __repr__(self) -> str:
        names, rows = self.table()
        widths = [max(len(line[i]) for line in [names, *rows]) for i in range(len(names))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in [names, *rows]]
        return "\n".join(lines + ([self.note] if self.note else [])) or "no rows"

    def _repr_html_(self) -> str:
        return html_table(*self.table(), note=self.note)


def html_table(names: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{html.escape(cell)}</{tag}>' for cell in cells) + "</tr>"
    body = "".join(line(row, "td") for row in rows)
    tail = f"<p>{html.escape(note)}</p>" if note else ""
    return f"<table><thead>{line(names, 'th')}</thead><tbody>{body}</tbody></table>{tail}"
