#!/usr/bin/env python3
"""PowerSGD by arlab.compress() beside PyTorch's own PowerSGD hook, and no compression: DistributedDataParallel on processes of this
machine, one thread each, with the same model, data, optimizer, and rank. Bytes are what rank 0 sends per step, counted; Gloo does
not count. Jobs take turns; times are medians over the rounds, and losses are means over the last tenth of the steps.

  /usr/bin/python3 bench/plugins/compare_powersgd.py build/release/python [--model mlp] [--rank 4] [--rounds 5] [--steps 200]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from compare_ddp import MODELS, MPI, ONE_THREAD, free_port, torch_model  # noqa: E402

ROWS = (("none", "gloo", "DDP over Gloo"), ("none", "arlab", "DDP over arlab"), ("theirs", "gloo", "PyTorch's PowerSGD over Gloo"),
        ("theirs", "arlab", "PyTorch's PowerSGD over arlab"), ("ours", "arlab", "`arlab.compress()`"))


def worker(options):
    import torch
    import torch.distributed as dist
    from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook

    import arlab

    torch.set_num_threads(1)
    dist.init_process_group(options.backend, init_method=f"tcp://127.0.0.1:{os.environ['MASTER_PORT']}", rank=arlab.rank(),
                            world_size=arlab.world_size())
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)
    model = torch.nn.parallel.DistributedDataParallel(torch_model(options.model))
    if options.hook == "theirs":  # compressed from the second step on and by the same rule of size, as ours
        model.register_comm_hook(PowerSGDState(None, options.rank, start_powerSGD_iter=2, min_compression_rate=1), powerSGD_hook)
    elif options.hook == "ours":
        model.register_comm_hook(None, arlab.compress(f"powersgd:rank={options.rank}"))
    generator = torch.Generator().manual_seed(3)
    images = torch.randn(options.batch * 16, 1, 28, 28, generator=generator)
    labels = (images.flatten(1) @ torch.randn(784, 10, generator=generator)).argmax(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    times, losses, sent = [], [], 0
    for step in range(options.steps):
        if step == options.steps - 1 and options.backend == "arlab":
            sent = arlab.bytes_sent()
        rows = (torch.arange(rank, options.batch, ranks) + step * options.batch) % len(images)
        mine, wanted = images[rows], labels[rows]
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=False)
        loss = torch.nn.functional.cross_entropy(model(mine), wanted)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        times.append((time.perf_counter() - begin) * 1e3)
    sent = arlab.bytes_sent() - sent if options.backend == "arlab" else None
    last = torch.tensor([statistics.mean(losses[-(options.steps // 10):])], dtype=torch.float64)
    dist.all_reduce(last)
    if rank == 0:
        print(json.dumps({"loss": last.item() / ranks, "sent": sent, "ms": statistics.median(times[options.steps // 10:])}), flush=True)
    dist.destroy_process_group()


def job(hook, backend, options):
    environment = {**MPI, **os.environ, **ONE_THREAD, "MASTER_PORT": free_port(), "PYTHONPATH": str(options.package),
                   "GLOO_SOCKET_IFNAME": "lo"}
    command = [options.mpirun, "-n", str(options.ranks), sys.executable, "-B", __file__, str(options.package), "--hook", hook, "--backend",
               backend, "--model", options.model, "--rank", str(options.rank), "--steps", str(options.steps), "--batch", str(options.batch)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        print(f"note: failed: {' '.join(command)}\n{done.stderr}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=lambda path: pathlib.Path(path).resolve(), help="the folder of the built Python package")
    parser.add_argument("--model", default="mlp", choices=MODELS)
    parser.add_argument("--rank", type=int, default=4, help="of the matrices")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=64, help="samples in a step, of all processes together")
    parser.add_argument("--ranks", type=int, default=2, help="processes")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--hook", help=argparse.SUPPRESS)
    parser.add_argument("--backend", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.hook:
        return worker(options)
    if not any(options.package.glob("arlab/torch/_torch*.so")):
        parser.error(f"{options.package} has no compiled package: build the target arlab_torch_plugin")
    if options.steps < 20:
        parser.error(f"--steps {options.steps} are too few: give 20 or more")
    rounds = [[job(hook, backend, options) for hook, backend, _ in ROWS] for _ in range(options.rounds)]
    print("| gradients | loss | sent per step | time per step | range of rounds |\n|---|--:|--:|--:|--:|")
    for (_, _, name), results in zip(ROWS, zip(*rounds)):
        if None in results:
            print(f"| {name} | failed in {results.count(None)} of {len(results)} rounds | | | |")
            continue
        ms = sorted(result["ms"] for result in results)
        sent = f"{results[0]['sent']:,} bytes" if results[0]["sent"] is not None else ""
        print(f"| {name} | {statistics.median(r['loss'] for r in results):.3f} | {sent} | {statistics.median(ms):.2f} ms | "
              f"{ms[0]:.2f} to {ms[-1]:.2f} |")
    return 1 if any(result is None for results in rounds for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
