"""The package as its users see it: errors, results, registration, interrupts, networks, records, and displays."""
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import first_steps
import pytest
import six_algorithms  # registers them
from graphs import star_graph

import arlab

ARLAB = os.environ.get("ARLAB", "")


def broken_ring(p, me):
    "A ring that forgets its last step."
    right, left = p.wrap(me + 1), p.wrap(me - 1)
    for s in range(1, p.ranks):
        yield arlab.send(right, me - s), arlab.reduce(left, me - s - 1)
    for s in range(p.ranks - 2):
        yield arlab.send(right, me - s), arlab.replace(left, me - s - 1)


def crossed(p, me):
    "Two ranks that name different chunks."
    if me == 0:
        yield arlab.send(1, 0)
    else:
        yield arlab.reduce(0, 1)  # the wrong one


def line_with(text):
    with open(__file__, encoding="utf-8") as lines:
        return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_wrong_algorithm_is_refused_with_the_line_that_yields_the_action():
    mine = arlab.Algorithm(crossed)
    proof = arlab.verify(mine, ranks=2)[0]
    assert not proof and proof.line == line_with("# the wrong one")
    assert re.search(r"rank [01], round 1: .*chunk", proof.fault) and "arlab.reduce(0, 1)" in proof.fault
    with pytest.raises(arlab.CheckError, match="rank") as caught:
        mine.prove(2)
    assert caught.value.rank in (0, 1) and caught.value.line == proof.line and caught.value.file == __file__


@pytest.mark.parametrize("command", [arlab.simulate, arlab.run])
def test_a_wrong_algorithm_is_not_timed(command):
    with pytest.raises(arlab.CheckError, match="rank") as caught:
        command(arlab.Algorithm(broken_ring), ranks=4, size="1K")
    assert caught.value.line == line_with("def broken_ring")


def test_errors_have_the_texts_of_the_program():
    with pytest.raises(arlab.UsageError, match="unknown algorithm 'rings', did you mean 'ring'"):
        arlab.simulate("rings")
    with pytest.raises(ValueError, match="--ranks|ranks"):
        arlab.verify("ring", ranks="many")
    with pytest.raises(arlab.UsageError, match="unknown option '--ranke', did you mean '--ranks'"):
        arlab.count("ring", ranke=4)
    with pytest.raises(arlab.UsageError, match="unknown collective 'gather'"):
        arlab.Algorithm(crossed, collectives=("gather",))
    with pytest.raises(arlab.UsageError, match="'ring' is an algorithm of the catalog"):
        arlab.algorithm(name="ring")(crossed)
    for name in ("all", "auto", "native"):
        with pytest.raises(arlab.UsageError, match=f"'{name}' means something else"):
            arlab.algorithm(name=name)(crossed)


@pytest.mark.parametrize("option", [{"output": "table.md"}, {"sort": "time"}, {"rows": 1}, {"top": 1}, {"columns": "algorithm,time"}])
@pytest.mark.parametrize("command", [arlab.verify, arlab.count, arlab.simulate, arlab.run])
def test_options_of_printed_tables_are_refused(command, option):
    with pytest.raises(arlab.UsageError, match=f"{next(iter(option))} has no effect in Python"):
        command("ring", ranks=4, **option)


def test_a_stride_below_one_is_refused():
    def still(p, me):
        yield arlab.send(1 - me, p.chunks(0, 2, 0)), arlab.reduce(1 - me, p.chunks(0, 2, 0))
    mine = arlab.Algorithm(still)
    assert "a stride is at least 1" in arlab.verify(mine, ranks=2)[0].fault
    for command in (arlab.simulate, arlab.run):
        with pytest.raises(arlab.CheckError, match="a stride is at least 1"):
            command(mine, ranks=2)
    with pytest.raises(arlab.CheckError, match="a stride is at least 1"):
        arlab.show(mine, ranks=2)
    with pytest.raises(arlab.CheckError, match="a stride is at least 1"):
        arlab.count(mine, ranks=2)


@pytest.mark.parametrize("item,text", [(5, "yields 5"), ((arlab.send(1, 0), "x"), "yields 'x' in a round"),
                                       (arlab.Action(0, 1, "c"), "the chunk is 'c'"), (arlab.Action(0, 1.5, 0), "the peer is 1.5"),
                                       (arlab.Action(0, 1 << 40, 0), "no number of ranks"),
                                       (arlab.Action(0, 2**70, 0), f"the peer is {2**70}: no number of ranks"),
                                       (arlab.Action(0, 1, -2**70), f"the chunk is {-2**70}: no number of ranks")])
def test_what_is_no_action_is_named_with_rank_round_and_line(item, text):
    def odd(p, me):
        yield ()
        yield item  # odd
    with pytest.raises(arlab.UsageError, match=re.escape(text)) as caught:
        arlab.Algorithm(odd).prove(2)
    assert f"rank 0, round 2 ({__file__}:{line_with('# odd')}" in str(caught.value)


def test_an_exception_of_a_program_arrives_as_it_is():
    def fails(p, me):
        yield arlab.send(p.ranks // 0, 0)
    with pytest.raises(ZeroDivisionError):
        arlab.Algorithm(fails).prove(2)


def test_a_program_without_an_end_is_stopped():
    def endless(p, me):
        while True:
            yield ()
    with pytest.raises(arlab.CheckError, match="look for a loop that does not end"):
        arlab.Algorithm(endless).prove(1)


def test_a_formula_that_is_wrong_is_found():
    wrong = arlab.Algorithm(six_algorithms.tree.program, "wrong_formula", cost=lambda p, n: (p.ranks, n * p.ranks, 3))
    row = arlab.count(wrong, ranks=8)[0]
    assert not row.right and (row.messages, row.claimed[0]) == (14, 8)
    assert not arlab.simulate(wrong, ranks=8, size="1K")


def test_without_a_formula_nothing_agrees(tmp_path):
    six_algorithms.ring.export(str(tmp_path / "ring.json"), ranks=4)
    free = arlab.Algorithm(six_algorithms.tree.program, "free")
    counts = arlab.count([free, f"file:{tmp_path}/ring.json"], ranks=4)
    assert counts and [(row.messages, row.claimed) for row in counts] == [(6, None), (24, None)]
    assert "agrees" not in repr(counts) and "agrees" in repr(arlab.count("tree", ranks=4))


def test_wrong_results_are_false():
    ran = arlab.Measured("ring", "mpi", 2, 65536, 1.0, None, 1, 1.0, 5)
    assert not ran.right and not arlab.Results([ran])
    assert arlab.Results([dataclasses.replace(ran, wrong=0)])


def test_what_a_program_does_not_support_is_skipped_with_its_reason():
    even = arlab.Algorithm(six_algorithms.butterfly.program, "even", supports=lambda p: "" if p.ranks % 2 == 0 else "an odd number")
    assert [row.skipped for row in arlab.simulate(even, ranks=[3, 4])] == ["an odd number", ""]
    proofs = arlab.verify(even, ranks=[3, 4])
    assert [(row.skipped, row.right) for row in proofs] == [("an odd number", False), ("", True)]
    assert proofs and not proofs[:1] and "an odd number" in repr(proofs)


def test_all_and_mine_are_compared():
    rows = arlab.simulate("all + py_ring", ranks=8, size="64K", network="10G")
    assert {"ring", "py_ring", "tree"} < {row.algorithm for row in rows}
    assert "py_ring" in arlab.registered()
    arlab.algorithm(name="gone")(six_algorithms.ring.program)
    arlab.unregister("gone")
    with pytest.raises(arlab.UsageError, match="unknown algorithm 'gone'"):
        arlab.simulate("gone")


def test_chunks_per_rank_pipelines_more_messages():
    @arlab.algorithm(name="fine_ring", chunks_per_rank=3)
    def fine(p, me):
        "A ring of three messages for each of a ring."
        right, left = p.wrap(me + 1), p.wrap(me - 1)
        for action in (arlab.reduce, arlab.replace):
            for s in range(1, p.ranks):
                at = me - s + (action is arlab.replace)
                for k in range(3):
                    yield arlab.send(right, 3 * at + k), action(left, 3 * (at - 1) + k)
    assert arlab.verify("fine_ring", ranks=[1, 2, 5])
    assert arlab.count("fine_ring", ranks=5, elements=1000)[0].messages == 3 * 2 * 5 * 4
    assert len(arlab.show("fine_ring", ranks=3).rounds(0)) == 3 * 2 * 2
    arlab.unregister("fine_ring")


def test_results_are_frames_lists_and_tables():
    rows = arlab.simulate("ring, tree", ranks=[2, 4], size="1K")
    frame = rows.frame()
    records = frame if isinstance(frame, list) else frame.to_dict("records")
    assert len(records) == len(rows) == 4 and records[0]["time_us_median"] == rows[0].time_us
    assert "ring" in repr(rows) and "<table>" in rows._repr_html_() and rows[1:].rows == rows.rows[1:]


def test_without_pandas_a_frame_is_a_list(monkeypatch):
    monkeypatch.setattr(arlab._results, "_importable", frozenset)
    assert arlab.count("ring", ranks=4).frame()[0]["claimed_messages"] == 24


def test_records_are_read_with_their_context(tmp_path):
    file = tmp_path / "times.jsonl"
    rows = arlab.simulate("ring", ranks=4, size="1K,2K", json=str(file))
    read = arlab.read(tmp_path)
    assert [record["time_us_median"] for record in read] == [row.time_us for row in rows]
    assert read[0]["command"].startswith("arlab simulate ring") and read[0]["host"] and read[0]["file"] == str(file)
    with pytest.raises(arlab.MachineError, match="none.jsonl"):
        arlab.read(str(tmp_path / "none.jsonl"))
    file.write_text(file.read_text()[:-100])
    with pytest.warns(UserWarning, match="the last line of .*times.jsonl is incomplete and left out"):
        assert len(arlab.read(file)) == 1


def test_a_missing_library_is_named():
    missing = arlab._call._remedy(ImportError("libmpi.so.40: cannot open shared object file: No such file or directory"))
    assert "install what has libmpi.so.40" in missing
    assert "with pip, for this Python" in arlab._call._remedy(ImportError("cannot import name '_arlab' from 'arlab'"))


def test_a_graph_of_networkx_is_a_network():
    graph = star_graph()
    network = arlab.topology(graph)
    assert (network.hosts, network.switches, network.bisection_gb_per_s) == (4, 1, 20)
    assert len(network.links) == 8 and network.graph().number_of_nodes() == 5 and "<svg" in network._repr_html_()
    assert arlab.simulate("ring", ranks=4, size="1M", network=graph)[0].time_us > 0
    graph.nodes["s"]["kind"] = "hub"
    with pytest.raises(arlab.UsageError, match="node s has the kind 'hub'"):
        arlab.topology(graph)


def test_bounds_plans_and_choices():
    assert arlab.bound("torus:dims=4x4").hosts == 16
    assert arlab.plan("profile:resnet50", gpus=[8, 16], network="10G")[1].gpus == 16
    tuned = arlab.tune("ring, tree, py_butterfly", ranks=8, size="1K,1M", network="10G")
    assert len(tuned) == 2 and tuned[0].algorithm == "py_butterfly" and tuned[1].algorithm == "ring"
    assert json.loads(tuned.table_text)["kind"] == "tuning_table"
    assert json.loads(tuned.table_text)["collective"] == "allreduce"
    shares = arlab.tune("ring, tree", ranks=8, size="1K", network="10G", collective="reduce")
    assert json.loads(shares.table_text)["collective"] == "reduce"


def test_plans_of_several_ways_are_rows_too_and_a_file_and_settings_count(tmp_path, capfd):
    both = arlab.plan("profile:resnet50", gpus=8, network="10G", compressor=["none", "fp16"])
    assert [row.record["compressor"] for row in both] == [None, "fp16"]
    parts = arlab.plan("profile:resnet50", gpus=8, network="10G", scheduler="fifo", breakdown=True)
    assert [row.record["scheduler"] for row in parts] == ["fifo"]
    assert capfd.readouterr().out == ""
    settings = tmp_path / "s.txt"
    settings.write_text("--scheduler fifo\n", encoding="utf-8")
    file = tmp_path / "plan.jsonl"
    row, = arlab.plan("profile:resnet50", gpus=8, network="10G", settings=str(settings), json=str(file))
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert row.record["scheduler"] == "fifo"
    assert [line for line in lines if line["kind"] == "plan"] == [row.record]
    assert [line["kind"] for line in lines] == ["context", "plan", "plan_decision"]


@pytest.mark.parametrize("several,what", [({"network": ["crossbar:hosts=16", "mesh:dims=16"]}, "topology"), ({"dtype": "float32,float64"}, "dtype"),
                                          ({"root": "0,1", "collective": "broadcast"}, "root")])
def test_a_tuning_mixes_nothing(several, what):
    with pytest.raises(arlab.UsageError, match=f"tune takes one {what}: start it once for each"):
        arlab.tune("tree", ranks=16, size="256K", **{"network": "10G", **several})


@pytest.mark.parametrize("folder", ["sp dir", "c++", "a + b"])
def test_paths_may_have_spaces_and_signs(tmp_path, folder):
    (tmp_path / folder).mkdir()
    name = f"{tmp_path}/{folder}/ring 1.json"
    arlab.export("ring", name, ranks=4)
    if folder != "a + b":
        assert arlab.verify(f"ring + file:{name}, tree", ranks=4)[1].algorithm == f"file:{name}"
    assert arlab.count([f"file:{name}", "tree"], ranks=4)[0].messages == 24


def test_catalogs():
    assert "ring" in {entry["name"] for entry in arlab.list_algorithms()}
    assert "threads" in {entry["name"] for entry in arlab.list_backends() if entry["available"]}
    assert all(getattr(arlab, name)() for name in arlab.__all__ if name.startswith("list_"))


def test_a_schedule_is_shown_animated_and_written(tmp_path):
    schedule = arlab.show("py_ring", ranks=4)
    assert "send c3 to 1" in str(schedule) and len(schedule.rounds(0)) == 6
    page = schedule._repr_html_()
    assert "<iframe" in page and "http" not in page.split("<iframe")[1].replace("http://www.w3.org/2000/svg", "")
    schedule.write(str(tmp_path / "ring.json"))
    assert arlab.verify(f"file:{tmp_path}/ring.json", ranks=4)
    six_algorithms.ring.export(str(tmp_path / "ring.xml"), ranks=4, format="msccl")
    assert arlab.simulate(f"file:{tmp_path}/ring.xml", ranks=4)[0].picoseconds == arlab.simulate("ring", ranks=4)[0].picoseconds


def test_other_threads_run_while_it_computes():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())
    clock = threading.Thread(target=tick)
    clock.start()
    begin = time.monotonic()
    arlab.verify("ring, butterfly, circulant", ranks=128)
    took = time.monotonic() - begin
    stop.set()
    clock.join()
    assert len(ticks) >= min(5, int(took / 0.05))


@pytest.mark.parametrize("call,next_call", [
    ("arlab.simulate('ring', ranks=8192, size='1G', network='loggops', engine='events')", "arlab.verify('ring', ranks=4)"),
    ("arlab.simulate('forest', ranks=128, size='1M', network='torus')", "arlab.simulate('forest', ranks=4, network='torus')"),
    ("arlab.export('all_to_all', os.devnull, 1024)", "arlab.verify('ring', ranks=4)"),
    ("arlab.topology('torus:dims=32x32x32')", "arlab.topology('torus:dims=3x3').hosts == 9"),
    ("arlab.run('py_ring', ranks=3, size='64K', runs=10**6)", "arlab.run('py_ring', ranks=3, size='4K', time='5ms')")])
def test_an_interrupt_ends_a_long_call(call, next_call):
    code = (f"import os, arlab, six_algorithms\nprint('begins', flush=True)\ntry:\n    {call}\n"
            f"except KeyboardInterrupt:\n    print('interrupted')\nprint(bool({next_call}))\n")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=os.path.dirname(os.path.abspath(__file__)))
    assert child.stdout.readline() == "begins\n"
    time.sleep(1.0)
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    try:
        rest, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert rest == "interrupted\nTrue\n" and time.monotonic() - begin < 10


def test_256_ranks_of_a_ring_are_planned_within_a_second():
    if os.environ.get("ARLAB_SANITIZE"):
        pytest.skip("sanitizers take longer")
    assert min(_planned() for _ in range(2)) < 1


def _planned():
    begin = time.process_time()
    arlab.Algorithm(six_algorithms.ring.program).count(256, elements=1000)
    return time.process_time() - begin


def test_progress_is_told(monkeypatch):
    steps = []
    arlab._call.command("simulate", ["ring"], {"ranks": "2..8", "size": "1K"}, None, lambda done, all: steps.append((done, all)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.skipif(not ARLAB, reason="needs the program in ARLAB")
class TestFile:
    """Algorithms of Python files on the command line."""
    SIX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "six_algorithms.py")

    def arlab(self, *words, status=0, **environment):
        done = subprocess.run([ARLAB, *words], capture_output=True, text=True, timeout=100, env={**os.environ, "LD_PRELOAD": "", **environment})
        assert done.returncode == status, done.stderr
        return done.stdout, done.stderr

    def test_the_program_proves_and_times_it(self):
        name = f"file:{self.SIX}:py_ring"
        out, _ = self.arlab("verify", name, "-p", "1..9+1")
        assert out.count("right") >= 9 or out.count("| ") > 9
        out, _ = self.arlab("simulate", name, "ring", "-p", "5", "-s", "1K", "--json", "-", "-o", "-")
        times = [json.loads(line)["modelled_us"] for line in out.splitlines()[1:]]
        assert len(times) == 2 and times[0] == times[1]

    def test_what_is_wrong_is_named_with_the_line(self, tmp_path):
        file = tmp_path / "mine.py"
        file.write_text("import arlab\n\n@arlab.algorithm\ndef mine(p, me):\n    if me: yield arlab.send(0, 0)\n    else: yield arlab.reduce(1, 1)\n")
        out, err = self.arlab("verify", f"file:{file}", "-p", "2", status=1)
        assert re.search(r"mine\.py:[56]: ", out + err)
        file.write_text("import arlab\n1 / 0\n")
        _, err = self.arlab("verify", f"file:{file}", "-p", "2", status=2)
        assert "mine.py:2: 1 / 0" in err and "ZeroDivisionError" in err
        file.write_text("import arlab\n")
        _, err = self.arlab("verify", f"file:{file}", "-p", "2", status=2)
        assert "has no algorithm: write @arlab.algorithm" in err
        _, err = self.arlab("verify", f"file:{self.SIX}", "-p", "2", status=2)
        assert "several algorithms: name one" in err
        file.write_text("import arlab\n@arlab.algorithm\ndef mine(p, me):\n    yield 7\n")
        _, err = self.arlab("verify", f"file:{file}", "-p", "2", status=2)
        assert "yields 7" in err and "mine.py:4" in err
        file.write_text("import statistics\nimport arlab\n\nstatistics.mean([])\n")
        _, err = self.arlab("verify", f"file:{file}", "-p", "2", status=2)
        assert "mine.py:4: statistics.mean([])" in err and "StatisticsError" in err
        file.write_text("import arlab\n@arlab.algorithm(name=\"all\")\ndef mine(p, me):\n    yield\n")
        _, err = self.arlab("verify", f"file:{file}", "-p", "2", status=2)
        assert "mine.py:2: @arlab.algorithm" in err and "'all' means something else" in err

    def test_the_file_of_the_first_steps_is_read_for_its_algorithm(self, tmp_path):
        file = tmp_path / "json.py"  # the name of a module that others import
        wrong, more = first_steps.blocks("python")
        [last] = [line for line in wrong.splitlines(keepends=True) if "arlab.send(" in line]
        file.write_text("from __future__ import annotations\nimport dataclasses\n\n@dataclasses.dataclass\nclass Kept:\n    a: int = 1\n\n"
                        + wrong.replace(last, last + more))
        out, _ = self.arlab("verify", f"file:{file}", "-p", "1..8", PYTHONPATH="")  # the program alone
        assert "4 proofs, all right" in out
        file.write_text(wrong.replace("if __name__ == \"__main__\":", "if True:"))
        _, err = self.arlab("verify", f"file:{file}", "-p", "2", status=2, PYTHONPATH="")
        assert re.search(r"json\.py:\d+: for proof in arlab\.verify", err) and "put the call under `if __name__ ==" in err


MPIEXEC = os.environ.get("MPIEXEC", "")


@pytest.mark.skipif(not MPIEXEC or bool(os.environ.get("ARLAB_SANITIZE")), reason="needs mpirun in MPIEXEC, and no sanitizers")
@pytest.mark.parametrize("first", ["", "from mpi4py import MPI\n"])
def test_processes_of_mpi_run_it_several_times(first, tmp_path):
    if first:
        pytest.importorskip("mpi4py")
    script = tmp_path / "ranks.py"
    script.write_text(f"import sys\nsys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})\n{first}import arlab, six_algorithms\n"
                      "for _ in range(2):\n    rows = arlab.run('py_ring', size='4K', time='5ms')\n"
                      "    print([(row.algorithm, row.backend, row.ranks, row.wrong) for row in rows][:1], flush=True)\n")
    done = subprocess.run([MPIEXEC, "-n", "2", sys.executable, "-B", script], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("('py_ring', 'mpi', 2, 0)") == 2 and done.stdout.count("[]") == 2


@pytest.mark.skipif(not MPIEXEC or bool(os.environ.get("ARLAB_SANITIZE")), reason="needs mpirun in MPIEXEC, and no sanitizers")
def test_what_all_processes_refuse_is_raised_on_all(tmp_path):
    script = tmp_path / "ranks.py"
    script.write_text("import arlab\n"
                      "def alone(p, me):\n    yield arlab.send(1 - me, 0)\n"
                      "for call in (lambda: arlab.run('rng', size='1K'), lambda: arlab.run('ring', size='1K', ranks=5),\n"
                      "             lambda: arlab.run('ring', size='1K', backend='none'), lambda: arlab.run(arlab.Algorithm(alone), size='1K')):\n"
                      "    try:\n        call()\n    except arlab.Error as error:\n        print(type(error).__name__, flush=True)\n"
                      "print('ends', len(arlab.run('ring', size='1K', time='5ms')), flush=True)\n")
    done = subprocess.run([MPIEXEC, "-n", "2", sys.executable, "-B", script], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("UsageError") == 6 and done.stdout.count("CheckError") == 2
    assert done.stdout.count("ends 0") == 1 and done.stdout.count("ends") == 2
