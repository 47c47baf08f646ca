#!/usr/bin/python3
"""Runs the program on hostile inputs, and reports what came out badly.

    hostile.py ARLAB [--sample N] [--seed S] [--jobs J] [--only TEXT] [--skip TEXT] [--verbose]

Every run must end within 30 s, not by a signal, with the right exit status, and with a message that names the value or the option if it
fails; results must not get lost. The table counts runs by kind; the lines after it are the bad ones. Exit status 1 if there are any.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import cases

LOG = pathlib.Path(__file__).resolve().parents[1] / "bench" / "logs" / "fixtures" / "efa_srun.txt"
NETWORKS = LOG.parents[2] / "formats" / "topologies" / "files"
PROCESSOR_LIMIT = 30  # seconds of processor time: a sanitized program takes several times as long
LIMIT = 120  # seconds until a program that waits counts as hanging: other tests run beside it
CLASSES = ("crash", "hang", "status", "message", "silence", "loss")
LEAKED = re.compile(r"what\(\)|terminate called|std::|basic_|__|vector::|stoi|stod|json\.exception|Traceback|internal error|bad_alloc")


def write_fixtures(folder):
    """Files that the cases name, in an empty folder."""
    context, record = cases.record_lines()
    whole = json.dumps(context) + "\n" + json.dumps(record) + "\n"
    timed = {**record, "time_us": {"n": 10, "median": 2.0, "ci95": [1.5, 2.5], "min": 1.0, "p99": 3.0}}
    simulated = {**record, "kind": "simulate", "model": "alpha_beta", "modelled_us": 2.0}
    folder.joinpath("folder").mkdir()
    folder.joinpath("folder.graphml").mkdir()
    shutil.copytree(pathlib.Path(__file__).resolve().parents[1] / "validation", folder / "published",
                    ignore=shutil.ignore_patterns("allreduce.csv", "published_gains.csv", "training_scaling.csv", "*.md"))  # seconds each under sanitizers
    texts = {
        "valid.jsonl": whole, "timed.jsonl": json.dumps(timed) + "\n", "simulated.jsonl": json.dumps(simulated) + "\n", "nccl.log": LOG.read_text(encoding="utf-8"), "plain.txt": "text\n", "empty": "", "empty.graphml": "", "valid.csv": "schema,kind\n2,count\n",
        "deep.json": "[" * 100_000, "deep.dot": "graph {" + "{" * 50_000, "garbage.dot": "\x01\x02graph{{{",
        "loop.dot": 'graph { a [kind=host]; a -- a [bandwidth="1Gbps", latency="1us"]; }',
        "negative.dot": 'graph { a [kind=host]; b [kind=host]; a -- b [bandwidth="-1Gbps", latency="1us"]; }',
        "one.dot": "graph { a }", "huge.dot": "graph { " + "a" * 200_000 + " }",
        "nan.graphml": '<graphml><key id="b" for="edge" attr.name="bandwidth" attr.type="double"/><graph edgedefault="undirected"><node id="a"/>'
                       '<node id="c"/><edge source="a" target="c"><data key="b">nan</data></edge></graph></graphml>',
        "bomb.graphml": '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><graphml>&b;</graphml>',
        **{f"network_{path.name}": path.read_text(encoding="utf-8") for path in NETWORKS.glob("*.*") if path.suffix != ".md"},
        "torn_nccl.xml": "<system version='1'><cpu", "other.xml": "<platform version='9'/>", "words.yml": "topology: [ Ring ]\nnpus_count: [ x ]\n",
        "links.txt": "3 1 2\n9\n", "torn_matrix.txt": "GPU0 GPU1\nGPU0 X\n",
        "negative.toml": "[machine]\nlatency_us = -1\n", "nan.toml": "[machine]\nlatency_us = nan\n", "half.toml": "[machine]\nlatency_us",
        **{name: text for name, text, _ in cases.damaged_files()},
    }
    for name, text in texts.items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    noise = random.Random(1).randbytes(4096)
    for name in ("garbage.bin", "garbage.graphml"):
        folder.joinpath(name).write_bytes(noise)


def environment():
    """No launcher, no terminal, one language, few threads."""
    dropped = ("OMPI_", "PMI", "SLURM_", "PALS_", "MV2_", "TF_CONFIG")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "LC_ALL": "C.UTF-8", "ARLAB_PROGRESS": "off", "OMP_NUM_THREADS": "1"}


def run(arlab, case, fixtures):
    """Returns (class of badness or "", explanation, seconds)."""
    with tempfile.TemporaryDirectory(prefix="arlab-hostile-") as name:
        folder = pathlib.Path(name)
        for fixture in fixtures.iterdir():  # links, so that a run is cheap; a run that writes one is caught
            if fixture.name in case.arguments or fixture.name.startswith("folder") or not fixture.name.startswith(("damaged", "context", "file-", "published")):
                (shutil.copytree if fixture.is_dir() else shutil.copyfile)(fixture, folder / fixture.name)
        for file, text in case.files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8", errors="surrogateescape")
        before = {path.name for path in folder.iterdir()}
        text_before = (folder / case.kept).read_bytes() if case.kept else b""
        stdout = open("/dev/full", "wb") if case.stdout == "full" else subprocess.PIPE

        def prepare():
            resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_LIMIT, PROCESSOR_LIMIT + 1))
            if case.stdout == "closed":
                os.close(1)

        begin = time.monotonic()
        try:
            done = subprocess.run([*launcher(case.launched), arlab, *case.arguments], cwd=folder, env={**environment(), **LAUNCHED, **case.variables}, stdin=subprocess.DEVNULL,
                                  stdout=stdout, stderr=subprocess.PIPE, timeout=LIMIT, preexec_fn=prepare, check=False)
        except subprocess.TimeoutExpired:
            return "hang", f"no end within {LIMIT} s", LIMIT
        finally:
            if stdout is not subprocess.PIPE:
                stdout.close()
        seconds = time.monotonic() - begin
        if done.returncode == -signal.SIGXCPU:
            return "hang", f"no end within {PROCESSOR_LIMIT} s of processor time", seconds
        err = done.stderr.decode(errors="replace")
        fresh = {path.name for path in folder.iterdir()} - before
        problem = judge(case, done.returncode, done.stdout or b"", err, fresh)
        if not problem[0]:
            problem = judge_files(case, folder, done.returncode, text_before)
        return (*problem, seconds)


# Open MPI refuses root otherwise.
LAUNCHED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def launcher(ranks):
    return ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks else []


# What is refused whatever the values are: outside of a job, or on a busy machine. Command, status, and the next action.
SURROUNDINGS = [("identify", 2, "start it as `mpirun -n 4 arlab identify`"),
                ("calibrate", 1, "the machine is too busy to be measured, try again")]


def refused_by_surroundings(case, code, err):
    return not case.launched and any(case.arguments[:1] == [command] and code == status and said in err
                                     for command, status, said in SURROUNDINGS)


def judge(case, code, out, err, fresh):
    first = err.strip().splitlines()[-1][:300] if err.strip() else "(nothing on stderr)"
    if code < 0 or code >= 128:
        return "crash", f"exit {code}: {first}"
    if code > 3:
        return "status", f"exit {code}: {first}"
    if LEAKED.search(err):
        return "message", f"exit {code}, in the words of a library: {first}"
    if refused_by_surroundings(case, code, err):
        return "", ""
    if case.expect == cases.REFUSED and code not in (2, 3):
        return "status", f"exit {code}, but the input is wrong: {first}"
    if case.expect == cases.DONE and code != 0:
        return "status", f"exit {code}, but the input is right: {first}"
    if code != 0:
        if "error: " not in err:
            return "message" if err.strip() else "silence", f"exit {code}: {first}"
        names = [escaped(part) for name in case.names for part in (name, name.lstrip("-"), *re.split("[,=:]", name)) if len(part) > 1 or part in err]
        if names and not any(name in err for name in names):
            return "message", f"names neither option nor value: {first}"
        return "", ""
    if not out and not fresh and not err and case.stdout == "pipe" and "/dev/null" not in case.arguments:
        return "silence", "exit 0 without a word or a file"
    return "", ""


def escaped(text):
    """Control characters as the program prints them."""
    return "".join(f"\\x{ord(c):02x}" if ord(c) < 32 and c != "\n" or ord(c) == 127 else c for c in text)


def judge_files(case, folder, code, text_before):
    if case.kept and not any(path.read_bytes() == text_before for path in folder.glob(case.kept + "*")):
        return "loss", f"{case.kept} is no longer what it was"
    if case.written and code == 0:
        path = folder / case.written
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if len(lines) < 2 or not all(json.loads(line)["schema"] == 2 for line in lines):
            return "loss", f"{case.written} has {len(lines)} lines"
    return "", ""


def report(results, started):
    """Prints the table, and a line per bad run."""
    kinds = collections.OrderedDict()
    for case, problem, _, _ in results:
        counts = kinds.setdefault(case.kind, collections.Counter())
        counts["runs"] += 1
        counts[problem] += 1
    print(f"| {'kind':<30} | runs | {' | '.join(CLASSES)} |")
    print(f"| {'-' * 30} | ---: | {' | '.join('-' * (len(name) - 1) + ':' for name in CLASSES)} |")
    for kind, counts in [*kinds.items(), ("all", sum(kinds.values(), collections.Counter()))]:
        print(f"| {kind:<30} | {counts['runs']:>4} | {' | '.join(f'{counts[name]:>{len(name)}}' for name in CLASSES)} |")
    slowest = max(results, key=lambda result: result[3], default=None)
    bad = [result for result in results if result[1]]
    print(f"\n{len(results)} runs, {len(bad)} bad, in {time.monotonic() - started:.0f} s"
          + (f"; the slowest took {slowest[3]:.1f} s: {shown(slowest[0])}" if slowest else ""))
    for case, problem, why, _ in bad:
        print(f"\n{problem}: {shown(case)}\n  {why}")
    return 1 if bad else 0


def shown(case):
    variables = "".join(f"{name}={shlex.quote(value)} " for name, value in case.variables.items())
    words = " ".join(shlex.quote(word if len(word) < 60 else word[:20] + "...") for word in case.arguments)
    where = {"full": " > /dev/full", "closed": " >&-"}.get(case.stdout, "")
    return repr(f"{variables}arlab {words}{where}")[1:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("arlab", help="the program")
    parser.add_argument("--sample", type=int, default=0, help="number of runs, chosen at random (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="only runs whose kind or command holds this text")
    parser.add_argument("--skip", default="", help="no runs whose kind or command holds this text")
    parser.add_argument("--verbose", action="store_true", help="print each run")
    arguments = parser.parse_args()
    started = time.monotonic()
    arlab = str(pathlib.Path(arguments.arlab).resolve())
    chosen = [case for case in cases.all_cases(arlab, environment())
              if (not case.launched or shutil.which("mpirun")) and (arguments.only in case.kind or arguments.only in shown(case))
              and not (arguments.skip and (arguments.skip in case.kind or arguments.skip in shown(case)))]
    if arguments.sample:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    with tempfile.TemporaryDirectory(prefix="arlab-hostile-") as name:
        fixtures = pathlib.Path(name)
        write_fixtures(fixtures)

        def judged(case):
            result = (case, *run(arlab, case, fixtures))
            if arguments.verbose:
                print(f"{result[1] or 'fine':<8} {result[3]:5.2f} s  {case.kind}: {shown(case)}", flush=True)
            return result

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(judged, chosen))
    return report(results, started)


if __name__ == "__main__":
    sys.exit(main())
