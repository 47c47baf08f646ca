#!/usr/bin/env python3
"""What LibTorch's own operations take for the work of the compressors, beside a copy of the same gradient.

Compare with `arlab_micro --benchmark_filter=compressors` on the same machine. One thread, float32, CPU time, median of the
runs.
"""
import argparse
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("needs PyTorch's Python: apt install python3-torch, and run it with /usr/bin/python3")


def median_seconds(run, seconds):
    run()
    times = []
    until = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < until:
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return statistics.median(times)


def pack(x, bits_of_byte):
    """Sign bits, eight a byte, with torch's operations alone."""
    return ((x < 0).view(-1, 8).to(torch.uint8) * bits_of_byte).sum(dim=1, dtype=torch.uint8)


def qsgd(x, levels, bucket):
    """QSGD with torch's operations alone, as a compressor written in Python does it."""
    buckets = x.view(-1, bucket)
    norms = buckets.norm(dim=1, keepdim=True)
    exact = buckets.abs() / norms * levels
    below = exact.floor()
    level = below + (torch.rand_like(exact) < exact - below)
    return norms, (level * buckets.sign()).to(torch.int8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-n", type=int, default=16 << 20, help="elements (default 16M), a multiple of 512")
    parser.add_argument("--seconds", type=float, default=2, help="for each operation (default 2)")
    arguments = parser.parse_args()
    if arguments.n < 1000 or arguments.n % 512:
        parser.error(f"-n {arguments.n}: give a multiple of 512, at least 1024")

    torch.set_num_threads(1)
    torch.manual_seed(1)
    x = torch.randn(arguments.n)
    into = torch.empty_like(x)
    bits = torch.tensor([1 << b for b in range(8)], dtype=torch.uint8)
    operations = {
        "copy (memcpy)": lambda: into.copy_(x),
        "to float16": lambda: x.half(),
        "to bfloat16": lambda: x.bfloat16(),
        "sign, unpacked floats": lambda: x.sign(),
        "sign, packed bits": lambda: pack(x, bits),
        "topk of magnitudes, 1 %": lambda: x.abs().topk(arguments.n // 100, sorted=False),
        "int8, one step for all": lambda: torch.quantize_per_tensor(x, 0.05, 128, torch.quint8),
        "QSGD, 7 levels, buckets of 512": lambda: qsgd(x, 7, 512),
    }
    print("| operation | ns an element |\n|---|--:|")
    for name, run in operations.items():
        print(f"| {name} | {median_seconds(run, arguments.seconds) / arguments.n * 1e9:.3f} |", flush=True)


if __name__ == "__main__":
    main()
