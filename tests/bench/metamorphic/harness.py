"""Draws configurations, runs the program on them, and keeps what was run, so that a failure is a command to paste."""

import csv
import io
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

ARLAB = os.environ.get("ARLAB") or sys.exit("set ARLAB to the program to test")
ALONE = {**{name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_", "ARLAB_"))},
         "ARLAB_PROGRESS": "off", "LC_ALL": "C.UTF-8"}


class Broken(Exception):
    """A relation does not hold."""


class Case:
    """One draw of one relation: its random numbers, an empty folder, and the commands that were run."""

    def __init__(self, name, is_open, folder):
        self.random = random.Random(name)
        self.is_open = is_open  # also what is known to be in flux: see --open
        self.folder = folder
        self.commands = []

    def run(self, *arguments, codes=(0,)):
        """Returns stdout."""
        words = [str(a) for a in arguments]
        self.commands.append("arlab " + shlex.join(words))
        done = subprocess.run([ARLAB, *words], cwd=self.folder, env=ALONE, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False)
        if done.returncode not in codes:
            raise Broken(f"status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def records(self, *arguments, codes=(0,)):
        return [r for r in map(json.loads, self.run(*arguments, "--json", "-", codes=codes).splitlines()) if r["kind"] != "context"]

    def times(self, *arguments):
        """Returns picoseconds by what identifies a row: algorithm, ranks, elements, segments."""
        return {(r["algorithm"], r["ranks"], r["elements"], r["segments"]): picoseconds(r)
                for r in self.records("simulate", *arguments) if r["skipped"] is None}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


def picoseconds(record):
    return round(record["modelled_us"] * 1e6)


def expect_same(one, other, what, tolerance=0):
    """`tolerance`: of two times, in picoseconds, or as a function of the key."""
    if one.keys() != other.keys():
        raise Broken(f"{what}: rows {sorted(one.keys() ^ other.keys(), key=str)} are on one side only")
    for key, value in one.items():
        allowed = tolerance(key) if callable(tolerance) else tolerance
        if abs(value - other[key]) > allowed:
            raise Broken(f"{what}: {key} has {value} and {other[key]} ps, {allowed} apart are allowed")


def rows_of_csv(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


# What a draw is made of.

MODELS = ("alpha_beta", "loggops", "fluid", "packet", "connections")
COLLECTIVES = ("allreduce", "reduce_scatter", "all_gather", "reduce", "broadcast")
# One message each way in each round, all ranks alike on a power of two of ranks and whole chunks: in step for ever.
IN_STEP = ("ring", "butterfly", "rabenseifner", "swing", "circulant")


def topology(case, ranks, wires=""):
    """A network that has hosts for the ranks, as a spec."""
    r = case.random
    half = max(1, (ranks + 1) // 2)
    spec = r.choice((f"crossbar:hosts={ranks}", f"ring:hosts={max(2, ranks)}", f"torus:dims={half}x2", f"mesh:dims={half}x2",
                     f"full_mesh:hosts={max(2, ranks)}", f"leaf_spine:leaves={r.randint(2, 3)},hosts={half},spines={r.randint(1, 2)},oversubscription={r.randint(1, 3)}",
                     "hypercube:d=4", "fat_tree:k=4", "rail_pod:nodes=2", "dragonfly:a=2,p=2,h=2,groups=5"))
    return spec + (("," if ":" in spec else ":") + wires if wires else "")


def model_arguments(case, model, ranks, scale=1):
    """--network of a model with parameters in picoseconds, all times multiplied by `scale`."""
    r = case.random
    gamma = r.choice((0, 0, 7, 40)) * scale
    if model == "alpha_beta":
        return ["--network", f"alpha_beta:alpha={r.randint(0, 9) * 1000 * scale}ps,beta={r.randint(1, 99) * scale}ps,gamma={gamma}ps"]
    if model == "loggops":
        o = r.randint(0, 2000)
        g = o if case.is_open and r.random() < 0.5 else r.choice([g for g in (0, 300, 900, 2500) if g != o])
        return ["--network", f"loggops:L={r.randint(1, 5000) * scale}ps,o={o * scale}ps,g={g * scale}ps,G={r.randint(1, 99) * scale}ps,"
                             f"O={r.choice((0, 11, 80)) * scale}ps,S={r.choice(('64M', '1K'))},gamma={gamma}ps"]
    return ["--network", f"{model}:gamma={gamma}ps"]


def configuration(case, models=MODELS, collectives=COLLECTIVES):
    """Arguments of simulate for all algorithms at once."""
    r = case.random
    model = r.choice(models)
    ranks = r.choice((2, 3, 4, 5, 6, 7, 8, 8, 9, 12, 16) if model != "packet" else (2, 3, 4, 5, 8))
    elements = r.choice((1, 3, ranks - 1, ranks, 37, 1000, 4096, 10_007) if model == "packet" else (1, ranks - 1, ranks, 37, 1000, 4096, 100_003, 1 << 18))
    collective = r.choice(collectives)
    arguments = ["all", "-c", collective, "-p", ranks, "-n", elements, *model_arguments(case, model, ranks)]
    if r.random() < 0.3:
        arguments += ["--root", r.randrange(ranks)]
    if model not in ("alpha_beta", "loggops"):
        spec = topology(case, ranks)
        arguments[arguments.index("--network") + 1] += f",placement={r.choice(('block', 'random'))},topology={spec}"
    if r.random() < 0.3 and collective not in ("reduce_scatter", "all_gather") and (case.is_open or model in ("alpha_beta", "connections")):
        arguments += ["--segments", r.choice((2, 3, 4))]
    return arguments


def run_case(relation, name, is_open):
    """Returns what is wrong, as text; nothing if the relation holds."""
    with tempfile.TemporaryDirectory(prefix="arlab-relation-") as folder:
        case = Case(name, is_open, folder)
        try:
            relation(case)
        except (Broken, KeyError, ValueError, IndexError, subprocess.TimeoutExpired) as broken:
            return f"{name}: {'' if isinstance(broken, Broken) else repr(broken) + ' '}{broken}\n" + "".join(f"    {command}\n" for command in case.commands)
        return None
