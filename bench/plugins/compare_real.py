#!/usr/bin/env python3
"""Steps in virtual time beside those of real ranks, on clusters that bench/cluster/emulate makes. It needs root, PyTorch, and the
Python package arlab.

    compare_real.py build/release/bench/arlab [--ranks 2,4] [--rates 100mbit,1gbit] [--buckets 1,2,5,10,25] [--steps 24] [--turns 3]

For each rate it calibrates the cluster on 3 hosts. Then, in turns, a script of DistributedDataParallel runs on real ranks over the
backend arlab, whose rings are the simulated ones, or with --backend gloo; in virtual time as one process; and in virtual time with as
many processes. All run with the priority of emulate. The script says the median of its steps, by its own clock.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

EMULATE = pathlib.Path(__file__).resolve().parents[1] / "cluster" / "emulate"
DEPTH, WIDTH, BATCH = 32, 416, 64  # 5.5 million parameters in tensors of 0.7 MB
TIE = 0.02  # steps this alike have no order


def train(steps, bucket, backend):
    """The script: prints the median step in seconds on rank 0."""
    import torch
    if backend == "arlab":
        import arlab.torch  # which registers it
    for name, other in (("RANK", "OMPI_COMM_WORLD_RANK"), ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE")):
        os.environ.setdefault(name, os.environ.get(other, ""))
    torch.distributed.init_process_group(backend)
    torch.manual_seed(1)
    layers = [layer for _ in range(DEPTH) for layer in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=bucket)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch, times = torch.randn(BATCH, WIDTH), []
    for _ in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
    if torch.distributed.get_rank() == 0:
        print(f"median {statistics.median(times[steps // 3:])}", flush=True)
    torch.distributed.barrier()
    if torch.distributed.get_rank() == 0:
        time.sleep(1)  # its store must end last: PyTorch 1.13's others wait forever for one that is gone


def emulate(*words, check=True):
    done = subprocess.run([sys.executable, "-B", EMULATE, *map(str, words)], capture_output=True, text=True, check=False)
    if check and done.returncode:
        sys.exit(f"emulate {' '.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def median_of(text):
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("median "))


def script(options, bucket, virtual):
    return [sys.executable, "-B", *(["-m", "arlab.virtual"] if virtual else []), __file__, "--train", bucket, "--steps", options.steps,
            "--backend", options.backend]


def variables(settings):
    """Words for env: mpirun gives processes on other hosts nothing of this environment."""
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "LD_PRELOAD", "ASAN_OPTIONS") if name in os.environ}
    return ["env", *(f"{name}={value}" for name, value in {**kept, "OMP_NUM_THREADS": "1", **settings}.items())]


def real(options, ranks, bucket):
    ours = variables({"ARLAB_ALGORITHM": "ring", "MASTER_ADDR": "10.231.0.1", "MASTER_PORT": "29631", "GLOO_SOCKET_IFNAME": "data"})
    return median_of(emulate("run", "-n", ranks, *ours, *script(options, bucket, False)))


def virtual(options, ranks, bucket, machine, processes):
    """In virtual time, and beside other programs of this machine as real ranks are: on the emulated hosts."""
    settings = {"ARLAB_VIRTUAL": f"{ranks}:time=virtual{',processes=real' if processes else ''}", "ARLAB_NETWORK": machine,
                "ARLAB_ALGORITHM": "ring", "MASTER_ADDR": "10.231.0.1", "MASTER_PORT": "29632", "GLOO_SOCKET_IFNAME": "data"}
    return median_of(emulate("run", "-n", ranks if processes else 1, *variables(settings), *script(options, bucket, True)))


def order_holds(found, reference):
    """Whether all pairs that are apart in the reference have the same order, and how many there are."""
    pairs = [(a, b) for a in reference for b in reference if reference[a] * (1 + TIE) < reference[b]]
    return sum(found[a] < found[b] for a, b in pairs), len(pairs)


def compare(options, ranks, rate, machine):
    ways = {"real": lambda bucket: real(options, ranks, bucket), "one process": lambda bucket: virtual(options, ranks, bucket, machine, False),
            "processes": lambda bucket: virtual(options, ranks, bucket, machine, True)}
    times = {way: {} for way in ways}
    for bucket in options.buckets:
        turns = {way: [] for way in ways}
        for _ in range(options.turns):
            for way, run in ways.items():
                turns[way].append(run(bucket))
        for way, values in turns.items():
            times[way][bucket] = statistics.median(values)
        spread = (max(turns["real"]) - min(turns["real"])) / times["real"][bucket]
        cells = "".join(f"{1e3 * times[way][bucket]:11.1f} {100 * (times[way][bucket] / times['real'][bucket] - 1):+7.1f}%"
                        for way in ("one process", "processes"))
        print(f"{rate:8} {ranks:5} {bucket:6} MB {1e3 * times['real'][bucket]:9.1f} {100 * spread:6.0f}% {cells}", flush=True)
    for way in ("one process", "processes"):
        errors = sorted(abs(times[way][bucket] / times["real"][bucket] - 1) for bucket in options.buckets)
        right, pairs = order_holds(times[way], times["real"])
        print(f"{rate}, {ranks} ranks, {way}: median error {100 * statistics.median(errors):.1f}%, largest {100 * errors[-1]:.1f}%; "
              f"order right in {right} of {pairs} pairs of buckets that are over {100 * TIE:.0f}% apart", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arlab", nargs="?", help="the program, which calibrates")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rates", default="100mbit,1gbit")
    parser.add_argument("--buckets", default="1,2,5,10,25")
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--backend", choices=("arlab", "gloo"), default="arlab", help="of the real ranks")
    parser.add_argument("--machine", help="a machine file, instead of a calibration; of one rate")
    parser.add_argument("--train", type=int, help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.train:
        return train(o.steps, o.train, o.backend)
    if not o.arlab and not o.machine:
        parser.error("give the program arlab, as build/release/bench/arlab")
    o.buckets = [int(bucket) for bucket in o.buckets.split(",")]
    ranks = [int(count) for count in o.ranks.split(",")]
    print(f"{'rate':8} {'ranks':>5} {'bucket':>9} {'real ms':>9} {'spread':>7} {'one process':>19} {'processes':>19}")
    for rate in o.rates.split(","):
        network = emulate("up", "--hosts", max(3, *ranks), "--rate", rate).split()[0]
        try:
            with tempfile.TemporaryDirectory() as folder:
                machine = o.machine or f"{folder}/machine.toml"
                if not o.machine:
                    emulate("run", "-n", 3, pathlib.Path(o.arlab).resolve(), "calibrate", "--network", network, "-o", machine)
                for count in ranks:
                    compare(o, count, rate, machine)
        finally:
            emulate("down", check=False)


if __name__ == "__main__":
    main()
