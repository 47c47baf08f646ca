"""Runs the program in a folder and reads its output. Validates every line of JSON against docs/records.schema.json."""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:  # apt install python3-jsonschema; the C++ tests check keys and types without it
    jsonschema = None

ARLAB = os.environ.get("ARLAB") or sys.exit("set ARLAB to the program to test")

TRAINS = pathlib.Path(ARLAB).with_name("arlab-train").exists()  # needs LibTorch

# Keys that every record has.
KEYS = set("""schema kind backend algorithm collective ranks elements dtype op root bytes lanes segments topology
model machine compressor messages elements_sent bytes_sent rounds claimed time_us modelled_us algbw_gb_per_s busbw_gb_per_s
wrong skipped label color family""".split())
CONTEXT_KEYS = set("schema kind version commit date host cpu gpu compiler build mpi nccl cuda governor environment launch command".split())
TIME_KEYS = {"n", "median", "ci95", "min", "p99"}

# Keys that distinguish configurations.
IDENTITY = "kind backend algorithm collective ranks elements dtype op root groups dims trees segments topology model machine".split()


# The environment of a process outside any job, even if the tests run in one.
ALONE = {**{name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))},
         "ARLAB_PROGRESS": "off"}


def identity(record):
    return tuple(record[key] for key in IDENTITY)


SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs" / "records.schema.json").read_text(encoding="utf-8"))


VALIDATED = set()  # shapes
NAMES = set("algorithm label color topology machine".split())  # any text


def shape(value, key=""):
    """What the schema looks at: keys, types, texts, small numbers and signs."""
    if isinstance(value, dict):
        return tuple((name, shape(part, name)) for name, part in value.items())
    if isinstance(value, list):
        return len(value), tuple(dict.fromkeys(map(shape, value)))
    if value is None or key in NAMES:
        return type(value)
    return value if isinstance(value, str) else (type(value), max(-1, min(value, 3)) if isinstance(value, int) else (value > 0) - (value < 0))


def validate(line):
    """Raises AssertionError unless the line is in the schema. Of lines of one shape only the first is looked at: jsonschema takes
    longer than the program."""
    if line["kind"] not in SCHEMA["$defs"]:
        raise AssertionError(f"kind {line['kind']!r} is not in the schema")
    its = shape(line)
    if jsonschema is None or its in VALIDATED:
        return
    VALIDATED.add(its)
    of_kind = {**{key: value for key, value in SCHEMA.items() if key != "oneOf"}, "$ref": f"#/$defs/{line['kind']}"}
    for error in jsonschema.Draft202012Validator(of_kind).iter_errors(line):
        raise AssertionError(f"{line['kind']}: {'.'.join(map(str, error.path))}: {error.message}")


def parse(text):
    """Returns the contexts and records of JSON Lines, after validation."""
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        validate(line)
    return ([line for line in lines if line["kind"] == "context"],
            [line for line in lines if line["kind"] != "context"])


def split_natives(records):
    """Returns the records of algorithms, and those of the backend's own collective."""
    return [r for r in records if r["family"] != "native"], [r for r in records if r["family"] == "native"]


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def flat(record):
    """Returns a record as a row of CSV: nested keys joined by a dot, null empty."""
    row = {}
    for key, value in record.items():
        if isinstance(value, dict):
            row.update(flat({f"{key}.{name}": part for name, part in value.items()}))
        elif isinstance(value, list):
            row.update(flat({f"{key}.{i}": part for i, part in enumerate(value)}))
        elif value is None:
            row[key] = ""
        else:
            row[key] = value if isinstance(value, str) else json.dumps(value)
    return row


def columns(text, *names):
    """Returns the cells of these columns of a table, row by row."""
    header, _, *lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    return [tuple(line[header.index(name)] for name in names) for line in lines]


# Six algorithms, enough where the catalog does not matter.
SIX = "all_to_all,butterfly,master_worker,ring,round_robin,tree"

TOO_BUSY = "too busy to be measured"


def until_quiet(times, call, *arguments):
    """What the call returns, a status and texts, of which stderr is last; called again, so often, while it says that the machine is too busy."""
    for _ in range(times):
        returned = call(*arguments)
        if returned[0] != 1 or TOO_BUSY not in returned[-1]:
            break
    return returned


class ProgramTest(unittest.TestCase):
    """Runs the program in an empty folder, one per test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="arlab-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *arguments):
        return [ARLAB, *map(str, arguments)]

    def start(self, *arguments, **options):
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, env=ALONE, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def arlab(self, *arguments, code=0):
        """Returns stdout and stderr; fails unless the exit code is `code`."""
        with self.start(*arguments) as process:
            out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, f"{arguments}\n{out}\n{err}")
        return out, err

    def records(self, *arguments):
        out, _ = self.arlab(*arguments, "--json", "-")
        return parse(out)[1]

    def plans(self, *arguments):
        """The rows of `arlab plan`, without what it decides."""
        return [record for record in self.records("plan", *arguments) if record["kind"] == "plan"]

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def check_record(self, record):
        self.assertLessEqual(KEYS, record.keys())
        self.assertEqual(record["schema"], 2)
        self.assertRegex(record["color"], "^#[0-9a-fA-F]{6}$")
        self.assertTrue(record["label"])
        if record["time_us"] is not None:
            time = record["time_us"]
            self.assertLessEqual(TIME_KEYS, time.keys())
            low, high = time["ci95"]
            self.assertLessEqual(time["min"], low)
            self.assertLessEqual(low, time["median"])
            self.assertLessEqual(time["median"], high)
            self.assertLessEqual(high, time["p99"] if time["n"] < 100 else high)
        if record["messages"] is not None and record["claimed"] is not None:
            for key in ("messages", "elements_sent", "rounds"):
                self.assertEqual(record[key], record["claimed"][key], key)
