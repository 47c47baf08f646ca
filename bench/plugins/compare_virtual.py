#!/usr/bin/env python3
"""Steps in virtual time beside those of `arlab plan`, and what virtual time costs. It needs PyTorch, and the Python package arlab.

    compare_virtual.py [--model mlp,cnn,transformer] [--ranks 8,64,512] [--steps 30] [--slowdown 0.02] [--network 10G]
    compare_virtual.py --cost [--model large] [--ranks 512] [--steps 6]

The first form trains each model with DistributedDataParallel in virtual time, which records its profile, and plans with that. The
second compares the processor time of a step with that of the same script on one real rank.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time


def transformer(words, width, heads, depth):
    import torch

    class Transformer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(words, width)
            layer = torch.nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, batch_first=True)
            self.layers = torch.nn.TransformerEncoder(layer, depth)
            self.out = torch.nn.Linear(width, words)

        def forward(self, tokens):
            return self.out(self.layers(self.embed(tokens))).flatten(0, 1)

    tokens = torch.randint(0, words, (4, 64))
    return Transformer(), tokens, tokens.flatten()


def model_of(name):
    """The model, a batch, and its labels."""
    import torch
    from torch import nn
    if name == "mlp":
        layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)]
        return nn.Sequential(*layers), torch.randn(64, 784), torch.randint(0, 10, (64,))
    if name == "cnn":
        layers = [nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                  nn.Flatten(), nn.Linear(4096, 256), nn.ReLU(), nn.Linear(256, 10)]
        return nn.Sequential(*layers), torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
    return transformer(4096, 384, 6, 4) if name == "transformer" else transformer(9000, 768, 12, 12)


def train(name, steps):
    """The script. The first two steps warm up, and do not count in what it prints: seconds of the processor per step."""
    import torch
    torch.distributed.init_process_group("gloo")
    torch.manual_seed(1)
    model, batch, labels = model_of(name)
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step in range(steps):
        if step == 2:
            begin = time.process_time()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch), labels).backward()
        optimizer.step()
    print((time.process_time() - begin) / (steps - 2))


def run(name, steps, virtual="", network=""):
    """Runs the script, in virtual time or on one real rank. Returns what it prints, and the report."""
    environment = {"OMP_NUM_THREADS": "1", **os.environ, "RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29617"}
    if virtual:
        environment |= {"ARLAB_VIRTUAL": virtual, "ARLAB_NETWORK": network}
    done = subprocess.run([sys.executable, *(["-m", "arlab.virtual"] if virtual else []), __file__, "--train", name, "--steps", str(steps)],
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return float(done.stdout), done.stderr


def compare(models, ranks, steps, slowdown, network):
    import arlab
    print(f"{'model':12} {'ranks':>5} {'virtual ms':>11} {'plan ms':>11} {'difference':>10}")
    for name in models:
        for count in ranks:
            with tempfile.TemporaryDirectory() as folder:
                profile = os.path.join(folder, "model.json")
                _, report = run(name, steps, f"{count}:slowdown={slowdown},profile={profile}", network)
                value, unit = re.search(r"a step takes ([\d.e+]+) (\w+),", report).groups()
                ours = float(value) * {"s": 1e3, "ms": 1, "us": 1e-3}[unit]
                plan = arlab.plan(f"profile:{profile}", gpus=count, network=network)[0].step_us / 1e3
            print(f"{name:12} {count:5} {ours:11.5g} {plan:11.5g} {100 * (ours / plan - 1):+9.2f}%", flush=True)


def cost(models, ranks, steps, network):
    print(f"{'model':12} {'ranks':>5} {'virtual s':>11} {'one rank s':>11} {'cost':>10}")
    for name in models:
        for count in ranks:
            turns = [(run(name, steps, str(count), network)[0], run(name, steps)[0]) for _ in range(3)]
            ours, alone = (min(values) for values in zip(*turns))
            print(f"{name:12} {count:5} {ours:11.5g} {alone:11.5g} {100 * (ours / alone - 1):+9.2f}%", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="")
    parser.add_argument("--ranks", default="")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--slowdown", default="0.02")
    parser.add_argument("--network", default="10G")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--train", default="", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.train:
        return train(o.train, o.steps)
    models = (o.model or ("large" if o.cost else "mlp,cnn,transformer")).split(",")
    ranks = [int(count) for count in (o.ranks or ("512" if o.cost else "8,64,512")).split(",")]
    if o.cost:
        return cost(models, ranks, o.steps, o.network)
    return compare(models, ranks, o.steps, o.slowdown, o.network)


if __name__ == "__main__":
    main()
