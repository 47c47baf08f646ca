"""Virtual time: scripts of PyTorch as they are, in one process that stands for all ranks."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import arlab

torch = pytest.importorskip("torch", reason="PyTorch is not installed: apt install python3-torch")

from arlab.virtual import _files, _report  # noqa: E402
from arlab.virtual._clock import Clock  # noqa: E402
from arlab.virtual._session import Settings, Summary, counted_steps  # noqa: E402
from arlab.virtual._settings import from_environment  # noqa: E402
from arlab.virtual._times import CollectiveTimes, parse_rules  # noqa: E402

SCRIPTS = pathlib.Path(__file__).parent / "virtual"
ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(script, *arguments, status=0, **variables):
    """Runs a script in virtual time, and returns what it and the report say."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    done = subprocess.run([sys.executable, "-B", "-m", "arlab.virtual", SCRIPTS / script, *map(str, arguments)], env=environment,
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout, done.stderr


def step_of(report):
    """Milliseconds."""
    value, unit = re.search(r"a step takes ([\d.e+]+) (\w+),", report).groups()
    return float(value) * {"s": 1000, "ms": 1, "us": 1e-3}[unit]


@pytest.mark.parametrize("text,what", [("", "ARLAB_VIRTUAL is not set"), ("0", "'0' ranks"), ("16385", "from 1 to 16384"), ("many", "'many' ranks"),
                                       ("8:speed=2", "no setting 'speed'"), ("8:slowdown=0", "slowdown is '0'"), ("8:slowdown=nan", "'nan'"),
                                       ("8:time=real", "write time=virtual"), ("8:trace=", "no value"), ("8:device=cpu,device=cpu", "twice")])
def test_settings_that_are_wrong_are_named(text, what):
    with pytest.raises(arlab.UsageError, match=re.escape(what)):
        from_environment({"ARLAB_VIRTUAL": text})


def test_settings():
    found = from_environment({"ARLAB_VIRTUAL": "64:slowdown=0.5,time=virtual,trace=a.json", "ARLAB_NETWORK": "rail_pod:nodes=8,routing=ecmp",
                              "ARLAB_ALGORITHM": "butterfly@16K,ring"})
    assert found == Settings(64, "rail_pod:nodes=8,routing=ecmp", "butterfly@16K,ring", 0.5, True, False, "a.json")
    assert from_environment({"ARLAB_VIRTUAL": "1"}) == Settings(1)


def test_rules_of_sizes():
    assert parse_rules("butterfly@16K,ring") == [(16384, "butterfly"), (float("inf"), "ring")]
    for wrong in ("mpi", "shared@4K", "table.json", "ring@x", "@4K"):
        with pytest.raises(arlab.UsageError, match="cannot simulate"):
            parse_rules(wrong)
    times = CollectiveTimes("10G", 8, "butterfly@16K,ring")
    assert [times.of("allreduce", n, "float32", 4)[1] for n in (4096, 4097)] == ["butterfly", "ring"]
    assert CollectiveTimes("10G", 1).of("allreduce", 100, "float32", 4) == (0.0, "none")


def test_a_group_is_placed_on_its_hosts():
    times = CollectiveTimes("rail_pod", 16)
    node, pair, apart = (times.of("allreduce", 1 << 20, "float32", 4, group)[0] for group in (tuple(range(8)), (0, 1), (0, 8)))
    alone = arlab.simulate("ring,rabenseifner,circulant", ranks=8, elements=1 << 20, network="rail_pod:nodes=2,gpus=8")
    assert node in [row.time_us * 1e-6 for row in alone]
    assert apart > 2 * pair  # a node has faster links
    torus = CollectiveTimes("torus:dims=4x4", 16)
    assert torus.of("broadcast", 1 << 20, "float32", 4, (0, 3)) == torus.of("broadcast", 1 << 20, "float32", 4, (0, 1))
    assert torus.of("broadcast", 1 << 20, "float32", 4, (0, 10)) > torus.of("broadcast", 1 << 20, "float32", 4, (0, 1))


def test_waits_and_pauses_of_the_clock():
    clock = Clock(slowdown=0)
    assert clock.wait_until(2.0) == 2.0 and clock.now() == 2.0 and clock.wait_until(1.0) == 0.0
    clock = Clock(slowdown=1e9)
    with clock:
        before = clock.now()
        assert before > 0 and clock.now() == before
        with clock:
            pass
        assert clock.now() == before
    assert clock.now() > before


def test_steps_that_count():
    assert [counted_steps([1.0] * n) for n in (0, 1, 2, 3)] == [[], [0], [1], [1, 2]]
    assert counted_steps([9, 9, 9, 9, 5, 1, 2, 8]) == [4, 6]


def test_every_collective():
    out, err = run("collectives.py", ARLAB_VIRTUAL="6")
    assert "all collectives are right" in out and "No optimizer took a step." in err


def test_the_tutorial_runs_as_it_is():
    out, err = run("toy.py", ARLAB_VIRTUAL="64:device=cpu,time=virtual,slowdown=1e-9", ARLAB_NETWORK="1G:latency=1s")
    assert re.search(r"starts 4 processes: ARLAB_VIRTUAL=64 replaces them", err)
    # 64 ranks need 12 rounds of a second, and computation takes nothing. DDP announces its buckets in two broadcasts of 6 rounds.
    seconds = float(re.fullmatch(r"rank 0 of 64: ([\d.]+) s\n", out).group(1))
    assert 9 * 12 <= seconds < 9 * 12.01 and 12000 <= step_of(err) < 12010


def test_gradients_are_those_of_one_rank_and_hooks_send_fewer_bytes():
    assert "all ways are right" in run("ways.py", ARLAB_VIRTUAL="64:slowdown=1e-6", ARLAB_NETWORK="1G")[0]


def test_virtual_steps_are_those_of_plan(tmp_path):
    trace, profile = tmp_path / "steps.json", tmp_path / "model.json"
    _, err = run("ddp.py", 60, ARLAB_VIRTUAL=f"64:slowdown=3,trace={trace},profile={profile}", ARLAB_NETWORK="10G")
    row = arlab.plan(f"profile:{profile}", gpus=64, network="10G")[0]
    assert abs(row.step_us / 1000 / step_of(err) - 1) < 0.05, (row, err)
    events = json.loads(trace.read_text())["traceEvents"]
    network = [e for e in events if e["ph"] == "X" and e["tid"] == 2]
    assert all(a["ts"] + a["dur"] <= b["ts"] + 0.01 for a, b in zip(network, network[1:]))
    # Gradients of 2.7 MB: a bucket of 1 MiB (whole tensors), and the rest, in each step but the first.
    assert len([e for e in network if e["name"] == "allreduce"]) == 1 + 2 * 59
    assert len([e for e in events if e["ph"] == "X" and e["tid"] == 0]) == 60


@pytest.mark.parametrize("key", ["json", "trace", "profile"])
def test_a_file_that_cannot_be_written_is_found_before_the_training(tmp_path, key):
    script = tmp_path / "never.py"
    script.write_text("print('it trains')")
    out, err = run(script, status=3, ARLAB_VIRTUAL=f"8:{key}={tmp_path}/none/q.json")
    assert out == "" and err == f"error: cannot write {tmp_path}/none/q.json (No such file or directory): name a file that can be written\n"


def test_trying_a_file_leaves_it_as_it_was(tmp_path):
    kept = tmp_path / "kept.json"
    kept.write_text("before")
    for path in (kept, tmp_path / "new.json", "/dev/full"):
        _files.check_can_write(str(path))
    assert kept.read_text() == "before" and [path.name for path in tmp_path.iterdir()] == ["kept.json"]
    with pytest.raises(arlab.MachineError, match="Is a directory"):
        _files.check_can_write(str(tmp_path))


def test_a_file_that_is_not_written_at_the_end_is_the_status_and_the_others_are_written(tmp_path):
    trace = tmp_path / "steps.json"
    _, err = run("ddp.py", 3, status=3, ARLAB_VIRTUAL=f"8:slowdown=1e-6,json=/dev/full,trace={trace}")
    assert "a step takes" in err
    assert "the record was not written: cannot write /dev/full (No space left on device): make room or write somewhere else" in err
    assert json.loads(trace.read_text())["traceEvents"]
    script = tmp_path / "nothing.py"
    script.write_text("pass")
    _, err = run(script, status=2, ARLAB_VIRTUAL=f"8:json={tmp_path}/r.jsonl,profile={tmp_path}/p.json")
    assert "the record was not written: no optimizer took a step" in err and "the profile was not written: no model of Distributed" in err


def test_without_the_compiled_module_the_status_is_that_of_the_machine(tmp_path):
    shutil.copytree(pathlib.Path(arlab.__file__).parent, tmp_path / "arlab", ignore=shutil.ignore_patterns("_arlab*.so", "torch", "horovod"))
    _, err = run("ddp.py", 1, status=3, ARLAB_VIRTUAL="8", PYTHONPATH=str(tmp_path))
    assert err.startswith("error: arlab._arlab cannot be loaded")


@pytest.mark.parametrize("ranks,step,text", [(1, 1.0, "With 1 rank on 10G, a step takes 1 s, of which 0.0% waits for communication."),
                                             (8, 8.0, "of which 87.5% waits for communication: as many samples per second as one rank."),
                                             (8, 2.0, "of which 50.0% waits for communication: 4 times as many samples per second as one rank.")])
def test_the_answer_in_one_line(ranks, step, text):
    assert _report.sentence(Summary(ranks, "10G", 8, step, 1.0, 7.0, step - 1.0, 32.0)).endswith(text)


def test_a_profile_of_a_model_in_one_line(tmp_path):
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 5))
    before = [one.clone() for one in model.parameters()]
    found = arlab.virtual.profile(model, torch.randn(16, 1, 8, 8))
    assert [(layer["name"], layer["tensors"]) for layer in found.data["layers"]] == [("0", {"weight": 36, "bias": 4}),
                                                                                   ("3", {"weight": 720, "bias": 5})]
    assert found.data["batch"] == 16 and found.data["parameters"] == 765 and all(x["backward_us"] > 0 for x in found.data["layers"])
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters())) and model[0].weight.grad is None
    rows = arlab.plan(found, gpus=[2, 8], network="10G")
    assert [row.gpus for row in rows] == [2, 8] and all(row.step_us > 0 for row in rows)
    assert arlab.plan(found.save(tmp_path / "p.json"), gpus=8)[0].step_us == pytest.approx(rows[1].step_us)
    assert "765 parameters in 2 layers" in repr(found)


def test_models_that_have_no_profile_say_why():
    unused = torch.nn.Linear(2, 2)
    unused.extra = torch.nn.Parameter(torch.zeros(3))
    for model, batch, text in ((unused, torch.ones(1, 2), "extra gets no gradient"), (torch.nn.ReLU(), torch.ones(1, 2), "no parameters"),
                               (torch.nn.Linear(2, 2), [], "without a tensor"), (torch.nn.Linear(2, 2), torch.ones(0, 2), "batch has 0 samples")):
        with pytest.raises(arlab.UsageError, match=text):
            arlab.virtual.profile(model, batch)
    model = torch.nn.Linear(2, 2)
    with pytest.raises(arlab.UsageError, match="optimizer is Adam, .*: give the class, such as torch.optim.Adam"):
        arlab.virtual.profile(model, torch.ones(1, 2), optimizer=torch.optim.Adam(model.parameters()))


@pytest.mark.skipif(importlib.util.find_spec("arlab.torch") is None, reason="arlab.torch is not built: it needs LibTorch and MPI")
def test_arlab_torch_obeys_the_variables():
    code = ("import arlab.torch, torch.distributed as dist; arlab.torch.init(); assert dist.get_world_size() == 4; dist.barrier(); "
            "assert arlab.torch.profile is arlab.virtual.profile and arlab.virtual.current().clock.waited > 0")
    done = subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, "ARLAB_VIRTUAL": "4"}, capture_output=True, text=True,
                          timeout=100, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(importlib.util.find_spec("arlab.torch") is None, reason="arlab.torch is not built: it needs LibTorch and MPI")
def test_scripts_of_horovod_run():
    out, err = run("horovod_job.py", ARLAB_VIRTUAL="4:slowdown=1e-6", ARLAB_NETWORK="1G")
    assert "Horovod is right" in out and "With 4 ranks on 1G, a step takes" in err


@pytest.mark.skipif(not os.environ.get("ARLAB_THOROUGH"), reason="PyTorch takes long to start: ./lab test all")
def test_the_guide_runs(tmp_path, monkeypatch):
    guide = (ROOT / "docs" / "guides" / "train.md").read_text()
    code, = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert json.loads((tmp_path / "mine.json").read_text())["parameters"] == 407050
    commands = [line.replace("training/plugins", f"{ROOT}/training/plugins") for line in guide.splitlines() if line.startswith("ARLAB_VIRTUAL=")]
    assert len(commands) == 4
    for command in commands[:2]:  # test_virtual_ranks.py has studies and processes
        done = subprocess.run(command.replace("python3", sys.executable, 1), shell=True, cwd=tmp_path, capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, command + done.stderr
        assert "step 50: loss" in done.stdout and "a step takes" in done.stderr
    assert (tmp_path / "steps.json").exists() and arlab.plan(f"profile:{tmp_path}/mine.json", gpus=8)
