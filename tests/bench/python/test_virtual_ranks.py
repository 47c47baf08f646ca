"""Virtual time of several numbers of ranks, of real ranks, and by FLOPs."""
import csv
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import types

import pytest

import arlab

torch = pytest.importorskip("torch", reason="PyTorch is not installed: apt install python3-torch")

from arlab.virtual import _flops, _processes, _scripts, _study  # noqa: E402
from arlab.virtual._session import Session, half_interval  # noqa: E402
from arlab.virtual._settings import Settings, from_environment  # noqa: E402
from arlab.virtual._work import Work  # noqa: E402

thorough = pytest.mark.skipif(not os.environ.get("ARLAB_THOROUGH"), reason="PyTorch takes long to start: ./lab test all")
SCRIPTS = pathlib.Path(__file__).parent / "virtual"


def start(script, *arguments, **variables):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    return subprocess.Popen([sys.executable, "-B", "-m", "arlab.virtual", SCRIPTS / script, *map(str, arguments)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(script, *arguments, status=0, **variables):
    done = start(script, *arguments, **variables)
    out, err = done.communicate(timeout=300)
    assert done.returncode == status, out[-2000:] + err[-4000:]
    return out, err


@pytest.mark.parametrize("text,what", [("8,64", "2 numbers of ranks"), ("8:csv=a.csv", "csv is of several"), ("8:precision=tf32", "add gpu=a100"),
                                       ("8:processes=fake", "write processes=real"), ("8:clock=wall", "write clock=processor")])
def test_settings_that_do_not_fit_are_named(text, what):
    with pytest.raises(arlab.UsageError, match=re.escape(what)):
        from_environment({"ARLAB_VIRTUAL": text})


def test_intervals_of_means():
    assert half_interval([1.0] * 7) is None and half_interval([2.0] * 20) == 0
    # 12 times: the middle 6 count, the others are as the nearest of these. Student's t of 5 degrees is 2.571.
    times = [4, 5, 6, 7, 8, 9]
    pulled = [4] * 3 + times + [9] * 3
    mean = sum(pulled) / 12
    error = (sum((one - mean) ** 2 for one in pulled) / 11) ** 0.5 * 12 ** 0.5 / 6
    assert half_interval([9, 4, 8, 5, 7, 6, 100, 1, 2, 50, 3, 70]) == pytest.approx(2.571 * error, rel=2e-3)


def found(ranks, samples, step, computation, half=None):
    return {"ranks": ranks, "samples": samples, "step": step, "computation": computation, "exposed": step - computation, "half": half}


def test_kinds_of_scaling():
    weak = [found(8, 32, 2.0, 1.0), found(64, 32, 4.0, 2.0)]
    assert _study.kind_of(weak) == "weak" and [point.efficiency for point in _study.points_of(weak)] == [0.5, 0.5]
    strong = [found(1, 64, 1.0, 1.0), found(3, 64 / 3, 0.4, 0.3), found(8, 8, 0.25, 0.2, half=0.05)]
    points = _study.points_of(strong)
    assert _study.kind_of(strong) == "strong" and [round(point.speedup, 6) for point in points] == [1, 2.5, 4]
    assert _study.sentence(points, "strong", "10G") == ("Strong scaling on 10G: 8 ranks are 4 times as fast as one (50.0%, 95% interval 41.7 to "
                                                        "62.5%); 90% or more up to 1 rank.")
    large, alone = _study.points_of([found(16384, 64, 1.0, 1.0), found(1, 64, 0.001, 0.001)])
    assert [large.cells()[name] for name in ("samples/s", "speed-up")] == ["1048576", "16,384"]
    assert "16384 ranks are 16,384 times as fast as one (100.0%)" in _study.sentence([large], "weak", "10G")
    assert "1 rank is as fast as one (100.0%)" in _study.sentence([alone], "weak", "10G")
    assert _study.points_of([found(2, None, 8.0, 1.0)])[0].cells()["steps/s"] == "0.25"
    assert _study.kind_of([found(1, 64, 1, 1), found(4, 32, 1, 1)]) == "mixed" and _study.kind_of([found(1, None, 1, 1)]) == "weak"


def test_a_study_of_scaling(tmp_path):
    table, records = tmp_path / "scaling.csv", tmp_path / "scaling.jsonl"
    _, err = run("ddp.py", 24, ARLAB_VIRTUAL=f"4,32:slowdown=1e-6,csv={table},json={records}", ARLAB_NETWORK="10G")
    assert re.search(r"Weak scaling on 10G: 32 ranks are [\d.e-]+ times as fast as one \([\d.]+%, 95% interval .*%\); below 90% from 4 ranks on", err)
    with open(table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["ranks"] for row in rows] == ["4", "32"] and {row["samples_per_rank"] for row in rows} == {"32.0"}
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    assert [line["step_us"] for line in lines] == [float(row["step_us"]) for row in rows] and lines[0]["kind"] == "plan"
    bucket = arlab.simulate(lines[0]["algorithm"], ranks=4, elements=1, network="10G:latency=20us")[0].time_us
    assert lines[0]["startup_us"] == pytest.approx(2 * bucket)


@pytest.mark.parametrize("text,what", [("4,x", "'x' ranks"), ("4,8:trace=a.json", "trace is of one number"), ("4,8:csv=", "csv has no value")])
def test_a_study_names_what_does_not_fit(monkeypatch, text, what):
    monkeypatch.setenv("ARLAB_VIRTUAL", text)
    with pytest.raises(arlab.UsageError, match=re.escape(what)):
        _study.run(["no_script.py"])


@pytest.mark.parametrize("key", ["csv", "json"])
def test_a_study_tries_its_files_before_the_first_run(monkeypatch, tmp_path, key):
    monkeypatch.setenv("ARLAB_VIRTUAL", f"4,8:{key}={tmp_path}/none/file")
    with pytest.raises(arlab.MachineError, match=f"cannot write {tmp_path}/none/file .No such file"):
        _study.run(["no_script.py"])


@thorough
def test_a_table_that_is_not_written_at_the_end_is_the_status(tmp_path):
    records = tmp_path / "scaling.jsonl"
    _, err = run("ddp.py", 3, status=3, ARLAB_VIRTUAL=f"1,2:slowdown=1e-6,csv=/dev/full,json={records}")
    assert "the table was not written: cannot write /dev/full" in err and len(records.read_text().splitlines()) == 2
    assert "arlab: 1 virtual rank\n" in err and "With 1 rank on 10G, " in err


@thorough
def test_a_study_needs_steps(tmp_path):
    script = tmp_path / "nothing.py"
    script.write_text("pass")
    assert "took no step" in run(script, status=2, ARLAB_VIRTUAL="2,4")[1]


@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=thorough)])
def test_real_ranks(ranks):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    jobs = [start("processes.py", ARLAB_VIRTUAL=f"{ranks}:processes=real,slowdown=1e-9", ARLAB_NETWORK="1G", RANK=str(rank), LOCAL_RANK=str(rank),
                  WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), USE_LIBUV="0") for rank in range(ranks)]
    told = [job.communicate(timeout=300) for job in jobs]
    for rank, (job, (out, err)) in enumerate(zip(jobs, told)):
        assert job.returncode == 0 and f"rank {rank} is right" in out, out + err[-4000:]
    assert ["a step takes" in err for _, err in told] == [True] + [False] * (ranks - 1)


def test_real_ranks_are_as_many_as_were_started(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(arlab.UsageError, match="2 processes were started"):
        _processes.name_ranks(4)


@pytest.mark.parametrize("step,rank", [(None, None), ("0", "3"), ("4294967291", None)])
def test_real_ranks_of_slurm_are_those_of_srun(monkeypatch, step, rank):
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "SLURM_STEP_ID", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"):
        monkeypatch.setenv(name, "")  # so that it is restored
        monkeypatch.delenv(name)
    for name, value in {"SLURM_PROCID": "3", "SLURM_NTASKS": "9", "SLURM_STEP_NUM_TASKS": "4", "SLURM_LOCALID": "1"}.items():
        monkeypatch.setenv(name, value)
    if step is not None:
        monkeypatch.setenv("SLURM_STEP_ID", step)
    _processes.name_ranks(4)
    assert [os.environ.get(name) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")] == ([rank, "4", "1"] if rank else [None] * 3)


def test_real_ranks_need_a_launcher(monkeypatch):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    session, calls = types.SimpleNamespace(settings=from_environment({"ARLAB_VIRTUAL": "4:processes=real"}), process=os.getpid()), []

    def init(**arguments):
        _scripts._init(session, lambda *_, **__: calls.append(1), **arguments)

    with pytest.raises(arlab.UsageError, match="`mpirun -n 4 python3 -m .*` or `torchrun --nproc_per_node 4 "):
        init()
    init(rank=0, world_size=4)  # what a script's own processes say
    init(store=torch.distributed.HashStore())
    init(init_method="file:///tmp/one")
    monkeypatch.setenv("RANK", "0")
    init(world_size=4)
    monkeypatch.setenv("WORLD_SIZE", "4")
    init()
    assert len(calls) == 5


def test_a_script_that_only_polls_sees_the_end():
    session = Session(Settings(8, gpu="a100"))
    work = Work(session, 0.5, [])
    assert not work.is_completed()
    session.clock.compute(0.25)
    assert not work.is_completed() and session.clock.now() == 0.25  # it has computed in between
    assert work.is_completed() and session.clock.now() == 0.5
    work = Work(session, 1.0, [])
    with session.callback():  # of a future, in which waits take no time
        while not work.is_completed():
            pass
    measured = Work(Session(Settings(8)), 1e6, [])
    assert not any(measured.is_completed() for _ in range(3))


def test_a_script_that_starts_processes_itself_is_told():
    out, err = run("own_processes.py", "process", status=2, ARLAB_VIRTUAL="2")
    what = "the script starts its own processes, which have no virtual time: use torch.multiprocessing.spawn"
    assert out == "" and err.count(f"UsageError: {what}\n") == 2 and err.endswith(f"\narlab: {what}\n")
    session, started = types.SimpleNamespace(grouped=False, children=0), []
    for grouped, daemon in ((False, True), (False, False), (True, False)):
        session.grouped = grouped
        _scripts._start_process(session, started.append, types.SimpleNamespace(daemon=daemon))
    assert session.children == 1 and len(started) == 3


@pytest.mark.parametrize("setting", ["", pytest.param(":processes=real", marks=thorough)])
def test_start_processes_is_as_spawn(setting):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    out, err = run("own_processes.py", "start_processes", ARLAB_VIRTUAL=f"2{setting}", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    assert "rank 0 of 2" in out and ("rank 1 of 2" in out) == bool(setting) and "With 2 ranks on 10G, a step takes" in err


def test_operations_are_counted():
    data, weight = torch.ones(5, 4, 9, 9), torch.ones(6, 2, 3, 3)
    conv = torch.nn.functional.conv2d(data, weight, groups=2)
    arguments = (None, [1, 1], [0, 0], [1, 1], False, [0, 0], 2)
    assert _flops.flops_of("convolution", (data, weight, *arguments), conv) == {"images": 2 * 5 * 6 * 49 * 2 * 9}
    back = (conv, data, weight, *arguments, [True, False, False])
    assert _flops.flops_of("convolution_backward", back, None) == {"images": 2 * 5 * 6 * 49 * 2 * 9}
    assert _flops.flops_of("addmm", (None, torch.ones(3, 4), torch.ones(4, 5)), None) == {"sequences": 120}
    assert _flops.flops_of("bmm", (torch.ones(2, 3, 4), torch.ones(2, 4, 5)), None) == {"sequences": 240}
    assert _flops.flops_of("relu", (data,), data) == {}
    query = torch.ones(2, 8, 16, 4)
    assert _flops.flops_of("_scaled_dot_product_flash_attention", (query, query, query), None) == {"sequences": 4 * 2 * 8 * 16 * 16 * 4}


def test_computation_by_flops(tmp_path):
    known = {entry["name"]: entry for entry in arlab.list_gpus()}
    assert {"v100", "a100", "h100", "h200", "b200"} <= set(known)
    records = tmp_path / "one.jsonl"
    _, err = run("ddp.py", 9, ARLAB_VIRTUAL=f"1:gpu=a100,precision=tf32,json={records}")
    record = json.loads(records.read_text())
    rate = next(one for one in known["a100"]["rates"] if one["precision"] == "tf32")["sequences"]
    products = [256 * 512, 512 * 1024, 1024 * 8]
    flops = 2 * 32 * (sum(products) * 3 - products[0])  # the inputs get no gradient
    parameters = sum(products) + 512 + 1024 + 8
    # SGD with momentum: buffer times momentum, plus the gradient; the weight minus a part of it.
    moved = 4 * parameters * (2 + 3 + 3)
    assert record["step_us"] == pytest.approx(1e6 * (flops / rate + moved / known["a100"]["memory_reached"]), rel=1e-4)
    assert record["device"] == "NVIDIA A100 80 GB SXM4, tf32, in virtual time" and "that of FLOPs on NVIDIA A100" in err
    for gpu, precision, what in (("a1000", "", "gpu is 'a1000': give one of"), ("a100", "float32", "measured in mixed, tf32")):
        with pytest.raises(arlab.UsageError, match=what):
            _flops.rate_of(gpu, precision)
