"""Random calls in which one rank asks for something else: mismatches.py PORT SEED COUNT TIMED, on the ranks of mpirun.

Every rank must get an error and keep its tensors, and the group must be as good as new. TIMED further cases, in which a rank
uses another group or waits for a message, end with the timeout, and each rank names the others.
"""
import datetime
import random
import sys
import time

import torch
import torch.distributed as dist

import arlab

torch.set_num_threads(1)
port, seed, count, timed = map(int, sys.argv[1:5])
arlab.init(timeout_seconds=60, port=port)
rank, ranks = dist.get_rank(), dist.get_world_size()
shared = random.Random(seed)  # all ranks draw the same
SIZES = (1, 2, 3, 100, 949, 950, 951, 5000, 70_000, 300_000)
TYPES = (torch.float32, torch.int32, torch.float64, torch.int64, torch.uint8, torch.bfloat16)
OPS = ("SUM", "MAX", "AVG", "BOR")
KINDS = {  # what matters to each
    "all_reduce": ("size", "type", "op", "kind"), "reduce": ("size", "type", "op", "kind", "root"),
    "reduce_scatter": ("size", "type", "op", "kind"), "broadcast": ("size", "type", "kind", "root"),
    "all_gather": ("size", "type", "kind"), "gather": ("size", "type", "kind", "root"), "scatter": ("size", "type", "kind", "root"),
    "all_to_all_single": ("size", "type", "kind"), "all_gather_coalesced": ("size", "type", "kind"),
    "all_reduce_coalesced": ("size", "type", "op", "kind"), "barrier": ("kind",)}


def full(call, value, parts=1):
    return torch.full((call["size"] * parts,), value, dtype=call["type"])


def run(call, group):
    """Makes the call. Returns its results, and what they were before and should be after it."""
    mine, others = rank + 1, range(1, ranks + 1)
    kind, root, op = call["kind"], call["root"], getattr(dist.ReduceOp, call["op"])
    reduced = {"SUM": sum(others), "MAX": ranks, "AVG": None, "BOR": 7 if ranks == 4 else 3}[call["op"]]
    if kind == "barrier":
        return (lambda: dist.barrier(group)), [], [], []
    if kind == "all_reduce":
        x = [full(call, mine)]
        return (lambda: dist.all_reduce(x[0], op, group)), x, [mine], [reduced]
    if kind == "all_reduce_coalesced":  # the first tensor has the same size everywhere
        x = [torch.full((3,), mine, dtype=call["type"]), full(call, mine)]
        return (lambda: dist.all_reduce_coalesced(x, op, group)), x, [mine] * 2, [reduced] * 2
    if kind == "reduce":
        x = [full(call, mine)]
        return (lambda: dist.reduce(x[0], root, op, group)), x, [mine], [reduced if rank == root else mine]
    if kind == "broadcast":
        x = [full(call, mine)]
        return (lambda: dist.broadcast(x[0], root, group)), x, [mine], [root + 1]
    if kind == "reduce_scatter":
        x = [full(call, 77)]
        return (lambda: dist.reduce_scatter(x[0], [full(call, mine) for _ in others], op, group)), x, [77], [reduced]
    if kind in ("all_gather", "gather"):
        x = [full(call, 77) for _ in others]
        if kind == "all_gather":
            return (lambda: dist.all_gather(x, full(call, mine), group)), x, [77] * ranks, list(others)
        return ((lambda: dist.gather(full(call, mine), x if rank == root else None, root, group)), x, [77] * ranks,
                list(others) if rank == root else [77] * ranks)
    if kind == "all_gather_coalesced":
        x = [full(call, 77) for _ in others]
        return (lambda: dist.all_gather_coalesced([[part] for part in x], [full(call, mine)], group)), x, [77] * ranks, list(others)
    if kind == "scatter":
        x = [full(call, 77)]
        return (lambda: dist.scatter(x[0], [full(call, n) for n in others] if rank == root else None, root, group)), x, [77], [mine]
    x = [full(call, 77, ranks)]
    return (lambda: dist.all_to_all_single(x[0], full(call, mine, ranks), group=group)), x, [77], [None]


def draw():
    kind = shared.choice(list(KINDS))
    call = {"kind": kind, "size": shared.choice(SIZES), "type": shared.choice(TYPES), "op": shared.choice(OPS), "root": shared.randrange(ranks)}
    if call["op"] == "BOR" and call["type"] in (torch.float32, torch.float64, torch.bfloat16):
        call["op"] = "SUM"
    return call


def other_than(call, aspect):
    choices = {"size": SIZES, "type": TYPES, "op": OPS, "kind": list(KINDS), "root": range(ranks)}[aspect]
    while True:
        its = dict(call, **{aspect: shared.choice(choices)})
        floats = its["type"] in (torch.float32, torch.float64, torch.bfloat16)
        if its[aspect] != call[aspect] and not (floats and its["op"] == "BOR"):
            return its


def check(results, wanted, case):
    for result, value in zip(results, wanted):
        assert value is None or (result == value).all(), (case, result, value)


seen = {}
for number in range(count):
    call = draw()
    aspect = shared.choice(KINDS[call["kind"]])
    different = other_than(call, aspect)
    deviants = shared.sample(range(ranks), shared.randrange(1, ranks))
    case = (seed, number, call, aspect, deviants, different[aspect])
    right = shared.random() < 0.1
    act, results, before, after = run(different if rank in deviants and not right else call, dist.group.WORLD)
    began = time.monotonic()
    try:
        act()
        assert right, f"not an error on rank {rank}: {case}"
        check(results, after, case)
    except RuntimeError as error:
        assert not right, (case, error)
        assert "call different collectives" in str(error) or "receives other sizes" in str(error), (case, error)
        check(results, before, case)
        seen[aspect] = seen.get(aspect, 0) + 1
    assert time.monotonic() - began < 60
    total = torch.full((5,), float(rank))
    dist.all_reduce(total)
    assert (total == ranks * (ranks - 1) / 2).all(), case

for _ in range(timed):
    call = draw()
    groups = [dist.new_group(timeout=datetime.timedelta(seconds=1)) for _ in range(2)]
    deviant, waits = shared.randrange(ranks), shared.random() < 0.3
    mine = groups[rank == deviant]
    act, results, before, _ = run(call, mine)
    if rank == deviant and waits:
        results, before = [full(call, 77)], [77]
        act = lambda: dist.recv(results[0], (rank + 1) % ranks, group=mine)
    began = time.monotonic()
    try:
        act()
    except RuntimeError as error:
        assert " timeout " in str(error), error
        missing = [deviant] if rank != deviant else [(rank + 1) % ranks] if waits else set(range(ranks)) - {deviant}
        assert all(f"rank {r} " in str(error) for r in missing), (call, missing, error)
        assert rank == deviant or not any(f"rank {r} " in str(error) for r in set(range(ranks)) - {deviant}), error
        check(results, before, call)
        seen["group"] = seen.get("group", 0) + 1
    else:
        raise AssertionError(f"not an error on rank {rank}: {call}")
    assert 0.9 < time.monotonic() - began < 30
dist.barrier()
if rank == 0:
    print("errors on every rank:", sum(seen.values()), seen, flush=True)
