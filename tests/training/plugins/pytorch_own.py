"""PyTorch's own DistributedTest over this backend, as far as it needs no GPU, on the ranks of mpirun: pytorch_own.py [NAMES]

Each test runs in process groups of its own, in one start of the ranks. Rank 0 prints how many passed, and why others did not.
ARLAB_TEST_AS=gloo lets those tests run that PyTorch has for that backend only. Needs the variable TEMP_DIR to name an empty folder that all ranks share.
"""
import datetime
import inspect
import os
import pathlib
import sys
import time
import traceback
import types
import unittest

import arlab

rank, ranks = arlab.rank(), arlab.world_size()
folder = pathlib.Path(os.environ["TEMP_DIR"])
os.environ.update(BACKEND=os.environ.get("ARLAB_TEST_AS", "arlab"), WORLD_SIZE=str(ranks), INIT_METHOD=f"file://{folder}/init", MASTER_ADDR="127.0.0.1", MASTER_PORT="29501")
if "expecttest" not in sys.modules:  # the distribution leaves it out; no test here needs it
    sys.modules["expecttest"] = types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False)

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.testing._internal import common_distributed, common_utils  # noqa: E402

common_distributed.DistTestCases.backend_feature["ddp"].add("arlab")
from torch.testing._internal.distributed import distributed_test  # noqa: E402

torch.set_num_threads(1)


class Own(common_utils.TestCase, distributed_test.DistributedTest._DistTestBase):
    world_size = str(ranks)
    rank = rank

    def runTest(self):
        pass


def names():
    found = []
    for name, method in inspect.getmembers(distributed_test.DistributedTest._DistTestBase, inspect.isfunction):
        head = inspect.getsource(method).split("def ")[0]
        if name.startswith("test") and not any(word in head.lower() for word in ("gpu", "cuda")):
            found.append(name)
    return found


def outcome(name):
    """'passed', or why it did not."""
    for part in ("barrier", "test_dir", "init_dir"):
        (folder / name / part).mkdir(parents=True, exist_ok=True)
    os.environ["TEMP_DIR"] = str(folder / name)
    distributed_test.Barrier.init()
    dist.init_process_group("arlab", init_method=f"file://{folder}/{name}/init", rank=rank, world_size=ranks,
                            timeout=datetime.timedelta(seconds=20))
    test = Own()
    try:
        test._barrier(timeout=60)
        getattr(test, name)()
        result = "passed"
    except unittest.SkipTest as skip:
        result = f"skipped: {skip}"
    except SystemExit as end:
        result = f"skipped: {[s.message for s in common_distributed.TEST_SKIPS.values() if s.exit_code == end.code]}"
    except Exception as error:
        result = f"failed: {type(error).__name__}: {str(error).strip().splitlines()[0][:150] if str(error).strip() else ''}"
        traceback.print_exc()
    try:
        test._barrier(timeout=60)
    except RuntimeError:
        pass
    if dist.is_initialized():
        dist.destroy_process_group()
    return result


results = {}
for each in sys.argv[1:] or names():
    if getattr(getattr(Own, each), "__unittest_skip__", False):
        results[each] = f"skipped: {getattr(Own, each).__unittest_skip_why__}"
        continue
    began = time.monotonic()
    results[each] = outcome(each)
    (folder / f"result.{each}.{rank}").write_text(results[each])
dist.init_process_group("arlab", init_method=f"file://{folder}/last", rank=rank, world_size=ranks)
everywhere = [None] * ranks
dist.all_gather_object(everywhere, results)
if rank == 0:
    worst = {name: next((r[name] for r in everywhere if r[name].startswith("failed")), everywhere[0][name]) for name in results}
    passed = [name for name, result in worst.items() if result == "passed"]
    for name, result in worst.items():
        if result != "passed":
            print(f"{name}: {result}")
    print(f"{len(passed)} of {len(worst)} passed")
