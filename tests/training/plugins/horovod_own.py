"""Horovod's own tests of PyTorch operations over arlab.horovod, on the ranks of mpirun: horovod_own.py CHECKOUT RESULT_FOLDER [NAMES]

CHECKOUT is a folder of Horovod's sources: its test/parallel/test_torch.py runs as it is, but for the import. Rank 0 prints how many tests
passed, and why others did not.
"""
import importlib.util
import os
import pathlib
import sys
import time
import traceback
import types
import unittest

checkout, folder, wanted = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
os.environ.setdefault("HOROVOD_GLOO_TIMEOUT_SECONDS", "20")

import torch  # noqa: E402

import arlab.horovod as hvd  # noqa: E402

torch.set_num_threads(1)


def module_of(path, name, source=None):
    """Runs a file of the checkout as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    exec(compile(source or path.read_text(), path, "exec"), module.__dict__)
    return module


def own_tests():
    """The class of Horovod's tests, which imports our module."""
    for name in ("horovod", "horovod.runner", "horovod.runner.util"):
        sys.modules[name] = types.ModuleType(name)
    module_of(checkout / "horovod/runner/util/threads.py", "horovod.runner.util.threads")
    path = checkout / "test/parallel/test_torch.py"
    source = path.read_text()
    line = "import horovod.torch as hvd\n"
    assert source.count(line) == 1, f"{path} does not import horovod.torch as it did"
    return module_of(path, "test_torch", source.replace(line, "import arlab.horovod as hvd\n")).TorchTests


def outcome(tests, name):
    """'passed', or why it did not."""
    test = tests(name)
    hvd.init()
    try:
        test.setUp()
        getattr(test, name)()
        test.tearDown()
        return "passed"
    except unittest.SkipTest as skip:
        return f"skipped: {skip}"
    except Exception as error:
        traceback.print_exc()
        text = str(error).strip()
        return f"failed: {type(error).__name__}: {text.splitlines()[0][:200] if text else ''}"
    finally:
        hvd.shutdown()  # so that what a test left behind is not the next one's


tests = own_tests()
hvd.init()
rank, size = hvd.rank(), hvd.size()
hvd.shutdown()
results = {}
for each in wanted or unittest.defaultTestLoader.getTestCaseNames(tests):
    results[each] = outcome(tests, each)
    (folder / f"{each}.{rank}").write_text(results[each])
    while any(not (folder / f"{each}.{other}").exists() for other in range(size)):  # one rank may fail where others wait for it
        time.sleep(0.02)
os.environ["HOROVOD_GLOO_TIMEOUT_SECONDS"] = "120"
hvd.init()
everywhere = hvd.allgather_object(results)
if rank == 0:
    worst = {name: next((r[name] for r in everywhere if r[name].startswith("failed")), everywhere[0][name]) for name in results}
    for name, result in worst.items():
        if result != "passed":
            print(f"{name}: {result}")
    count = {word: sum(result.startswith(word) for result in worst.values()) for word in ("passed", "skipped", "failed")}
    print(f"{size} ranks: {count['passed']} of {len(worst)} passed, {count['skipped']} skipped, {count['failed']} failed", flush=True)
hvd.shutdown()
