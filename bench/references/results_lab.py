"""Runs commands and reads what they print, for measurements.py."""

import dataclasses
import json
import os
import pathlib
import shlex
import subprocess
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
Rows = list[list[str]]


class Skip(Exception):
    """The measurement cannot be made on this machine."""


class Failed(Exception):
    """A command of the measurement failed."""


@dataclasses.dataclass
class Usage:
    output: str
    cpu_s: float  # user and system time of the program and its children
    peak_bytes: int


class Lab:
    """Runs commands as the documents show them, in a scratch folder."""

    def __init__(self, programs: pathlib.Path, folder: str) -> None:
        self.folder = folder
        path = [str(programs), str(programs / "micro"), os.environ["PATH"]]
        self.environment = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "NO_COLOR": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", **os.environ, "PATH": os.pathsep.join(path)}
        if (os.cpu_count() or 1) < 4:
            self.environment.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
        self.arlab = str(programs / "arlab")

    def run(self, command: str) -> Usage:
        words = [self.arlab if word == "ARLAB" else word for word in shlex.split(command)]
        errors = pathlib.Path(self.folder, "errors.txt")
        try:
            with errors.open("w", encoding="utf-8") as sink:
                started = subprocess.Popen(words, cwd=self.folder, env=self.environment, text=True, stderr=sink,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        except FileNotFoundError as error:
            raise Skip(f"there is no program {error.filename}") from None
        assert started.stdout
        output = started.stdout.read()
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode == 77 or started.returncode == 3:  # a reference's, and ours, for what is missing
            raise Skip((output + errors.read_text(encoding="utf-8")).strip())
        if started.returncode:
            raise Failed(f"{command}: exit status {started.returncode}\n{errors.read_text(encoding='utf-8')}")
        return Usage(output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)

    def records(self, command: str) -> list[dict[str, typing.Any]]:
        records = [json.loads(line) for line in self.run(command + " --json -").output.splitlines() if line[:1] == "{"]
        return [record for record in records if record["kind"] != "context"]

    def micro(self, pattern: str, *options: str) -> dict[str, dict[str, typing.Any]]:
        """Benchmarks by name; of several repetitions, the median."""
        command = f"arlab_micro --benchmark_filter={pattern} --benchmark_format=json {' '.join(options)}"
        found = json.loads(self.run(command).output)["benchmarks"]
        return {b.get("run_name", b["name"]): b for b in found if b.get("aggregate_name", "median") == "median"}

    def python(self, script: str, arguments: str) -> str:
        """Output of a script of bench/, run with the Python that sees the distribution's packages."""
        path = next((p for p in (ROOT / "bench").rglob("*.py") if str(p).endswith(script)), None)
        if path is None:
            raise Failed(f"there is no bench/**/{script}")
        return self.run(f"/usr/bin/python3 -B {shlex.quote(str(path))} {arguments}").output

    def needs_pytorch(self) -> None:
        try:
            self.run("/usr/bin/python3 -c 'import torch'")
        except Failed:
            raise Skip("it needs PyTorch's Python: apt install python3-torch") from None


@dataclasses.dataclass
class Measurement:
    id: str
    commands: list[str]  # as a reader would type them
    measure: typing.Callable[[Lab], Rows]
    slow: bool = False
    exact: bool = False  # the same on every machine


MEASUREMENTS: list[Measurement] = []


def measurement(name: str, *commands: str, slow: bool = False, exact: bool = False) -> typing.Callable[..., typing.Any]:
    def register(function: typing.Callable[[Lab], Rows]) -> typing.Callable[[Lab], Rows]:
        MEASUREMENTS.append(Measurement(name, list(commands), function, slow, exact))
        return function

    return register


def time_text(us: float) -> str:
    """Three digits, as in 9.93 us or 1.54 ms."""
    for unit, factor in (("ns", 1e3), ("us", 1), ("ms", 1e-3), ("s", 1e-6)):
        if us * factor < 1000 or unit == "s":
            return f"{us * factor:.3g} {unit}"
    raise AssertionError


def code(name: str) -> str:
    return f"`{name}`"


def step_us(record: dict[str, typing.Any]) -> float:
    return record["time_us"]["median"]


def of_table(output: str) -> Rows:
    """The Markdown table that a script prints."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in output.splitlines() if line[:1] == "|"]
    if len(rows) < 3:
        raise Skip(output.strip() or "the script printed no table")
    return [rows[0], *rows[2:]]
