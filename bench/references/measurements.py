"""What is measured for the documentation: a function for each table, with the commands that a reader would type."""

import json
import pathlib
import random
import re
import typing

from results_lab import Lab, Rows, code, measurement, of_table, step_us, time_text

# Collectives


@measurement("mpi", "mpirun -n 4 arlab run all -s 1K..4Mx4")
def mpi(lab: Lab) -> Rows:
    wanted = {1 << 10: "1 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB", 4 << 20: "4 MiB"}
    times: dict[str, dict[int, float]] = {}
    for record in lab.records("mpirun -n 4 arlab run all -s 1K..4Mx4"):
        if record["time_us"]:
            times.setdefault(record["algorithm"], {})[record["bytes"]] = record["time_us"]["median"]
    rows = [["algorithm", *wanted.values()]]
    return rows + [[code(name), *(time_text(of[size]) for size in wanted)] for name, of in times.items()]


SIMULATED = {
    "ring on 2^20 ranks, LogGOPS, symmetry": "arlab simulate ring -p 1M -s 4M --network loggops",
    "butterfly on 2^20 ranks, LogGOPS, symmetry": "arlab simulate butterfly -p 1M -s 4K --network loggops",
    "butterfly on 2^20 ranks, LogGOPS, sweep": "arlab simulate butterfly -p 1M -s 4K --network loggops --engine all_ranks",
    "butterfly on 2^20 ranks, alpha-beta, sweep": "arlab simulate butterfly -p 1M -s 4K --network alpha_beta --engine all_ranks",
    "butterfly on 2^20 ranks, LogGOPS, events": "arlab simulate butterfly -p 1M -s 4K --network loggops --engine events",
    "ring on 4096 ranks, LogGOPS, events": "arlab simulate ring -p 4096 -s 16M --network loggops --engine events",
    "ring on 1024 ranks, fluid, crossbar": "arlab simulate ring -p 1024 -s 1M --network fluid --engine all_ranks",
    "round_robin on 1024 ranks, random placement, fat tree 4:1":
        "arlab simulate round_robin -p 1024 -s 1M --network "
        "fat_tree:down=32x32,up=1x8,count=1x1,placement=random",
    "all_to_all on 1024 ranks, fluid, crossbar": "arlab simulate all_to_all -p 1024 -s 1M --network fluid --engine all_ranks",
}


@measurement("simulator", *SIMULATED.values(), "arlab verify all -p 1..64+1")
def simulator(lab: Lab) -> Rows:
    rows = [["simulated", "messages", "CPU time", "messages per second", "peak memory"]]
    for what, command in SIMULATED.items():
        used = lab.run(command + " --json -")
        messages = json.loads(used.output.splitlines()[-1])["messages"]
        one_by_one = "symmetry" not in what.split(", ")  # else one rank stands for all
        rate = f"{messages / used.cpu_s / 1e6:.3g} million" if one_by_one else ""
        count = f"{messages / 1e6:.3g} million" if messages < 1e12 else f"{messages / 1e12:.3g} x 10^12"
        rows.append([what, count, f"{used.cpu_s:.2f} s", rate, f"{used.peak_bytes / 1e6:.0f} MB"])
    used = lab.run("arlab verify all -p 1..64+1")
    return rows + [["proof and count of all algorithms, 1 to 64 ranks", "", f"{used.cpu_s:.2f} s", "",
                    f"{used.peak_bytes / 1e6:.0f} MB"]]


REDUCTIONS = "'reduce/.*/(4194304|67108864)'"


@measurement("reduce", f"arlab_micro --benchmark_filter={REDUCTIONS} --benchmark_repetitions=3 --benchmark_min_time=0.1")
def reduce(lab: Lab) -> Rows:
    found = lab.micro(REDUCTIONS, "--benchmark_repetitions=3", "--benchmark_min_time=0.1")
    sizes = {"4194304": "4 MiB", "67108864": "64 MiB"}
    operations = {"add": "sum", "prod": "prod", "min": "min", "max": "max"}
    rows = [["part of the limit"] + [f"{text}: {word}" for text in sizes.values() for word in operations.values()]]
    for dtype in dict.fromkeys(name.split("/")[2] for name in found if name.count("/") == 3):
        rows.append([code(dtype)] + [f"{found[f'reduce/{operation}/{dtype}/{size}']['of_limit']:.2f}"
                                     for size in sizes for operation in operations])
    return rows


AGREEMENT = ("--ranks 16,64 --sizes 1K,64K,64M", "--ranks 256 --sizes 1K,1M,64M",
             "--algorithms ring,butterfly,tree --ranks 1024 --sizes 1K,64M")


@measurement("simgrid-agreement", *(f"bench/references/simgrid/agreement.py ARLAB {options}" for options in AGREEMENT), slow=True)
def simgrid_agreement(lab: Lab) -> Rows:
    worst: dict[str, list[str]] = {}
    for column, options in enumerate(AGREEMENT):
        for algorithm, *_, difference, _ in of_table(lab.python("simgrid/agreement.py", f"ARLAB {options}"))[1:]:
            cells = worst.setdefault(algorithm, ["", "", ""])
            cells[column] = max(cells[column], difference.lstrip("+-"), key=lambda cell: float(cell or 0))
    return [["algorithm", "16, 64 ranks", "256 ranks", "1024 ranks"], *([name, *cells] for name, cells in worst.items())]


@measurement("simgrid-speed", "bench/references/simgrid/speed.py ARLAB", slow=True)
def simgrid_speed(lab: Lab) -> Rows:
    return of_table(lab.python("simgrid/speed.py", "ARLAB"))


STUDIED = {"torus:dims=16x16": "torus, 16 x 16", "fat_tree:down=16x16,up=1x16": "fat tree 1:1, 16 hosts per leaf",
           "fat_tree:down=16x16,up=1x4": "fat tree 4:1", "rail_pod:nodes=32": "rail pod, 32 nodes"}
STUDY = ("arlab simulate all_to_all,butterfly,hierarchical,master_worker,ring,round_robin,tree -p 256 -s 1K..1Gx4 "
         f"--network {','.join(STUDIED)}")


def size_text(size: int) -> str:
    for unit, shift in (("GiB", 30), ("MiB", 20)):
        if size >= 1 << shift:
            return f"{size >> shift} {unit}"
    return f"{size >> 10} KiB"


@measurement("winners", STUDY, slow=True, exact=True)
def winners(lab: Lab) -> Rows:
    records = [record for record in lab.records(STUDY) if record["modelled_us"]]
    sizes = sorted({record["bytes"] for record in records})
    rows = [["network", *map(size_text, sizes)]]
    topologies = list(dict.fromkeys(record["topology"] for record in records))  # in the order of STUDIED
    for topology, name in zip(topologies, STUDIED.values(), strict=True):
        fastest = [min((r for r in records if r["topology"] == topology and r["bytes"] == size), key=lambda r: r["modelled_us"])
                   for size in sizes]
        rows.append([name, *(record["algorithm"] for record in fastest)])
    return rows


MODELS = {"alpha_beta": "", "loggops": "", "connections": "", "packet": "", "fluid": ""}
PIECES = {"16 ranks, 64 MiB": ("arlab simulate chain,double_tree,tree -p 16 -s 64M --segments 1,16", ""),
          "8 ranks, 1 GiB": ("arlab simulate chain,double_tree,tree,master_worker -p 8 -s 1G --segments 64", "leaf_spine")}


def on_model(command: str, model: str, options: str, topology: str) -> str:
    has_links = model in ("packet", "fluid")
    settings = [options, f"topology={topology}" if topology and has_links else ""]
    return f"{command} --network {':'.join(filter(None, [model, ','.join(filter(None, settings))]))}"


def times_by_model(lab: Lab, command: str, options: dict[str, str], topology: str) -> dict[tuple[str, int, int], list[float]]:
    """Times under each model, by algorithm, pieces and bytes."""
    times: dict[tuple[str, int, int], list[float]] = {}
    for model, more in options.items():
        for r in lab.records(on_model(command, model, more, topology)):
            times.setdefault((r["algorithm"], r["segments"], r["bytes"]), []).append(r["modelled_us"])
    return times


@measurement("pieces", *(on_model(command, model, "", topology) for command, topology in PIECES.values() for model in MODELS),
             slow=True, exact=True)
def pieces(lab: Lab) -> Rows:
    rows = [["", *map(code, MODELS)]]
    for what, (command, topology) in PIECES.items():
        for (name, segments, _), times in times_by_model(lab, command, MODELS, topology).items():
            in_pieces = f" --segments {segments}" if segments > 1 else ""
            rows.append([f"`{name}{in_pieces}`, {what}", *(f"{us / 1e3:.1f} ms" for us in times)])
    return rows


# Costs of a message next to nothing, so that only its bytes count; all messages are eager.
CHEAP = {"alpha_beta": "alpha=1ns", "loggops": "L=100ns,o=1ns,g=1ns,S=1T", "connections": "L=100ns,g=1ns,S=1T",
         "packet": "", "fluid": ""}
DRAWN = random.Random(18).sample(
    ["all_to_all", "bidirectional_ring", "bine_tree", "butterfly", "chain", "circulant", "double_tree", "master_worker", "pat",
     "rabenseifner", "recursive_multiplying", "ring", "round_robin", "swing", "swing_whole", "tree"], 8)  # any number of ranks
AGREE = f"arlab simulate {','.join(DRAWN)} -p 16 -s 1M,16M --segments 1,4,16,64"
CROSSBAR = "crossbar:hosts=16,latency=100ns"


@measurement("models", *(on_model(AGREE, model, options, CROSSBAR) for model, options in CHEAP.items()), slow=True, exact=True)
def models(lab: Lab) -> Rows:
    """How much longer the slowest model says than the fastest, and which these are, for algorithms drawn at random."""
    times = times_by_model(lab, AGREE, CHEAP, CROSSBAR)
    columns = list(dict.fromkeys((size, segments) for _, segments, size in times))
    rows = [["algorithm", *(f"{size_text(size)} in {segments}" for size, segments in columns)]]
    for name in DRAWN:
        cells = []
        for size, segments in columns:
            by_model = dict(zip(CHEAP, times[name, segments, size], strict=True))
            low, high = min(by_model, key=by_model.get), max(by_model, key=by_model.get)
            ratio = by_model[high] / by_model[low]
            cells.append(f"{ratio:.2f}" + (f" {high} / {low}" if ratio > 1.1 else ""))
        rows.append([code(name), *cells])
    return rows


KINDS = {"torus": "torus", "leaf_spine": "fat tree 1:1, 16 hosts per leaf", "leaf_spine:oversubscription=4": "fat tree 4:1",
         "dragonfly": "dragonfly", "rail_pod": "rail pod, 8 GPUs per node"}
MAP = ("arlab simulate bidirectional_ring,bine_tree,butterfly,chain,circulant,double_tree,hierarchical,master_worker,pat,"
       "rabenseifner,recursive_multiplying,ring,swing,swing_whole,torus_bucket,tree,trivance -p 16,64,256 -s 1K..1Gx16 "
       f"--network {','.join(KINDS)}")

FORESTS = ["arlab simulate forest -p 16,64 -s 1K..1Gx16 --network "
           f"{','.join(kind for kind in KINDS if kind != 'dragonfly')}",
           "arlab simulate forest -p 16 -s 1K..1Gx16 --network dragonfly"]  # 64 ranks take minutes


def busiest(record: dict[str, typing.Any]) -> str:
    link = (record.get("most_utilized_links") or [None])[0]
    return f" ({100 * link['utilization']:.0f}%)" if link else ""


@measurement("map", MAP, *FORESTS, slow=True, exact=True)
def winner_map(lab: Lab) -> Rows:
    """The fastest of each network, number of ranks and size, with the utilization of its most utilized link."""
    records = [record for command in (MAP, *FORESTS) for record in lab.records(command) if record["modelled_us"]]
    sizes = sorted({record["bytes"] for record in records})
    rows = [["network", "ranks", *map(size_text, sizes)]]
    for kind, name in KINDS.items():
        over = "oversubscription" in kind
        for ranks in sorted({record["ranks"] for record in records}):
            here = [r for r in records if r["ranks"] == ranks and r["topology"].startswith(kind.split(":")[0])
                    and ("oversubscription" in r["topology"]) == over]
            best = [min((r for r in here if r["bytes"] == size), key=lambda r: r["modelled_us"]) for size in sizes]
            rows.append([name, str(ranks), *(record["algorithm"] + busiest(record) for record in best)])
    return rows


DISTURBED = {"a rank 100 us late": "--disturb late=37:100us",
             "messages 10 us late on average": "--disturb jitter=10us,runs=20",
             "ranks interrupted for 50 us per ms": "--disturb noise=50us:1ms,runs=20"}
ROBUSTNESS = {what: f"arlab simulate all -p 64 -s 1K,1M --network loggops {options}" for what, options in DISTURBED.items()}
FAILING = ("arlab simulate all_to_all,bidirectional_ring,bine_tree,butterfly,chain,circulant,double_tree,master_worker,pat,"
           "rabenseifner,recursive_multiplying,ring,round_robin,swing,swing_whole,tree -p 64 -s 1K,1M "
           "--network leaf_spine:oversubscription=4 --disturb flap=all:50us:1ms,runs=20")
ROBUSTNESS["each link down for 50 us per ms"] = FAILING


@measurement("robustness", *ROBUSTNESS.values(), exact=True)
def robustness(lab: Lab) -> Rows:
    """Slowdown by delay of each algorithm, for a short and a long vector."""
    ratios: dict[str, list[str]] = {}
    header = ["algorithm"]
    for what, command in ROBUSTNESS.items():
        records = [record for record in lab.records(command) if record["slowdown_per_delay"] is not None]
        for size in sorted({record["bytes"] for record in records}):
            header.append(f"{what}, {size_text(size)}")
            for record in records:
                if record["bytes"] == size:
                    ratio = record["slowdown_per_delay"]
                    ratios.setdefault(record["algorithm"], []).append(f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}")
    return [header, *([code(name), *cells] for name, cells in ratios.items())]


# Training


@measurement("ddp", "/usr/bin/python3 bench/compare_ddp.py ARLAB --rounds 5 --steps 60", slow=True)
def ddp(lab: Lab) -> Rows:
    lab.needs_pytorch()
    return of_table(lab.python("compare_ddp.py", "ARLAB --rounds 5 --steps 60"))


@measurement("ddp-sharded", "/usr/bin/python3 bench/compare_ddp.py ARLAB --sharded --rounds 5 --steps 60", slow=True)
def ddp_sharded(lab: Lab) -> Rows:
    lab.needs_pytorch()
    return of_table(lab.python("compare_ddp.py", "ARLAB --sharded --rounds 5 --steps 60"))


def scaling(lab: Lab, command: str, workers: list[int], with_loss: bool) -> Rows:
    found: dict[str, dict[int, dict[str, typing.Any]]] = {}
    for record in lab.records(command):
        found.setdefault(record["model"], {})[record["workers"]] = record
    rows = [["model", *(["loss, validation accuracy"] if with_loss else []), *(f"{n} workers" for n in workers),
             "waited for, of a step"]]
    rows[0][rows[0].index("1 workers")] = "1 worker"
    for model, by in found.items():
        last = by[workers[-1]]["epochs"][-1]
        waited = [by[n]["exposed_us"] / by[n]["step_us"] for n in workers[1:]]
        rows.append([code(model),
                     *([f"{last['loss']:.4f}, {100 * last['validation_accuracy']:.1f}%"] if with_loss else []),
                     *(time_text(step_us(by[n])) for n in workers), ", ".join(f"{100 * part:.0f}%" for part in waited)])
    return rows


SCALING = "arlab train -m mlp,cnn_pooled,cnn -w 1,2,4,8 --steps 100"
SCALING_LARGE = "arlab train -m alexnet,resnet50 -w 1,2 -B 16 --steps 8 --data samples=512 --lr 0.01"


@measurement("scaling", SCALING, slow=True)
def scaling_small(lab: Lab) -> Rows:
    return scaling(lab, SCALING, [1, 2, 4, 8], True)


@measurement("scaling-large", SCALING_LARGE, slow=True)
def scaling_large(lab: Lab) -> Rows:
    return scaling(lab, SCALING_LARGE, [1, 2], False)


@measurement("schedulers", "arlab_micro --benchmark_filter=schedules")
def schedulers(lab: Lab) -> Rows:
    found = lab.micro("schedules")
    rows = [["scheduler", "simulated", "real clock"]]
    for name, benchmark in sorted(found.items(), key=lambda item: -item[1]["virtual"]):
        rows.append([code(name.split("/")[1]), f"{benchmark['virtual']:.1f} ms", f"{benchmark['real_time']:.1f} ms"])
    return rows


@measurement("emulated", "arlab_micro --benchmark_filter=virtual")
def emulated(lab: Lab) -> Rows:
    rows = [["emulated ranks", "time"]]
    for name, b in lab.micro("virtual").items():
        values = dict(re.findall(r"(\w+):(\d+)", name))
        if "turns" in name:
            rows.append([f"one switch, {values['ranks']} ranks", time_text(1e6 / b["items_per_second"])])
        else:
            size = int(values["bytes"])
            rows.append([f"ring on {values['ranks']} ranks, {'1 MiB' if size >> 20 else '1 KiB'} per rank",
                         time_text(1000 * b["real_time"])])
    return rows


@measurement("data", "arlab_micro --benchmark_filter=training --benchmark_repetitions=5")
def data(lab: Lab) -> Rows:
    rows = [["CPU time of one core, median of 5", "result"]]
    for name, b in lab.micro("training", "--benchmark_repetitions=5").items():
        us = b["cpu_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3}[b["time_unit"]]
        rate = f", {b['items_per_second']:,.0f} items per second" if "items_per_second" in b else ""
        rows.append([code(name.removeprefix("training/")), time_text(us) + rate])
    return rows


COMPRESSORS = ("fp16 bf16 int8 natural qsgd terngrad onebit ef_signsgd topk randomk threshold dgc powersgd").split()
COMPRESSION = ("arlab train -b virtual -w 8 --data samples=4000 -e 5 --optimizer sgd --lr 0.1 --network 100M,1G,10G,100G "
               f"-a ring,butterfly --compressor none {' '.join(COMPRESSORS)}")


@measurement("compression", COMPRESSION, slow=True)
def compression(lab: Lab) -> Rows:
    """For each compressor its fastest run at each bandwidth, against the fastest dense one."""
    best: dict[str, dict[float, dict[str, typing.Any]]] = {}
    for record in lab.records(COMPRESSION):
        name = (record["compressor"] or "dense").split(":")[0]
        at = best.setdefault(name, {})
        rate = record["bandwidth_gbit_per_s"]
        if rate not in at or record["step_us"] < at[rate]["step_us"]:
            at[rate] = record
    dense = best.pop("dense")
    rates = sorted(dense)
    rows = [["compressor", "combined by", "accuracy", "KiB per step", "codec", *(f"{rate * 1000:g} Mbit/s" if rate < 1
             else f"{rate:g} Gbit/s" for rate in rates)]]
    for name, at in best.items():
        one = at[rates[0]]
        sent = one.get("bytes_per_rank_step", one.get("bytes_per_step"))  # schema 2, schema 1
        net = (f"{100 * (1 - at[rate]['step_us'] / dense[rate]['step_us']):+.0f}%" for rate in rates)
        rows.append([code(name), one["aggregation"], f"{100 * one['epochs'][-1]['validation_accuracy']:.1f}%",
                     f"{sent / 1024:.1f}", time_text(one["codec_us"]), *net])
    accuracy = dense[rates[0]]["epochs"][-1]["validation_accuracy"]
    return rows + [["dense", "allreduce", f"{100 * accuracy:.1f}%", "", "", *(time_text(dense[r]["step_us"]) for r in rates)]]


@measurement("sparse", "arlab_micro --benchmark_filter=sparse/.*ranks:8/part:100/")
def sparse(lab: Lab) -> Rows:
    rows = [["sum of 2^20 floats, 1% of them nonzero per rank, 8 ranks", "bytes of the busiest rank"]]
    for name, benchmark in lab.micro("sparse/.*ranks:8/part:100/").items():
        rows.append([code(name.split("/")[1]), f"{benchmark['sent_bytes']:,.0f}"])
    return rows


OPERATIONS = {  # ours: what LibTorch's script calls it
    "compressors/memcpy/16777216": ("copy", "copy (memcpy)"),
    "compressors/encode/fp16/16777216": ("to float16", "to float16"),
    "compressors/encode/bf16/16777216": ("to bfloat16", "to bfloat16"),
    "compressors/encode/signsgd/16777216": ("signs, packed", "sign, packed bits"),
    "compressors/select/part/16777216/100": ("positions of the largest 1%", "topk of magnitudes, 1 %"),
    "compressors/encode/int8/16777216": ("int8 (ours: a step per 1024 elements)", "int8, one step for all"),
    "compressors/encode/qsgd/16777216": ("QSGD, 7 levels, buckets of 512", "QSGD, 7 levels, buckets of 512"),
}


@measurement("codecs", "arlab_micro --benchmark_filter=compressors", "/usr/bin/python3 bench/torch_encoders.py", slow=True)
def codecs(lab: Lab) -> Rows:
    lab.needs_pytorch()
    theirs = {name: float(ns) for name, ns in of_table(lab.python("torch_encoders.py", ""))[1:]}
    ours = lab.micro("'" + "|".join(f"{name}$" for name in OPERATIONS) + "'")
    rows = [["nanoseconds per element", "ours", "LibTorch", "times faster"]]
    for name, (what, theirs_name) in OPERATIONS.items():
        ns = 1e9 / ours[name]["items_per_second"]
        rows.append([what, f"{ns:.2f}", f"{theirs[theirs_name]:.2f}", f"{theirs[theirs_name] / ns:.2g}"])
    return rows


@measurement("explorer", "arlab explore -o explore.html")
def explorer(lab: Lab) -> Rows:
    lab.run("arlab explore -o explore.html")
    size = pathlib.Path(lab.folder, "explore.html").stat().st_size
    return [["explorer", "result"], ["size of the page", f"{size / 1e6:.2f} MB"]]
