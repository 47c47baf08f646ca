"""Hostile inputs: what people, scripts, and damaged files give to the program, and what must come back.

The commands come from `arlab --help` and the options from `arlab VERB --help`, so that a new option is covered without an
edit here. A new command needs a line in BASES, and is an error until it has one.
"""

import json
import pathlib
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

import python_programs

# What a run may end with. REFUSED: the input is wrong. EITHER: it may be refused or done, but never in silence.
REFUSED, DONE, EITHER = "refused", "done", "either"


@dataclass
class Case:
    """One run of the program."""

    kind: str  # for the report
    arguments: list
    expect: str = EITHER
    names: list = field(default_factory=list)  # the message contains one of these
    variables: dict = field(default_factory=dict)
    stdout: str = "pipe"  # or full, closed
    written: str = ""  # a result file that must be whole if the run succeeds
    kept: str = ""  # a fixture that must not change
    files: dict = field(default_factory=dict)  # further fixtures of this run
    launched: int = 0  # ranks under mpirun; 0: without it


@dataclass
class Option:
    """An option as --help describes it."""

    names: list
    type: str  # empty: a flag
    command: tuple  # ("show", "topology")

    @property
    def name(self):
        return self.names[-1] if not self.names[0].startswith("--") else self.names[0]


# A quick, valid command line of each verb.
BASES = {
    ("list",): ["types"],
    ("doctor",): [],
    ("show",): ["ring", "-p", "3"],
    ("show", "topology"): ["ring", "-p", "4"],
    ("verify",): ["ring", "-p", "3"],
    ("count",): ["ring", "-p", "3", "-n", "10"],
    ("simulate",): ["ring", "-p", "4", "-s", "1K"],
    ("run",): ["ring", "-p", "2", "-n", "10", "--time", "0"],
    ("calibrate",): ["-p", "2", "--time", "1ms:largest=64K", "-o", "-"],
    ("tune",): ["ring", "--network", "10G", "-p", "2", "-n", "10"],
    ("train",): ["-w", "1", "--data", "synthetic:samples=64", "--steps", "1"],
    ("compare",): ["timed.jsonl", "timed.jsonl"],
    ("import",): ["nccl.log"],
    ("report",): ["valid.jsonl"],
    ("chart",): ["simulated.jsonl", "--only", "winners"],
    ("explore",): ["--precomputed"],
    ("plan",): ["-m", "profile:vgg16", "--gpus", "4"],
    ("export",): ["ring", "-p", "3", "-n", "10"],
    ("bound",): ["ring:hosts=4"],
    ("validate",): ["published"],
    ("identify",): ["native", "-n", "10"],
    ("hunt",): ["-p", "4", "--network", "crossbar"],
    ("launch",): ["-np", "1", "true"],
    ("replay",): ["-b", "virtual", "--steps", "8"],
}
ALONE = {("identify",)}  # right only under a launcher

LONG = "x" * 100_000
ESCAPES = "\x1b[31mred\x07"
NUMBERS = ["", " ", "nan", "inf", "-1", "abc", "1e400", "99999999999999999999", "0x10", "5us", "1K1", ESCAPES, "1;2", LONG, "½", "--dry-run"]
WHOLE = NUMBERS + ["1.5", "1..2..3", "[]", "{}"]
LISTS = WHOLE + [",", "1,,2", "1,", ",1", "1..", "..2", "2..1", "1..4x0", "1..4x1", "1..4+0", "1..4*", "0..4"]
TIMES = ["", " ", "nan", "-1us", "abc", "1e300s", "5parsecs", "inf", "5", ESCAPES, LONG, "5 us us"]
NAMES = ["", " ", "nosuch", "..", "%s%n", ESCAPES, LONG, "ring:", "a=b", "--dry-run", "nosuch:k=1"]
NAME_LISTS = NAMES + [",", "ring,,tree", "ring,"]
OUTPUTS = ["", " ", "/dev/full", "/proc/none/x", "folder", "plain.txt/below", "y" * 5000, "--dry-run"]
INPUTS = ["", "missing", "folder", "garbage.bin", "deep.json", "y" * 5000]

# By the type that --help prints: values that are wrong for every option of the type.
WRONG = {
    "COUNTS": LISTS, "COUNT": WHOLE, "SEED": WHOLE, "NUMBER": NUMBERS, "BYTES": LISTS, "RANKS": LISTS, "TIME": TIMES, "NAME": NAMES, "NAMES": NAME_LISTS, "MODELS": NAME_LISTS,
    "FILE": OUTPUTS, "FOLDER": OUTPUTS, "RATE": NUMBERS, "PART": NUMBERS, "COMMAND": NAMES,
    "MACHINE": INPUTS + NAMES + ["negative.toml", "nan.toml", "half.toml"],
    "NETWORKS": NAMES + INPUTS[1:] + ["0G", "-1G", "nan", "10G,", ",", "1e-300", "1e300G", "ring:hosts=1", "x.graphml", "negative.toml"],
    "MODEL": NAMES + ["profile:", "profile:nosuch", "profile:./missing", "profile:./folder", "profile:./garbage.bin", "profile:/dev/zero"],
    "PERCENT": NUMBERS, "SPEC": NAMES + ["topk:ratio=0", "priority:slice=0", "buckets:bucket=nan"], "SPECS": NAMES + [","],
    "SETTINGS": ["", " ", "x", "x=", "=1", "x=1,x=1", "every=nan", "keep=-1", ESCAPES],
    "ROWS": WHOLE,
    "": NAMES,  # a flag has no value
}
# Values that are extreme: refused or done, but soon, and with a word.
EXTREME = {
    "COUNTS": ["0", "1e9", "1G", "9223372036854775807", "1..200000+1", "1..1G"], "COUNT": ["0", "1e18", "9223372036854775807"], "SEED": ["0", "1e18", "9223372036854775807"],
    "NUMBER": ["0", "1e9", "2147483648"], "BYTES": ["0", "4", "1e18", "1..1G", "9223372036854775804"], "RANKS": ["0", "1e9", "1,2"],
    "TIME": ["0", "1ps", "100000s"], "RATE": ["0", "1e-300", "1e300"], "PART": ["0", "2", "1e300"],
    "FILE": ["/dev/null", "new\nline", "a/b/c", "-", "valid.jsonl"],
    "NAMES": ["all", "ring,ring", "RING"], "NAME": ["RING", "-"], "NETWORKS": ["1", "8e15", "1e15G", "crossbar,ring"], "PERCENT": ["0", "1e6", "1e300"],
    "ROWS": ["0", "all", "exceptions", "1e9"],
}
SHARED = ("count",)  # tried with the options that all commands share, which `arlab --help` lists
BATCH = {"--dry-run"}  # flags that make a huge sweep cheap


def words_of(help_text):
    """Yields (names, type) of each option in a page of help."""
    for line in help_text.splitlines():
        match = re.match(r"  (-[^\s]+)(?: ([A-Z][A-Z,:]*)(?:[: ][A-Z]\S*)*(?=\s|$))?(?: \.\.\.)?(?:\s|$)", line)
        if match:
            yield match.group(1).split(","), match.group(2) or ""


def commands_of(arlab, environment):
    """The commands of BASES. Raises ValueError if the program has another one."""
    page = subprocess.run([arlab, "--help"], capture_output=True, text=True, timeout=60, env=environment, check=True).stdout
    listed = re.findall(r"^  ([a-z]+) {2,}", page.partition("Subcommands:")[2].partition("Examples:")[0], re.M)
    missing = sorted(set(listed) - {command[0] for command in BASES})
    if not listed or missing:
        raise ValueError(f"cases.py has no base for {missing or 'any command'}: add a line to BASES")
    return BASES


def options_of(arlab, command, environment):
    page = subprocess.run([arlab, *command, "--help"], capture_output=True, text=True, timeout=60, env=environment, check=False)
    if page.returncode != 0:
        return None  # `train` without the program that trains
    text = page.stdout
    if tuple(command) == SHARED:
        text += subprocess.run([arlab, "--help"], capture_output=True, text=True, timeout=60, env=environment, check=True).stdout
    found = [Option(names, type_, command) for names, type_ in words_of(text) if not {"--help", "--version"} & set(names)]
    for option in found:
        if option.type not in WRONG:
            raise ValueError(f"cases.py has no values for the type {option.type} of {' '.join(command)} {option.name}: add a line to WRONG, "
                             "with values that it must refuse ([] for a text that may be anything), or use a type that is there")
    return found


def value_cases(option, base):
    """Every wrong and every extreme value of one option."""
    command = list(option.command)
    wrong = WRONG[option.type]
    if command == ["train"]:  # starts slowly: a third of the values for each option, another third for the next
        wrong = wrong[len(option.name) % 3::3]
    for value in wrong:
        expect = REFUSED
        if option.type in ("NUMBER", "FACTOR") and value in ("-1", "inf"):
            expect = EITHER  # some settings may be infinite
        if option.type == "RATE" and value.startswith("999"):
            expect = EITHER  # a number, however large
        if value == "--dry-run":
            value, kind = "--help-me", "option as value"
        else:
            kind = "empty value" if not value.strip() else "wrong value"
        shown = [*option.names, value.strip()[:40]] if value.strip() else option.names
        yield Case(kind, [*command, *without(base, option), option.name, value], expect, shown)
    if option.type:
        yield Case("no value", [*command, *without(base, option), option.name], REFUSED, option.names)
        yield Case("empty value", [*command, *without(base, option), f"{option.name}="], REFUSED, option.names)
    else:
        yield Case("value of a flag", [*command, *base, f"{option.name}=maybe"], REFUSED, [*option.names, "maybe"])
    for value in EXTREME.get(option.type, []):
        yield Case("extreme value", [*command, *cheap(option, base), option.name, value], EITHER, [*option.names, value])


def without(base, option):
    """The base without the option itself, which may be given once only."""
    left, skip = [], False
    for word in base:
        if skip or word in option.names:
            skip = not skip
            continue
        left.append(word)
    if {"-n", "--elements"} & set(option.names):
        left = without(left, Option(["-s"], "BYTES", ()))
    if {"-s", "--size"} & set(option.names) and "--size" in option.names:
        left = without(left, Option(["-n"], "COUNTS", ()))
    return left


def cheap(option, base):
    """The base, planned only where a huge number would take long on purpose."""
    huge = option.type in ("COUNTS", "BYTES") and option.command[0] in ("verify", "count", "simulate", "run", "train")
    endless = option.name == "--watch"
    return [*without(base, option), *(["--dry-run"] if huge else []), *(["--watch", "rounds=1"] if endless else [])]


def wrong_verb_cases(options, known):
    """Options of other verbs."""
    for command, own in known.items():
        names = {name for option in own for name in option.names}
        others = sorted({option.name for option in options if option.name.startswith("--")} - names)
        for name in others[:: max(1, len(others) // 14)]:
            yield Case("option of another verb", [*command, *BASES[command], name, "1"], REFUSED, [name, "'1'"])


def word_cases(known):
    """Arguments that are not options."""
    for command in known:
        base = BASES[command]
        for word in ("", " ", "nosuch", "--", "-", "--nosuch", "-Z", "--nosuch=1", ESCAPES, "[]", ",", "--=", "-=", "=", "@file", "---"):
            kind = "empty argument" if not word.strip() else "stray argument"
            expect = EITHER if word in ("--", "-", "--=", "-=", "=", "@file", "---", ",", "[]") else REFUSED
            yield Case(kind, [*command, *base, word], expect, [word.strip()[:20] or "''", "argument", "empty"])
        yield Case("base", [*command, *base], REFUSED if command in ALONE else DONE)
        for variables in ({"HOME": "", "TMPDIR": "/nonexistent"}, {"LC_ALL": "xx_YY.nosuch", "LANG": "tr_TR"}, {"TERM": "", "COLUMNS": "-1"},
                          {"OMP_NUM_THREADS": "abc"}, {"ARLAB_PROGRESS": "\x1b["}):
            yield Case("environment", [*command, *base], EITHER if command in ALONE else DONE, [], variables)
    for line in ([""], [" "], ["nosuch"], ["--nosuch"], ["--"], ["-"], ["--help=1"], ["LIST"], ["lst"], [LONG], [ESCAPES], ["--version=2"]):
        yield Case("no such command", line, REFUSED, [line[0].strip()[:20], "command", "--help", "--version"])


def pair_cases():
    """Options that exclude each other, or need each other."""
    for verb in ("verify", "count", "simulate", "run"):
        base = [verb, *BASES[(verb,)]]
        sized = "-s" if "-n" in base else "-n"
        for more in ([sized, "8"], ["--json", "-", "--csv", "-"], ["--json", "same", "--csv", "same"], ["--json", "./same", "--csv", "same"],
                     ["--resume"], ["--resume", "--json", "-"], ["-c", "reduce_scatter", "--segments", "2"], ["--root", "99"],
                     ["-o", "same", "--json", "same"], ["-p", "2"]):
            if more[0] == "-p" and "-p" not in base:
                continue
            expect = REFUSED if more != ["-p", "2"] else EITHER
            if more[0] == "-n" and verb == "verify":
                expect = EITHER  # verify has no size in its base
            yield Case("contradiction", [*base, *more], expect, [more[0], *more[:1], *[m for m in more if m.startswith("-")], "root", "same"])
    simulate = ["simulate", *BASES[("simulate",)]]
    for more in (["--network", "alpha_beta:topology=torus"], ["--network", "alpha_beta:placement=random"], ["--network", "loggops:dead=a-b"],
                 ["--network", "alpha_beta:routing=ecmp"], ["--L", "5us"], ["--network", "loggops:alpha=5us"], ["--record", "links=3"],
                 ["--network", "torus:dims=2x2", "-p", "64"]):
        yield Case("contradiction", [*simulate, *more], REFUSED if "-p" not in more else EITHER, [more[0], more[-2], "dims"])
    for verb in ("verify", "simulate"):
        base = [verb, *BASES[(verb,)]]
        yield Case("share alone", [*base, "--jobs", "share=on"], REFUSED, ["share"])
        yield Case("share alone", [*base, "--jobs", "share=on", "--json", "a.jsonl"], REFUSED, ["share"])
        for more in ([], ["--json", "-"]):
            yield Case("share without a file", [*base, "--jobs", "share=on", *more], REFUSED, ["share"], {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"})


def rank_cases(known):
    """Ranks in the environment, of a launcher that did not start this program."""
    launchers = (("SLURM_PROCID", "SLURM_NTASKS"), ("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
    for command in known:
        for rank, ranks in launchers if command != ("train",) else launchers[:1]:
            real = command[0] in ("run", "train", "calibrate", "identify")  # needs real ranks
            joins = real and rank != "SLURM_PROCID"  # starts MPI, which may refuse
            joins = joins or command[0] == "tune"  # refuses to be a rank
            for value, total in (("3", "4"), ("3", None), ("abc", "4"), ("-1", "4"), ("", ""), ("9", "4")):
                variables = {rank: value, **({ranks: total} if total is not None else {})}
                alone = real and rank == "SLURM_PROCID" and total == "4"  # srun without --mpi
                may_fail = joins or command[0] in ("calibrate", "identify")  # which a busy machine stops
                expect, words = (REFUSED, ["srun"]) if alone else (EITHER if may_fail else DONE, [])
                yield Case("rank in the environment", [*command, *BASES[command]], expect, words, variables)
                if command[0] in ("verify", "simulate"):
                    expect = DONE if (value, total) == ("3", "4") else REFUSED
                    yield Case("rank to share by", [*command, *BASES[command], "--jobs", "share=on", "--json", "shared.jsonl"], expect,
                               ["share", rank], variables)
            yield Case("usage error on rank 3", [*command, *BASES[command], "--nosuch"], REFUSED, ["--nosuch"], {rank: "3", ranks: "4"})


def output_cases(known):
    """Outputs that go nowhere, and results that must be whole."""
    for command in known:
        for where in ("full", "closed"):
            silent = command[0] in ("report", "explore", "identify")
            yield Case(f"stdout is {where}", [*command, *BASES[command]], EITHER if silent else REFUSED, ["stdout"], stdout=where)
    for command in known:
        if command in ALONE or command[0] == "show":
            continue
        base = [*command, *BASES[command]]
        names = [name for option in known[command] for name in option.names]
        for option in ("--json", "--csv"):
            if option not in names:
                continue
            yield Case("records", [*base, option, "out.jsonl"], DONE, written="out.jsonl" if option == "--json" else "")
            yield Case("records over others", [*base, option, "valid.jsonl"], DONE, kept="valid.jsonl",
                       written="valid.jsonl" if option == "--json" else "")
            yield Case("records to stdout", [*base, option, "-"], DONE)
        if "--json" in names:
            yield Case("records, stdout full", [*base, "--json", "out.jsonl"], REFUSED, ["stdout"], stdout="full")
            yield Case("records in a closed folder", [*base, "--json", "/proc/none/x"], REFUSED, ["/proc/none/x"])
        if "--trace" in names and "--json" in names:
            for same in ("same", "-"):
                yield Case("contradiction", [*base, "--trace", same, "--json", same], REFUSED, ["--trace"])


def record_lines():
    """A context and a record of `arlab count`, as a file has them."""
    context = {"schema": 2, "kind": "context", "version": "0", "commit": "c", "date": "d", "host": "h", "cpu": "c", "gpu": None, "compiler": "g",
               "build": "b", "mpi": None, "nccl": None, "cuda": None, "command": "arlab count"}
    record = {"schema": 2, "kind": "count", "backend": None, "algorithm": "ring", "collective": "allreduce", "ranks": 3, "elements": 10,
              "dtype": "float32", "op": "sum", "root": 0, "groups": None, "bytes": 40, "lanes": 1, "segments": 1, "topology": None, "model": None,
              "machine": None, "compressor": None, "messages": 12, "elements_sent": 40, "bytes_sent": 160, "rounds": 4,
              "claimed": {"messages": 12, "elements_sent": 40, "rounds": 4}, "time_us": None, "modelled_us": None, "algbw_gb_per_s": None,
              "busbw_gb_per_s": None, "wrong": 0, "skipped": None, "label": "Ring", "color": "#0072B2", "family": "split"}
    return context, record


def damaged_files():
    """Yields (name, text, key) of result files with one thing wrong, and (name, text, None) of other files."""
    context, record = record_lines()
    line = json.dumps

    def damaged(label, changed, key):
        text = line(context) + "\n" + line(changed) + "\n"
        return f"damaged-{label}.jsonl", text, key

    for key, value in record.items():
        left = {name: part for name, part in record.items() if name != key}
        yield damaged(f"without-{key}", left, key)
        wrong = [1] if isinstance(value, str) or value is None else "text"
        yield damaged(f"type-{key}", {**record, key: wrong}, key)
        if isinstance(value, int):
            yield damaged(f"negative-{key}", {**record, key: -1}, key)
            yield damaged(f"half-{key}", {**record, key: 1.5}, key)
    yield damaged("claimed-part", {**record, "claimed": {"messages": 1}}, "claimed")
    yield damaged("other-kind", {**record, "kind": "measure"}, "kind")
    yield damaged("schedule", {"schema": 2, "kind": "schedule"}, "schedule")
    for schema in (0, 3, "2", None, 2.5, [], -1):
        yield damaged(f"schema-{schema}", {**record, "schema": schema}, "schema")
    for key in context:
        left = {name: part for name, part in context.items() if name != key}
        yield f"context-without-{key}.jsonl", line(left) + "\n" + line(record) + "\n", key
    for label, text in (("deep", "[" * 100_000 + "]" * 100_000 + "\n"), ("deep-key", '{"schema":2,"kind":"count","x":' + "[" * 9999 + "]" * 9999 + "}\n"),
                        ("cut-inside", line(context) + "\n" + line(record)[:50] + "\n" + line(record) + "\n"), ("number", "17\n"), ("text", '"kind"\n'),
                        ("zeros", "\0" * 1000 + "\n"), ("html", "<html></html>\n"), ("huge-number", '{"schema":1e999,"kind":"count"}\n'),
                        ("two", "{}{}\n")):
        yield f"file-{label}.jsonl", text, "record"


def file_cases():
    """Result files that are not what `arlab --json` writes, read by report and by --resume."""
    for name, _, key in damaged_files():
        yield Case("damaged result file", ["report", name], REFUSED, [key, "not a record"], kept=name)
        yield Case("damaged result file, resumed", ["count", "ring", "-p", "3", "-n", "10", "--json", name, "--resume"], REFUSED,
                   [key, "not a record"], kept=name)
    for name in INPUTS + ["empty", "/dev/zero", "valid.csv"]:
        yield Case("no result file", ["report", name], REFUSED, [name[:40], "empty"])
    for name in ("garbage.graphml", "garbage.dot", "deep.dot", "empty.graphml", "folder.graphml", "missing.graphml", "loop.dot", "negative.dot",
                 "nan.graphml", "one.dot", "bomb.graphml", "huge.dot"):
        yield Case("network file", ["show", "topology", name], REFUSED, [name, "host", "link"])
        yield Case("network file", ["simulate", "ring", "-p", "2", "--network", f"fluid:topology={name}"], REFUSED, [name, "host", "link"])
    for name in ("torn_nccl.xml", "other.xml", "words.yml", "links.txt", "torn_matrix.txt", "file:plain.txt", "file:empty", "network_nccl_h200.xml",
                 "network_smi_h100.txt", "network_astra_h100.yml:systems=2"):
        yield Case("network of another program", ["show", "topology", name], REFUSED, [name.removeprefix("file:").split(":")[0]])
        yield Case("network of another program", ["simulate", "ring", "-p", "2", "--network", f"fluid:topology={name}"], REFUSED,
                   [name.removeprefix("file:").split(":")[0]])
    for name in ("./missing", "./folder", "./garbage.bin", "./empty", "./valid.jsonl", "."):
        yield Case("placement file", ["show", "topology", f"ring:placement={name}", "-p", "4"], REFUSED, [name, "host"])


# Texts that the program reads: (a file that it wrote, the command that reads it). The first word of the list stands for the file.
READERS = {
    "made.json": [["verify", "file:FILE"], ["count", "file:FILE"], ["simulate", "file:FILE", "-s", "1K"], ["run", "file:FILE", "-p", "3", "-n", "10", "--time", "0"]],
    "made.xml": [["verify", "file:FILE"], ["show", "file:FILE", "-p", "3"]],
    "made.goal": [["simulate", "file:FILE"]],
    "made.toml": [["simulate", "ring", "-p", "4", "-s", "1K", "--network", "FILE"], ["plan", "-m", "profile:vgg16", "--gpus", "4", "--network", "./FILE"]],
    "profile.json": [["plan", "-m", "profile:./FILE", "--gpus", "4"], ["plan", "--breakdown", "-m", "profile:./FILE"]],
    "machine.xml": [["show", "topology", "FILE:latency=1us"]],
    "platform.xml": [["show", "topology", "FILE"]],
    "gpus.txt": [["show", "topology", "FILE:nvlink=25GB/s,latency=1us"]],
    "dimensions.yml": [["show", "topology", "FILE"]],
    "star.txt": [["show", "topology", "FILE"]],
    "table.json": [["run", "auto", "-p", "2", "-n", "10", "--time", "0", "--table", "FILE"]],
}


def damages(text):
    """Yields (label, damaged text, whether it must be refused)."""
    yield "half", text[: len(text) // 2], True
    yield "start", text[:9], True
    yield "binary", "\0\x01\xff" + text, True
    yield "other", "<html>no</html>\n", True
    yield "deep", "[" * 100_000, True
    for label, end in (("returns", "\r\n"), ("blanks", "\n\n")):
        yield label, text.replace("\n", end), False
    numbers = list(re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", text))
    for at in numbers[:: max(1, len(numbers) // 6)]:
        for value in ("-1", "nan", "1e999", "99999999999999999999", "\"x\"", ""):
            yield f"{value or 'nothing'}-{at.start()}", text[: at.start()] + value + text[at.end():], False


def text_cases(arlab, environment):
    """Files in the program's own formats, whole and damaged. Yields cases with the files that they need."""
    made = {}
    for name, words in (("made.json", ["export", "ring", "-p", "3", "-n", "10"]), ("made.xml", ["export", "ring", "-p", "3", "-n", "12", "-f", "msccl"]),
                        ("made.goal", ["export", "ring", "-p", "3", "-n", "10", "-f", "goal"])):
        made[name] = subprocess.run([arlab, *words], capture_output=True, text=True, timeout=60, env=environment, check=True).stdout
    made["profile.json"] = json.dumps({
        "profile": 1, "name": "x", "device": "d", "batch": 4, "samples": "images", "parameters": 10, "gradient_bytes": 4,
        "optimizer_ps_per_parameter": 1, "sources": dict.fromkeys(("parameters", "forward_us", "backward_us", "optimizer_ps_per_parameter"), "a"),
        "layers": [{"name": "l", "tensors": {"w": 10}, "forward_us": 10, "backward_us": 20}]})
    with tempfile.TemporaryDirectory(prefix="arlab-hostile-") as folder:
        table = pathlib.Path(folder) / "table.json"
        subprocess.run([arlab, "tune", "ring,tree", "--network", "10G", "-p", "2,4", "-n", "10", "--table", table], capture_output=True, timeout=60,
                       env=environment, check=True)
        made["table.json"] = table.read_text(encoding="utf-8")
    networks = pathlib.Path(__file__).parents[1] / "bench" / "formats" / "topologies" / "files"
    for name, source in (("machine.xml", "nccl_h200.xml"), ("platform.xml", "simgrid_cabinets.xml"), ("gpus.txt", "smi_v100.txt"),
                         ("dimensions.yml", "astra_three.yml"), ("star.txt", "simai_two_servers.txt")):
        made[name] = (networks / source).read_text(encoding="utf-8")
    made["made.toml"] = (pathlib.Path(__file__).parent / "machine.toml").read_text(encoding="utf-8")
    for name, text in made.items():
        stem, end = name.split(".")
        for reader in READERS[name]:
            yield Case("a file of ours", [word.replace("FILE", name) for word in reader], DONE, files={name: text})
        for label, damaged, refused in damages(text):
            for reader in READERS[name]:
                file = f"{stem}-{re.sub('[^a-z0-9]', '-', label)}.{end}"
                refused = refused and not (name == "made.goal" and label in ("half", "start"))
                yield Case("a damaged file", [word.replace("FILE", file) for word in reader], REFUSED if refused else EITHER, [file],
                           files={file: damaged})


def python_cases():
    """Algorithms in Python files, which the program starts Python for."""
    commands = (["verify", "-p", "3"], ["count", "-p", "3", "-n", "10"], ["simulate", "-p", "4", "-s", "1K"], ["run", "-p", "2", "-n", "10", "--time", "0"])

    def case(kind, verb, label, text, expect, names=()):
        file = f"mine-{label}.py"
        said = [name.replace("FILE", file) for name in names]
        return Case(kind, [verb[0], f"file:{file}", *verb[1:]], expect, said, files={file: text})

    for verb in (*commands, ["show", "-p", "3"], ["export", "-p", "3", "-n", "10"]):
        yield case("an algorithm in Python", verb, "right", python_programs.RIGHT, DONE)
    for label, text in python_programs.ODD:
        for verb in commands[:2]:
            yield case("an odd file in Python", verb, label, text, EITHER if label.startswith("closes") else DONE, ["Python"])
    for label, text, names in python_programs.FILES:
        yield case("no algorithm in Python", commands[0], label, text, REFUSED, names)
    for label, text, names in python_programs.WRONG:
        for verb in commands:
            yield case("a wrong algorithm in Python", verb, label, text, EITHER, [*names, "wrong results"])
    for label, text, names in python_programs.COSTS:
        yield case("a wrong formula in Python", commands[1], label, text, REFUSED, names)
    for name in ("", ".py", "missing.py", "folder.py", "right.py:", "right.py:nosuch", "right.py:%s%n", "right.py:mine:mine", "right.py\nx.py", "y" * 5000 + ".py"):
        yield Case("no file in Python", ["verify", f"file:{name}", "-p", "3"], REFUSED, [name[:40].split(":")[0] or "file:", "file"],
                   files={"right.py": python_programs.RIGHT, "folder.py/x": ""})
    yield Case("no Python", ["verify", "file:right.py", "-p", "3"], REFUSED, ["python3"], {"PATH": "/nonexistent"}, files={"right.py": python_programs.RIGHT})
    yield Case("output is the input", ["export", "file:right.py", "-p", "3", "-n", "10", "-o", "right.py"], REFUSED, ["right.py"], kept="right.py",
               files={"right.py": python_programs.RIGHT})


def table_cases():
    """Damaged tables of published measurements."""
    head = "round,org,system,model,gpus,global_batch,samples_per_s,step_ms,runs,split"
    row = ["v2.0", "Dell", "2xA100", "resnet", "8", "1632", "22657.5", "72.03", "5", "calibrate"]
    for column, key in enumerate(head.split(",")):
        for value in ("", "-1", "nan", "1e999", "text", '"'):
            damaged = [*row[:column], value, *row[column + 1:]]
            read = column in (4, 5, 6, 7, 9) or (value == "" and column in (2, 3))
            yield Case("damaged table", ["validate", "damaged_table"], REFUSED if read else EITHER,
                       [key, "line", "training_scaling.csv"], files={"damaged_table/training_scaling.csv": f"{head}\n{','.join(damaged)}\n"})
    for text in ("", head + "\n", head + "\nv2.0,Dell\n", "\0\1\2"):  # empty, its head only, short, binary
        yield Case("damaged table", ["validate", "damaged_table"], EITHER, ["training_scaling.csv"],
                   files={"damaged_table/training_scaling.csv": text}, kept="")


def gain_cases():
    """Damaged tables of published gains."""
    head = "source,model,gpus,gpus_per_node,batch_per_gpu,one_gpu_samples_per_s,least_gbit_per_s,gbit_per_s,method,baseline,value,startup_us,ns_per_byte"
    row = ["P3", "ResNet-50", "4", "1", "32", "85", "", "30", "MG-WFBP", "WFBP-A2A", "0.25", "500", "0.5"]
    for column, key in enumerate(head.split(",")):
        for value in ("", "-1", "nan", "1e999", "text"):
            damaged = [*row[:column], value, *row[column + 1:]]
            read = (column in (2, 3, 4, 5, 7, 10, 11, 12) and (key, value) != ("value", "-1")) or \
                (key == "least_gbit_per_s" and value != "") or (value == "" and column in (0, 1, 8))
            yield Case("damaged table", ["validate", "damaged_gains"], REFUSED if read else EITHER,
                       [key, "line", "published_gains.csv"], files={"damaged_gains/published_gains.csv": f"{head}\n{','.join(damaged)}\n"})


def overwriting_cases():
    """An output that is also the input."""
    for words in (["simulate", "file:made.goal", "-o", "made.goal"], ["show", "topology", "loop.dot", "-o", "loop.dot"], ["report", "valid.jsonl", "-o", "valid.jsonl"],
                  ["simulate", "ring", "-p", "4", "-s", "1K", "--network", "negative.toml", "-o", "negative.toml"],
                  ["compare", "timed.jsonl", "timed.jsonl", "-o", "./timed.jsonl"], ["export", "file:deep.json", "-o", "deep.json"],
                  ["plan", "-m", "profile:deep.json", "--json", "deep.json"], ["plan", "-m", "profile:deep.json", "--trace", "deep.json"]):
        kept = words[-1].removeprefix("./")
        yield Case("output is the input", words, REFUSED, [kept], kept=kept, files={kept: "num_ranks 1\n"} if kept == "made.goal" else {})


def backend_cases():
    """Every backend where no launcher runs, and two ranks under one with wrong options."""
    for backend in ("cuda", "cuda-streams", "mpi", "mpi-cuda", "nccl", "shm", "shm-mapped", "threads", "virtual", "simulated", "nosuch", "THREADS", "mpi,threads"):
        for command in (("run",), ("calibrate",), ("train",)):
            base = BASES[command]
            yield Case("backend", [*command, *base, "-b", backend], EITHER, [backend, "-b", "--backend", "mpirun", "--steps"])
    for backend in ("mpi", "shm", "shm-mapped"):
        for more in (["-n", "-1"], ["-n", "abc"], ["-p", "7"], ["--json", "/proc/none/x"], ["--json", ""], ["nosuch"], ["--timeout", "-1s"], ["--root", "9"]):
            words = ["run", "ring", "--time", "0", "-b", backend, *([] if more[0] == "-n" else ["-n", "10"]), *more]
            yield Case("two ranks", words, REFUSED, [more[0], more[-1], "9"], launched=2)
    yield Case("two ranks", ["identify", "native", "-n", "10", "--json", "/proc/none/x"], REFUSED, ["/proc/none/x"], launched=2)
    yield Case("two ranks", ["plan", "-m", "profile:vgg16", "--gpus", "4"], DONE, launched=2)
    yield Case("two ranks", ["bound", "ring:hosts=4"], DONE, launched=2)


def sweep_cases():
    """Sweeps that are far too large: an answer soon, and limits before work."""
    for verb in ("verify", "count", "simulate", "run"):
        for algorithm in ("ring", "all", "master_worker", "all_to_all", "tree", "butterfly"):
            for p, n in (("1e9", "10"), ("1e9", "0"), ("1..100000+1", "10"), ("1M", "1M"), ("1,2,1e9", "1K,1M")):
                yield Case("huge plan", [verb, algorithm, "-p", p, "-n", n, "--dry-run"], DONE)
        yield Case("huge plan", [verb, "ring", "-p", "4", "-n", "1M", "--segments", "1..65536+1", "--dry-run"], DONE)
        yield Case("huge plan", [verb, "all", "-p", "64", "--layout", "groups=8", "-n", "1M", "--segments", "65536", "--dry-run"], DONE)
    for verb in ("verify", "count", "simulate"):
        for algorithm in ("ring", "master_worker", "all_to_all"):
            for n in ("0", "1", "1M"):
                yield Case("huge sweep", [verb, algorithm, "-p", "1e9", "-n", n], DONE)
    for form in ("json", "ti", "perfetto"):
        for n in ("0", "1M"):
            expect = REFUSED if n != "0" else EITHER  # nothing to send is nothing to write
            yield Case("huge export", ["export", "ring", "-p", "1e9", "-n", n, "--format", form], expect, ["ranks", "messages"])
    yield Case("huge topology", ["show", "topology", "torus", "-p", "1e9"], REFUSED, ["torus", "hosts", "1000000000", "--ranks"])
    yield Case("huge table", ["show", "ring", "-p", "1e9"], REFUSED, ["ranks"])


def all_cases(arlab, environment):
    """Returns every case, always in the same order."""
    known, cases = {}, []
    for command in commands_of(arlab, environment):
        options = options_of(arlab, command, environment)
        if options is not None:
            known[command] = options
    options = [option for own in known.values() for option in own]
    for command, own in known.items():
        for option in own:
            cases += value_cases(option, BASES[command])
    for more in (wrong_verb_cases(options, known), word_cases(known), pair_cases(), rank_cases(known), output_cases(known), file_cases(),
                 text_cases(arlab, environment), python_cases(), table_cases(), gain_cases(), overwriting_cases(), backend_cases(), sweep_cases()):
        cases += more
    return cases
