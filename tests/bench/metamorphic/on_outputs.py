"""Relations between formats, files, and parts of a sweep."""

import json

from harness import COLLECTIVES, Broken, configuration, expect_same, model_arguments, picoseconds, rows_of_csv, topology

# One message at a time leaves a rank, or the order does not matter, so that a file cannot lose it.
ALGORITHMS = ("ring", "butterfly", "rabenseifner", "swing", "circulant", "tree", "chain", "round_robin", "bine_tree", "pat", "all_to_all", "recursive_multiplying")

UNITS = {"ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}


def flat(value, key, row):
    if isinstance(value, dict):
        for name, part in value.items():
            flat(part, f"{key}.{name}" if key else name, row)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        row[key] = " ".join(part["name"] for part in value)  # links
    elif isinstance(value, list):
        for i, part in enumerate(value):
            flat(part, f"{key}.{i}", row)
    else:
        row[key] = "" if value is None else value if isinstance(value, str) else json.dumps(value)


def formats(case):
    """JSON, CSV and the table have the same values; a file and stdout the same text."""
    arguments = ["simulate", *configuration(case)]
    records = case.records(*arguments)
    rows = rows_of_csv(case.run(*arguments, "--csv", "-"))
    table = [line for line in case.run(*arguments, "--json", "r.jsonl", "--csv", "r.csv").splitlines() if line.startswith("|")]
    kept = [r for r in map(json.loads, case.read("r.jsonl").splitlines()) if r["kind"] != "context"]
    if kept != records:
        raise Broken("--json FILE differs from --json -")
    if rows_of_csv(case.read("r.csv")) != rows:
        raise Broken("--csv FILE differs from --csv -")
    if len(rows) != len(records):
        raise Broken(f"{len(records)} records, {len(rows)} rows of CSV")
    for record, row in zip(records, rows):
        expected = {}
        flat(record, "", expected)
        wrong = {k: (v, row.get(k)) for k, v in expected.items() if row.get(k, "") != v}
        if wrong:
            raise Broken(f"{record['algorithm']}: CSV differs: {wrong}")
    if not records:
        return
    header, body = ([cell.strip() for cell in line.strip("|").split("|")] for line in (table[0], table[1])), table[2:]
    names = next(header)
    timed = [r for r in records if r["skipped"] is None]
    shown = [dict(zip(names, (cell.strip() for cell in line.strip("|").split("|")))) for line in body]
    for record, cells in zip(timed, (c for c in shown if c.get("time"))):
        number, unit = cells["time"].split()
        value, exact = float(number) * UNITS[unit], picoseconds(record)
        if abs(value - exact) > max(1e-3 * exact, 501) or cells["messages"].replace("'", "") != str(record["messages"]):
            raise Broken(f"the table has {cells}, the record {exact} ps and {record['messages']} messages")


def exported(case):
    """A schedule that is written to a file and read again is the same algorithm."""
    r = case.random
    name, ranks = r.choice(ALGORITHMS), r.choice((2, 3, 4, 5, 8))
    elements = ranks * ranks * r.choice((1, 10, 500))
    collective = r.choice(COLLECTIVES if r.random() < 0.5 else COLLECTIVES[:1])
    what = ["-c", collective, "-p", ranks, "-n", elements]
    if not case.times(name, *what):
        return  # no such collective of this algorithm
    case.run("export", name, *what, "-o", "schedule.json")
    model = r.choice(("alpha_beta", "loggops", "fluid", "packet", "connections"))
    run = ["-p", ranks, "-n", elements, *model_arguments(case, model, ranks)]
    strip = lambda times: {key[1:]: t for key, t in times.items()}
    original = strip(case.times(name, "-c", collective, *run, "--engine", "events"))
    expect_same(original, strip(case.times("file:schedule.json", "-c", collective, *run)), "a schedule in JSON")
    count = case.records("count", "file:schedule.json", "-c", collective, "-p", ranks, "-n", elements)[0]
    claimed = case.records("count", name, *what)[0]
    for key in ("messages", "elements_sent", "rounds"):
        if count[key] != claimed[key]:
            raise Broken(f"{key}: {claimed[key]}, and {count[key]} in the file")
    if collective != "allreduce" or "0ps" != run[-1] or model not in ("loggops", "fluid", "connections"):
        return
    case.run("export", name, *what, "--format", "goal", "-o", "trace.goal")
    text = case.run("simulate", "file:trace.goal", *run[4:])
    number, unit = text.splitlines()[2].strip("| ").rsplit("|", 1)[-1].split()
    traced, exact = float(number) * UNITS[unit], next(iter(original.values()))
    if abs(traced - exact) > 1e-3 * max(exact, 60_000):
        raise Broken(f"the trace in GOAL takes {traced} ps, the algorithm {exact} ps")


def exported_msccl(case):
    """The same through XML of MSCCL, of the algorithms that it can hold."""
    r = case.random
    name, ranks = r.choice(("ring", "butterfly", "rabenseifner", "swing", "circulant", "all_to_all", "tree")), r.choice((2, 4, 8))
    elements = ranks * ranks * r.choice((1, 10, 500))
    case.run("export", name, "-p", ranks, "-n", elements, "--format", "msccl", "-o", "program.xml")
    case.run("verify", "file:program.xml", "-p", ranks, "-n", elements)
    sums = [case.records("count", a, "-p", ranks, "-n", elements)[0]["elements_sent"] for a in (name, "file:program.xml")]
    if sums[0] != sums[1]:
        raise Broken(f"{name} sends {sums[0]} elements, its program {sums[1]}")


def edges(case):
    """One rank, no elements, fewer elements than ranks: proved, as many messages as claimed, and no time for nothing."""
    r = case.random
    collective, ranks = r.choice(COLLECTIVES), r.randint(2, 13)
    for p, n in ((1, 1000), (ranks, 0), (ranks, r.randrange(1, ranks + 1)), (ranks, r.randint(ranks, 999))):
        what = ["all", "-c", collective, "-p", p, "-n", n]
        for record in case.records("verify", *what) + case.records("count", *what):
            if record["skipped"] is None and record["wrong"] != 0:
                raise Broken(f"{record['algorithm']}: {record}")
            if record["claimed"] and record["skipped"] is None and any(record[key] != value for key, value in record["claimed"].items()):
                raise Broken(f"{record['algorithm']} claims {record['claimed']}")
        counts = {r["algorithm"]: (r["messages"], r["elements_sent"], r["rounds"]) for r in case.records("count", *what)}
        model = r.choice(("alpha_beta", "loggops", "fluid"))
        for record in case.records("simulate", *what, "--network", model):
            if record["skipped"] is not None or record["algorithm"] not in counts:  # forest is counted with --layout trees only
                continue
            if (record["messages"], record["elements_sent"], record["rounds"]) != counts[record["algorithm"]]:
                raise Broken(f"{record['algorithm']}: simulated {record['messages']} messages, counted {counts[record['algorithm']]}")
            if (p == 1 or n == 0) != (picoseconds(record) == 0):
                raise Broken(f"{record['algorithm']} of {n} elements on {p} ranks takes {record['modelled_us']} us")


def resumed(case):
    """A sweep that is broken off anywhere and resumed holds what it holds in one go."""
    r = case.random
    model = r.choice(("alpha_beta", "loggops", "fluid"))
    sweep = ["simulate", "ring,tree,butterfly", "-p", "2..8", "-n", "0,5,4096", *model_arguments(case, model, 8)]
    case.run(*sweep, "--json", "whole.jsonl", "--csv", "whole.csv", "-o", "whole.md")
    lines = case.read("whole.jsonl").splitlines(keepends=True)
    cut = "".join(lines[:r.randrange(1, len(lines))])
    if r.random() < 0.5 and cut.count("\n") > 2:
        cut = cut[:-r.randrange(1, 30)]  # in the middle of a line
    case.write("cut.jsonl", cut)
    case.commands.append(f"# cut.jsonl: the first {len(cut.encode())} bytes of whole.jsonl")
    case.run(*sweep, "--json", "cut.jsonl", "--resume")
    records = lambda name: sorted(line for line in case.read(name).splitlines() if '"kind":"context"' not in line)
    if records("cut.jsonl") != records("whole.jsonl"):
        raise Broken("the resumed file has other records")
    before = case.read("whole.jsonl")
    case.run(*sweep, "--json", "whole.jsonl", "--resume")
    if records("whole.jsonl") != sorted(line for line in before.splitlines() if '"kind":"context"' not in line):
        raise Broken("a sweep with nothing left to do changes its file")


def read_again(case):
    """Records that are read again compare as equal, and shuffled, too."""
    r = case.random
    case.run("simulate", *configuration(case), "--json", "a.jsonl", "-o", "a.md")
    first, *rest = case.read("a.jsonl").splitlines(keepends=True)
    if not rest:
        return
    r.shuffle(rest)
    # Keys in another order, and other spaces, are the same JSON.
    case.write("b.jsonl", first + "".join(json.dumps(dict(reversed(json.loads(line).items()))) + "\n" for line in rest))
    text = case.run("compare", "a.jsonl", "b.jsonl")
    if "| slower" in text or "is slower by more than" not in text.partition("\n\nNone of ")[2]:
        raise Broken(f"a file compared with itself:\n{text}")


def tuned(case):
    """A table by simulation chooses the fastest of each cell, whatever the order of the candidates."""
    r = case.random
    names, ranks, sizes = r.sample(("ring", "butterfly", "tree", "rabenseifner", "chain", "all_to_all"), 4), r.sample((2, 4, 8), 2), r.sample((16, 1024, 65536, 1 << 22), 2)
    network = topology(case, max(ranks))
    common = ["-p", ",".join(map(str, sorted(ranks))), "-s", ",".join(map(str, sorted(sizes))), f"--network={network}"]
    case.run("tune", ",".join(names), *common, "--table", "t.json")
    case.run("tune", ",".join(names[::-1]), *common, "--table", "u.json")
    times = case.times(",".join(names), "-p", ",".join(map(str, ranks)), "-s", ",".join(map(str, sizes)), "--network", network)
    chosen = {}
    for name in ("t.json", "u.json"):
        for row, p in zip(json.loads(case.read(name))["rows"], sorted(ranks)):
            for cell, n in zip(row["sizes"], sorted(sizes)):
                least = min(t for (_, q, e, _), t in times.items() if (q, e) == (p, n // 4))
                if times[cell["algorithm"], p, n // 4, 1] != least:
                    raise Broken(f"{name}: {cell['algorithm']} on {p} ranks and {n} bytes takes {times[cell['algorithm'], p, n // 4, 1]} ps, the fastest {least}")
                chosen.setdefault(name, []).append(cell["algorithm"])
    if len(chosen["t.json"]) != len(chosen["u.json"]):
        raise Broken(f"another order of candidates gives another number of cells: {chosen}")


RELATIONS = (formats, exported, exported_msccl, edges, resumed, read_again, tuned)
