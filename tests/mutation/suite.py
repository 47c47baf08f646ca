"""The tests of a build tree, as ctest lists them, and which mutants each of them reaches."""
import collections
import concurrent.futures
import dataclasses
import json
import mmap
import os
import pathlib
import signal
import subprocess
import time

LEFT_OUT = ("docs", "install", "lab", "configure", "rooms", "layering", "mutation", "bench: gpu-check", "bench: scripts",
            "bench: faults")  # read no compiled code, or take minutes


@dataclasses.dataclass
class Test:
    name: str
    command: list
    env: dict
    folder: str
    case: str = ""  # of a Catch2 program
    seconds: float = 0
    passed: bool = False
    reached: frozenset = frozenset()


def ended(command, env, folder, limit):
    """Runs a test: (whether it passed, seconds). Past the limit it and its children are killed, and it failed."""
    started = time.monotonic()
    process = subprocess.Popen(command, env={**os.environ, **env}, cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        status = None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    if status != 0:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    return status in (0, 77), time.monotonic() - started


def listed(build, matching):
    """The tests of this build whose names match, without those that need minutes."""
    text = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True).stdout
    tests = []
    for entry in json.loads(text)["tests"]:
        name = entry["name"]
        if "command" not in entry or name.startswith(LEFT_OUT) or not matching.search(name) or "on a GPU" in name:
            continue
        properties = {p["name"]: p["value"] for p in entry["properties"]}
        env = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
        command = entry["command"]
        case = command[1] if len(command) == 2 and pathlib.Path(command[0]).name.startswith("test_") else ""
        tests.append(Test(name, command, env, properties.get("WORKING_DIRECTORY", str(build)), case))
    return tests


def once(test, count, path):
    """Runs the test without a mutant: (whether it passed, seconds, the numbers of the mutants that it reaches)."""
    path.write_bytes(bytes(max(count, 1)))
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as reached:
        passed, seconds = ended(test.command, {**test.env, "ARLAB_MUTANTS_REACHED": str(path)}, test.folder, 600)
        found = [i for i, byte in enumerate(reached[:]) if byte]
    path.unlink()
    return passed, seconds, found


def record(tests, count, folder, cache, report, parallel):
    """Runs each test once without a mutant, and records its time and what it reaches."""
    known = json.loads(cache.read_text()) if cache.exists() else {}

    def recorded(number):
        test = tests[number]
        programs = [pathlib.Path(word) for word in test.command + list(test.env.values()) if os.path.isfile(word)]
        stamp = max(p.stat().st_mtime_ns for p in programs)
        old = known.get(test.name)
        if not old or old["stamp"] != stamp or not old["passed"]:
            report(f"recording {number + 1} of {len(tests)}: {test.name}")
            passed, seconds, reached = once(test, count, folder / f"reached-{number}")
            old = {"stamp": stamp, "passed": passed, "seconds": seconds, "reached": reached}
        test.passed, test.seconds, test.reached = old["passed"], old["seconds"], frozenset(old["reached"])
        return old
    with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
        for number, result in enumerate(pool.map(recorded, range(len(tests)))):
            known[tests[number].name] = result
            if number % 50 == 0:
                cache.write_text(json.dumps(known))
    cache.write_text(json.dumps(known))


def killer(number, tests, near, far):
    """The first test that fails with this mutant, or None. Quick tests, and those of the mutant's own folder, come first; tests
    of other folders that take longer than `far` seconds are left out."""
    env = {"ARLAB_MUTANT": str(number)}
    programs, single = collections.defaultdict(list), []
    for test in tests:
        if test.passed and number in test.reached and (test.seconds <= far or test.name.startswith(near)):
            if test.case and test.seconds < 3:
                tier = 0 if test.seconds < 0.06 else 1 if test.seconds < 0.4 else 2
                programs[test.command[0], tier].append(test)
            else:
                single.append(test)
    batches = [(cases, [program, ",".join(t.case for t in cases), "-a"]) for (program, _), cases in programs.items()]
    batches += [([test], test.command) for test in single]

    def cost(batch):
        return sum(t.seconds for t in batch[0]) * (1 if any(t.name.startswith(near) for t in batch[0]) else 4)
    for cases, command in sorted(batches, key=cost):
        seconds = sum(t.seconds for t in cases)
        if not ended(command, {**cases[0].env, **env}, cases[0].folder, 10 + 8 * seconds)[0]:
            return cases[0].name if len(cases) == 1 else pathlib.Path(command[0]).name
    return None
