"""What guided tuning saves: registers the measurement `guided`."""

import json
import pathlib
import re
import statistics
import time
import typing

from results_lab import Failed, Lab, Rows, code, measurement

CALIBRATE = "mpirun -n 3 arlab calibrate -o machine.toml"
MEASURED = "arlab tune all -p 2,4 -s 1K..1Mx2 --table measured.json"
GUIDED = "arlab tune all --by guided -p 2,4 -s 1K..1Mx2 --network='--machine machine.toml' --table guided.json"
JUDGE = "arlab run all -b mpi -p 2,4 -s 1K..1Mx2 --runs 50 --launches 5 --json judge.jsonl"

Cell = tuple[int, int]  # ranks, bytes


def held_by(rows: list[dict[str, typing.Any]], key: str, value: int) -> dict[str, typing.Any]:
    """The entry of a tuning table whose range has the value."""
    return next(row for row in rows if row[key][0] <= value and (row[key][1] is None or value <= row[key][1]))


def choice(table: dict[str, typing.Any], cell: Cell) -> str:
    name = held_by(held_by(table["rows"], "ranks", cell[0])["sizes"], "bytes", cell[1])["algorithm"]
    return "MPI_Allreduce" if name == "native" else name


def medians(path: pathlib.Path) -> dict[Cell, dict[str, float]]:
    """Of each cell and algorithm the median over the launches, in microseconds."""
    times: dict[Cell, dict[str, list[float]]] = {}
    for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if record["kind"] == "run" and record["time_us"]:
            cell = times.setdefault((record["ranks"], record["bytes"]), {})
            cell.setdefault(record["algorithm"], []).append(record["time_us"]["median"])
    return {cell: {name: statistics.median(of) for name, of in its.items()} for cell, its in times.items()}


def losses(times: dict[Cell, dict[str, float]], chosen: typing.Callable[[Cell], str]) -> list[float]:
    """How much slower than the fastest algorithm the chosen one is, in percent, of all cells."""
    return sorted(100 * (of[chosen(cell)] / min(of.values()) - 1) for cell, of in times.items())


@measurement("guided", CALIBRATE, MEASURED, GUIDED, JUDGE, slow=True)
def guided(lab: Lab) -> Rows:
    """Both tables are judged by launches that neither has seen."""
    seconds, folder = {}, pathlib.Path(lab.folder)
    for command in (CALIBRATE, MEASURED, GUIDED):
        started = time.monotonic()
        lab.run(command)
        seconds[command] = time.monotonic() - started
    said = (folder / "errors.txt").read_text(encoding="utf-8")  # of the guided tuning
    counts = re.search(r"with (\d+) of (\d+) candidates", said)
    if not counts:
        raise Failed(f"{GUIDED} does not say how many candidates it measured:\n{said}")
    lab.run(JUDGE)
    times = medians(folder / "judge.jsonl")
    tables = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("measured", "guided")}

    def row(name: str, spent: str, candidates: str, chosen: typing.Callable[[Cell], str]) -> list[str]:
        of = losses(times, chosen)
        same = sum(chosen(cell) == choice(tables["measured"], cell) for cell in times)
        return [name, spent, candidates, f"{same} of {len(times)}", f"{statistics.median(of):.1f}%", f"{statistics.mean(of):.1f}%",
                f"{of[-1]:.0f}%"]
    spent = f"{seconds[GUIDED]:.0f} s, after {seconds[CALIBRATE]:.0f} s of calibration"
    return [["tuning", "time", "candidates measured", "same choice as measured", "median loss", "mean loss", "largest loss"],
            row("measured", f"{seconds[MEASURED]:.0f} s", f"{counts[2]}", lambda cell: choice(tables["measured"], cell)),
            row("guided", spent, f"{counts[1]} of {counts[2]}", lambda cell: choice(tables["guided"], cell)),
            row(f"none: {code('MPI_Allreduce')}", "", "", lambda _: "MPI_Allreduce")]
