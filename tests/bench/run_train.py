"""arlab train from end to end: alone, under mpirun, killed and started again."""

import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import struct
import sys
import time
import unittest

try:
    import numpy as np
except ImportError:
    np = None

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import program  # noqa: E402

READ_EVENTS = pathlib.Path(__file__).resolve().parents[1] / "training" / "telemetry" / "read_events.py"
MPIEXEC = os.environ.get("MPIEXEC", "")
SMALL = ("--data", "samples=640", "-B", 32)  # 20 steps an epoch
JOB = {**program.ALONE, **{name: value for name, value in os.environ.items() if name.startswith("OMPI_")}}


def losses(record):
    return [(e["loss"], e["accuracy"], e["validation_loss"]) for e in record["epochs"]]


class TrainTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.lines = subprocess.Popen([os.environ["TRAIN_LINES"]], env=program.ALONE, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.lines.communicate()
        super().tearDownClass()

    def record(self, *arguments):
        records = self.records("train", *arguments)
        self.assertEqual(len(records), 1)
        return records[0]

    def mpirun(self, ranks, *arguments):
        return subprocess.run([MPIEXEC, "-n", str(ranks), *self.command("train", *arguments)], cwd=self.folder, env=JOB,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def arlab(self, *arguments, code=0):
        """As ProgramTest.arlab, but in a copy of a process that has loaded LibTorch, which takes longer than most of the runs."""
        self.assertEqual(arguments[0], "train")
        status, out, err = self.copy(*arguments[1:])
        self.assertEqual(status, code, f"{arguments}\n{out}\n{err}")
        return out, err

    def copy(self, *words):
        line = {"folder": str(self.folder), "words": [str(word) for word in words]}
        self.lines.stdin.write(json.dumps(line) + "\n")
        self.lines.stdin.flush()
        answer = json.loads(self.lines.stdout.readline())
        return answer["status"], answer["stdout"], answer["stderr"]

    def each(self, lines):
        """Trains with each line's arguments, few samples unless it has data of its own. Yields (status, stdout, stderr)."""
        for line in lines:
            yield self.copy(*(() if "idx:" in line else SMALL), *line.split())

    def latest(self, folder):
        return sorted((self.folder / folder).glob("step-*.ckpt"))[-1].read_bytes()

    def wait_for_a_checkpoint(self, folder, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if list((self.folder / folder).glob("step-*.ckpt")):
                return
            time.sleep(0.01)
        self.fail(f"no checkpoint: {process.communicate()}")


class Runs(TrainTest):
    def test_help_begins_with_examples(self):
        out, _ = self.arlab("train", "--help")
        lines = out.splitlines()
        at = lines.index("Examples:")
        self.assertLess(at, 4)
        self.assertTrue(all(line.lstrip().startswith(("arlab train", "mpirun")) for line in lines[at + 1:at + 4]))

    def test_a_run_says_what_communication_cost_and_is_recorded(self):
        out, err = self.arlab("train", *SMALL, "--json", "a.jsonl", "--csv", "a.csv", "--trace", "t.json", "--exchange", "check_every=5")
        self.assertRegex(out, r"\| mlp +\| +2 \| +32 \| +16 \| mirrored \| ring ")
        self.assertIn("Exchanging 397.5 KiB of gradients (ring) took", out)
        self.assertEqual(err, "")
        record = program.parse(self.read("a.jsonl"))[1][0]
        self.check_record(record)
        self.assertEqual((record["kind"], record["algorithm"], record["ranks"], record["elements"], record["model"]),
                         ("train", "ring", 2, 101770, "mlp"))
        self.assertEqual(record["bytes_sent"], 2 * 20 * 4 * 101770)
        self.assertEqual(program.columns(out, "workers", "bytes"), [("2", "397.5 KiB")])  # per rank, as in records and plans
        self.assertEqual(record["time_us"]["n"], 10)  # without --warmup-steps
        self.assertEqual(len(record["epochs"]), 1)
        [row] = program.rows(self.read("a.csv"))
        self.assertEqual((row["kind"], row["time_us.n"], json.loads(row["epochs"])), ("train", "10", record["epochs"]))
        self.assertIn('"traceEvents"', self.read("t.json"))

    def test_it_learns(self):
        record = self.record("-e", 3, "--data", "samples=2000")
        self.assertGreater(record["epochs"][-1]["validation_accuracy"], 0.6)
        self.assertLess(record["epochs"][-1]["loss"], record["epochs"][0]["loss"])

    def test_several_workers_are_compared_and_lose_alike(self):
        records = self.records("train", *SMALL, "-w", "1,2,4", "--exchange", "overlap=off")
        self.assertEqual([r["workers"] for r in records], [1, 2, 4])
        for record in records[1:]:
            self.assertAlmostEqual(record["epochs"][0]["loss"], records[0]["epochs"][0]["loss"], places=4)

    def test_augmented_images_are_the_same_for_all_workers_and_others_in_each_epoch(self):
        plain = self.record(*SMALL, "-w", 2, "-e", 2)
        records = self.records("train", *SMALL, "-w", "1,2", "-e", 2, "--input", "augment=on")
        for epoch in range(2):
            self.assertAlmostEqual(records[0]["epochs"][epoch]["loss"], records[1]["epochs"][epoch]["loss"], places=4)
            self.assertNotAlmostEqual(records[1]["epochs"][epoch]["loss"], plain["epochs"][epoch]["loss"], places=4)
        self.arlab("train", *SMALL, "--input", "augment=on", "--checkpoint", "run")
        _, err = self.arlab("train", *SMALL, "-e", 2, "--checkpoint", "run", code=2)
        self.assertIn("belongs to another run: the data was synthetic, moved by 2; 640 samples", err)

    def test_bad_usage(self):
        cases = (("-m mpl", "unknown model 'mpl', did you mean 'mlp'?"),
                 ("-s miror", "unknown strategy 'miror'"), ("-s multi_worker", "needs ranks that are processes, but they are threads: use --strategy mirrored"),
                 ("-a all_to_all -w 3", "replicas would drift apart"), ("-w 0", "workers is 0: give 1 to 1024"),
                 ("-B 1 -w 2", "batch"), ("--lr -1", "-1"), ("-d mnist", "--data 'mnist' is unknown"),
                 ("-m resnet50 -d idx:none", "error: none/train-images"), ("--device tpu", "device 'tpu' is not known"),
                 ("--nothing", "unknown option '--nothing'"), ("-b mpi", "start the program with `mpirun -n 2`"))
        for (line, part), (status, out, err) in zip(cases, self.each(line for line, _ in cases)):
            with self.subTest(line=line):
                self.assertIn(status, (2, 3), err)
                self.assertIn(part, err)
                self.assertEqual((out, err.count("error:")), ("", 1))

    def test_every_value_is_checked_even_if_the_option_has_no_effect(self):
        cases = (("--exchange aggregation=bogus", "unknown aggregation 'bogus'"), ("--target nan", "--target is nan: give an accuracy"),
                 ("--target 1.5", "--target is 1.5"), ("--compute codec=abc", "--compute codec is 'abc'"),
                 ("--compute codec=1,-1 -b virtual", "--compute codec is '1,-1'"), ("--compute jitter=nan -b virtual", "--compute jitter 'nan' is not a number"),
                 ("--compute slowdown=1,0 -b virtual", "--compute slowdown has the factor 0"), ("--compute speed=0", "speed"),
                 ("--scheduler priority:slice=0", "parameter slice of scheduler priority is 0"),
                 ("--scheduler fusion:cycle=0us", "parameter cycle of scheduler fusion is 0"),
                 ("--scheduler buckets:bucket=0", "parameter bucket of scheduler buckets is 0"),
                 ("--scheduler credit:credit=0", "parameter credit of scheduler credit is 0"),
                 ("--lr warmup=nan", "--lr warmup 'nan' is not a number"), ("--lr warmup=-1", "a warm-up of -1"), ("--lr nan", "--lr 'nan' is not a number"),
                 ("--lr inf", "--lr 'inf' is not a number"), ("--lr decay=none", "learning-rate decay 'none'"),
                 ("--checkpoint every=0", "--checkpoint every is 0: give 1 to"), ("--checkpoint keep=3,best_only=on", "settings, but no folder"), ("--input sharding=none", "none"), ("--optimizer none", "none"), ("--timeout 10ms", "--timeout is 10ms: give at least 1s"),
                 ("--optimizer momentum=1", "--optimizer momentum is 1: give"), ("--optimizer momentum=nan", "--optimizer momentum 'nan' is not a number"), ("--optimizer weight_decay=-1", "--optimizer weight_decay is -1"),
                 ("--optimizer weight_decay=1e300", "--optimizer weight_decay is inf"), ("--lr decay_factor=1", "--lr decay_factor is 1"),
                 ("--lr decay_epochs=5,3", "out of order"), ("--lr decay_epochs=-1", "out of order or negative"),
                 ("--input shuffle=yes", "--input shuffle is 'yes': give on or off"), ("--input drop_remainder=1", "--input drop_remainder is '1': give on or off"),
                 ("--input shuffle_seed=-1", "--input shuffle_seed is -1"), ("--input threads=0", "--input threads is 0"),
                 ("--input threads=some", "--input threads"), ("--timeout soon", "--timeout"), ("--compute micro_batches=33", "--compute micro_batches is 33, but a worker has at most 16 of 32"))
        for (line, part), (status, out, err) in zip(cases, self.each(line for line, _ in cases)):
            with self.subTest(line=line):
                self.assertEqual(status, 2, err)
                self.assertIn(part, err)
                self.assertEqual((out, err.count("error:")), ("", 1))

    def test_sharded_weights_train_a_real_network_to_the_same_bits(self):
        def losses_of(*arguments):
            return losses(self.record(*SMALL, "-w", 2, *arguments))
        dense = losses_of("-s", "mirrored")
        for arguments in (("-s", "zero2"), ("-s", "fsdp"), ("-s", "fsdp", "--exchange", "overlap=off"), ("-s", "hsdp", "--exchange", "groups=2")):
            with self.subTest(arguments=arguments):
                self.assertEqual(losses_of(*arguments), dense)

    def test_events_hold_the_rate_of_all_steps_since_the_last_ones(self):
        record = self.record(*SMALL, "-w", 2, "-b", "virtual", "--compute", "slowdown=1,2,jitter=1", "--tensorboard", "events")
        [path] = (self.folder / "events").iterdir()
        lines = subprocess.run([sys.executable, "-B", READ_EVENTS, path], check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertTrue(any(re.fullmatch(r"node 1_Linear/Addmm Addmm \['1_Linear/bias', '0_Flatten/\w+', '1_Linear/T'\] \[1, 128\]", line)
                            for line in lines), lines)
        rates = [float(line.split()[-1]) for line in lines if line.startswith("step 19 scalar batch/images_per_second ")]
        self.assertEqual(len(rates), 1)
        self.assertAlmostEqual(rates[0] / record["images_per_s"], 1, places=5)


class Refusals(TrainTest):
    def test_an_option_without_effect_is_refused(self):
        cases = (("--servers 3", "--strategy parameter_server:servers=3"), ("--bound 2", "--strategy stale_synchronous:staleness=2"),
                 ("--every 4", "--strategy local_sgd:every=4"), ("--outer-rate 1", "--strategy diloco:outer_rate=1"),
                 ("--exchange check_every=5 -s local_sgd", "strategy"), ("--exchange aggregation=allreduce", "--compressor"),
                 ("--compute codec=1,1 -b virtual", "--compressor"), ("--target 0.9", "several runs of --backend virtual"),
                 ("--compute jitter=0", "--backend virtual"), ("--compute speed=1T", "--backend virtual"), ("--network 1G", "--backend virtual or --tune"),
                 ("--exchange groups=2", "--algorithm hierarchical"), ("--exchange segments=2 -a native", "an algorithm"),
                 ("--timeout 5s -b virtual", "real ranks"), ("--optimizer sgd:momentum=0.9", "--optimizer momentum"),
                 ("--lr decay_epochs=2,decay=cosine", "decay=steps"), ("--lr decay_factor=0.5,decay=constant", "decay=steps"),
                 ("--lr warmup=1", "scaling=linear or sqrt"), ("--input shuffle_seed=2,shuffle=off", "shuffle=on"),
                 ("--input threads=2,prefetch=0", "prefetch of at least 1"), ("--input threads=2 -b virtual", "real ranks"))
        for (line, needs), (status, out, err) in zip(cases, self.each(line for line, _ in cases)):
            with self.subTest(line=line):
                option = line.split()[0]
                self.assertEqual(status, 2, err)
                self.assertRegex(err, rf"{option}( \w+)? has no effect here: it needs {needs}")
                self.assertEqual((out, err.count("error:")), ("", 1))
        _, err = self.arlab("train", *SMALL, "-w", 1, "-a", "ring", "--exchange", "overlap=off")
        self.assertIn("note: a single worker exchanges nothing: --algorithm, --exchange overlap without effect", err)
        _, err = self.arlab("train", "--data", "samples=640", "-d", "idx:none", code=2)
        self.assertIn("--data samples has no effect here: it needs --data synthetic", err)
        _, err = self.arlab("train", *SMALL, "--compute", "sync_bn=on", code=2)
        self.assertIn("--compute sync_bn has no effect here: model mlp has no batch normalization", err)

    def test_a_recording_refuses_what_only_a_training_uses(self):
        cases = ("-w 2", "-s fsdp", "--scheduler fifo", "--compressor fp16", "--exchange overlap=off", "--compute micro_batches=2", "-e 3", "--steps 5",
                 "--lr 0.3", "--checkpoint run", "--tensorboard events", "--trace t.json", "--json a.jsonl", "--csv a.csv", "--device cuda")
        names = {"-w": "--workers", "-s": "--strategy", "-e": "--epochs"}
        for line, (status, out, err) in zip(cases, self.each(f"--record-profile p.json {line}" for line in cases)):
            with self.subTest(line=line):
                option = line.split()[0]
                self.assertEqual((status, out), (2, ""), err)
                self.assertRegex(err, rf"error: {names.get(option, option)}( cuda)? has no effect here: it needs a training")
        self.assertEqual(list(self.folder.iterdir()), [])
        self.arlab("train", "--record-profile", "p.json", "--optimizer", "sgd", "-B", 8, "--data", "samples=64")
        self.assertEqual((json.loads(self.read("p.json"))["batch"], len(list(self.folder.iterdir()))), (8, 1))

    def test_a_dry_run_writes_nothing(self):
        out, _ = self.arlab("train", *SMALL, "--dry-run", "--checkpoint", "run", "--tensorboard", "events", "--trace", "more/t.json")
        self.assertTrue(out.endswith("\n1 run\n"), out)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_finished_checkpoint_is_evaluated_and_recorded_as_that(self):
        first = self.record(*SMALL, "--checkpoint", "run")
        out, err = self.arlab("train", *SMALL, "--checkpoint", "run", "--json", "a.jsonl")
        self.assertIn("Nothing was left to train: the checkpoint already has 20 steps.", out)
        accuracy = f"{100 * first['epochs'][-1]['validation_accuracy']:.1f}%"
        [cells] = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("| mlp ")]
        self.assertIn(accuracy, cells)  # the one of the run that trained
        self.assertNotIn("0", cells)
        self.assertNotIn("0.0%", cells)
        [record] = program.parse(self.read("a.jsonl"))[1]
        self.assertEqual(record["skipped"], "nothing was left to train: the checkpoint has 20 steps")
        self.assertEqual((record["epochs"], record["time_us"]), ([], None))

    def test_a_cluster_without_a_job_is_not_trained_alone(self):
        config = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": "0"}}'
        done = subprocess.run(self.command("train", *SMALL), cwd=self.folder, env={**program.ALONE, "TF_CONFIG": config},
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("TF_CONFIG names 2 workers and servers, but this process is not part of an MPI job: start all of them "
                      "as one job, `mpirun -n 2 -H a,b arlab train ...`", done.stderr)

    def test_rates_leave_out_the_first_steps(self):
        out, _ = self.arlab("train", *SMALL, "-w", 2, "--json", "a.jsonl")
        [record] = program.parse(self.read("a.jsonl"))[1]
        self.assertEqual((record["warmup_steps"], record["time_us"]["n"], record["epochs"][0]["steps"]), (10, 10, 20))
        self.assertIn("Rates and times leave out the first 10 of 20 steps.", out)
        out, _ = self.arlab("train", *SMALL, "-w", 2, "--steps", 6)
        self.assertIn("Rates and times leave out the first 3 of 6 steps, not 10, as the run is short.", out)
        whole = self.record(*SMALL, "-w", 2, "--steps", "warmup=0")
        self.assertEqual((whole["warmup_steps"], whole["time_us"]["n"]), (0, 20))
        self.assertAlmostEqual(whole["images_per_s"], whole["epochs"][0]["images_per_s"])
        _, err = self.arlab("train", *SMALL, "-b", "virtual", "--steps", "warmup=5", code=2)
        self.assertIn("--steps warmup has no effect here: it needs real ranks", err)

    def test_no_row_pays_for_what_all_share(self):
        """The first row neither makes the images in its steps nor has steps of a library that starts: its rates leave these out.
        (docs/results.md measures that speed-ups of -w 1,2 and -w 2,1 are alike.)"""
        def starved(order):
            records = self.records("train", "--data", "samples=2000", "-w", order, "--steps", 40)
            self.assertEqual([(r["warmup_steps"], r["time_us"]["n"]) for r in records], [(10, 30)] * 2)
            return [r["workers"] for r in records if r["epochs"][0]["input_us"] >= 0.5 * r["epochs"][0]["elapsed_us"]]

        for order in ("1,2", "2,1"):
            self.assertIn([], (starved(order) for _ in range(3)), order)  # a busy machine may starve a run, not all

    def test_a_local_batch_grows_the_batch_with_the_workers(self):
        out, _ = self.arlab("train", "--data", "samples=640", "--batch", "per_worker=16", "-w", "1,2", "--json", "a.jsonl")
        records = program.parse(self.read("a.jsonl"))[1]
        self.assertEqual([(r["workers"], r["batch_size"], r["epochs"][0]["steps"]) for r in records], [(1, 16, 40), (2, 32, 20)])
        self.assertEqual([r["epochs"][0]["samples"] for r in records], [640, 640])
        self.assertEqual(program.columns(out, "batch", "local batch"), [("16", "16"), ("32", "16")])
        efficiency, speed_up, interval = program.columns(out, "efficiency", "speed-up", "95% interval")[-1]
        self.assertAlmostEqual(float(efficiency.rstrip("%")), 50 * float(speed_up), delta=0.51)
        low, high = map(float, interval.split("-"))
        self.assertLessEqual(low, high)
        for both in (("-B", "32:per_worker=16"), ("-B", 32, "--local-batch", 16)):  # the second by its old name
            _, err = self.arlab("train", *both, code=2)
            self.assertIn("--batch is 32 of all workers together, and per_worker=16 of each: give one", err)

    def test_steps_go_on_beyond_the_epochs_unless_these_are_given(self):
        record = self.record(*SMALL, "--steps", 50)
        self.assertEqual([e["steps"] for e in record["epochs"]], [20, 20, 10])
        _, err = self.arlab("train", *SMALL, "-e", 2, "--steps", 50, "--json", "a.jsonl")
        self.assertEqual(sum(e["steps"] for e in program.parse(self.read("a.jsonl"))[1][0]["epochs"]), 40)
        self.assertIn("note: 2 epochs have 40 steps, so training stops before step 50", err)

    def test_files_are_sharded_among_workers_whatever_the_validation_data_are(self):
        data = random.Random(3)
        for name, samples in [(f"data_batch_{i}.bin", 10) for i in range(1, 6)] + [("test_batch.bin", 8)]:
            (self.folder / name).write_bytes(b"".join(bytes([data.randrange(10)]) + data.randbytes(3072) for _ in range(samples)))
        run = ("-m", "alexnet", "-d", f"cifar10:{self.folder}", "-B", 10, "--steps", 1, "--lr", "0.001")
        for workers in (2, 3, 5):
            with self.subTest(workers=workers):
                self.assertEqual(self.record(*run, "-w", workers, "--sharding", "file")["epochs"][0]["samples"], 10)
        _, err = self.arlab("train", *run, "-w", 6, "--sharding", "file", code=2)
        self.assertIn("there are 5 files for 6 workers", err)

    def test_a_training_that_diverges_says_so_last_and_in_its_status(self):
        out, err = self.arlab("train", *SMALL, "-w", 2, "--optimizer", "sgd", "--lr", "5", "--compressor", "signsgd", code=1)
        self.assertIn("| mlp ", out)
        self.assertRegex(err.splitlines()[-1], r"^error: training diverged \(mlp on 2 workers with signsgd: loss .*\): use a smaller --lr, or another compressor$")
        self.assertIn("note: compressor signsgd: each step moves every weight by the learning rate", err)
        _, err = self.arlab("train", *SMALL, "--compressor", "qsgd:feedback=on", code=2)
        self.assertIn("compressor qsgd with feedback=on would diverge: its code is not a contraction", err)

    def test_the_best_accuracy_is_said_beside_that_of_the_fastest(self):
        out, _ = self.arlab("train", *SMALL, "-w", 2, "--compressor", "none", "int8")
        self.assertRegex(out, r"Fastest step: .*\nBest validation accuracy: (\S+), [\d.]+%(; (?!\1 )\S+ has [\d.]+%)?\.\n")

    def test_costs_of_a_code_say_that_they_are_those_of_its_warm_up(self):
        run = (*SMALL, "-w", 4, "-b", "virtual", "--network", "1G", "--compute", "codec=0.1,0.1", "--optimizer", "sgd", "-a", "ring")
        out, err = self.arlab("train", *run, "--compressor", "none", "topk", "dgc")
        self.assertIn("dgc makes larger codes in its first 400 steps (its warm-up), so the bytes and times of these 20 steps are not "
                      "what it costs later.", out)
        self.assertIn("in its first 400 steps codes are larger", err)
        coded, _ = self.arlab("train", *run, "--compressor", "fp16")
        self.assertIn("fp16, whose codes are 298.2 KiB.", coded)  # per rank: 2 x 3 / 4 of 2 bytes per gradient
        out, _ = self.arlab("train", *run, "--compressor", "dgc:warm_up=2", "--json", "a.jsonl")
        self.assertIn("Rates and times leave out the first 8 of 20 steps.\ndgc:warm_up=2 makes larger codes in these (its warm-up).", out)
        [record] = program.parse(self.read("a.jsonl"))[1]
        self.assertEqual(record["warmup_steps"], 8)
        self.assertLess(4 * record["bytes_per_rank_step"], record["epochs"][0]["bytes_sent"] / 20 / 4)

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_the_size_of_an_mpi_job_wins_over_variables_of_slurm(self):
        step = {"SLURM_PROCID": "0", "SLURM_NODEID": "0", "SLURM_LOCALID": "0", "SLURM_STEP_NODELIST": "n[1-2]", "SLURM_STEP_NUM_TASKS": "2",
                "SLURM_STEP_TASKS_PER_NODE": "1(x2)", "SLURM_GPUS_PER_TASK": "a100:1", "SLURM_DISTRIBUTION": "plane=1"}
        daemons = step | {"SLURM_STEP_NODELIST": "n[2-3]", "SLURM_NTASKS": "6"}  # of mpirun in an allocation of three nodes
        for ranks, variables in ((2, step), (3, daemons)):
            done = subprocess.run([MPIEXEC, "-n", str(ranks), *self.command("train", *SMALL, "--steps", 2)], cwd=self.folder, env=JOB | variables,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_rate_that_is_too_high_stops_the_run_with_a_reason(self):
        _, err = self.arlab("train", *SMALL, "--lr", "1e30", "--checkpoint", "run", code=1)
        self.assertRegex(err, "error: the gradient of .* is (NaN|infinite) at step [0-9]+: the weights of the previous step are kept")
        self.assertTrue(list((self.folder / "run").glob("step-*.ckpt")))


def sections(checkpoint):
    """Returns the floats of each section of a checkpoint."""
    found, at = {}, 28
    while at < len(checkpoint):
        _, name, size = struct.unpack_from("<IIQ", checkpoint, at)
        at += 16
        found[checkpoint[at:at + name].decode()] = checkpoint[at + name:at + name + size]
        at += name + size + 4
    return found


def mlp_gradients(weights, images, labels):
    """The mean gradient of the cross entropy of a batch, by hand: 784-128-10 with ReLU."""
    first, bias, second, offset = np.split(weights, np.cumsum([128 * 784, 128, 10 * 128]))
    first, second = first.reshape(128, 784), second.reshape(10, 128)
    hidden = np.maximum(images @ first.T + bias, 0)
    outputs = hidden @ second.T + offset
    odds = np.exp(outputs - outputs.max(1, keepdims=True))
    wrong = odds / odds.sum(1, keepdims=True)
    wrong[np.arange(len(labels)), labels] -= 1
    wrong /= len(labels)
    back = (wrong @ second) * (hidden > 0)
    return np.concatenate([(back.T @ images).ravel(), back.sum(0), (wrong.T @ hidden).ravel(), wrong.sum(0)])


class Learning(TrainTest):
    def write_images(self, samples):
        """MNIST's files with random images; returns the training images and labels."""
        data = random.Random(5)
        kept = None
        for kind, count in (("t10k", 10), ("train", samples)):
            kept = data.randbytes(784 * count), bytes(data.randrange(10) for _ in range(count))
            (self.folder / f"{kind}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, count, 28, 28) + kept[0])
            (self.folder / f"{kind}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, count) + kept[1])
        return kept

    @unittest.skipUnless(np, "numpy not found")
    def test_steps_are_those_of_pytorchs_formulas_on_the_batches_that_were_asked_for(self):
        images, labels = self.write_images(40)
        images = np.frombuffer(images, np.uint8).reshape(40, 784) / 255
        labels = np.frombuffer(labels, np.uint8)
        run = ("-d", f"idx:{self.folder}", "-B", 16, "-w", 2, "-e", 2, "--input", "shuffle=off,drop_remainder=off", "--lr", 0.1,
               "--lr", "decay_epochs=1,decay_factor=0.5", "--optimizer", "weight_decay=0.05", "--checkpoint", "run:every=1,keep=0")
        for optimizer, momentum in (("momentum", 0.9), ("momentum", 0.5), ("sgd", 0)):
            with self.subTest(optimizer=optimizer, momentum=momentum):
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                record = self.record(*run, "--optimizer", optimizer, *(("--optimizer", f"momentum={momentum}") if momentum else ()))
                self.assertEqual([(e["steps"], e["samples"]) for e in record["epochs"]], [(3, 40), (3, 40)])
                self.assertEqual((record["momentum"], record["weight_decay"], record["shuffle"], record["drop_remainder"]),
                                 (momentum or None, 0.05, False, False))
                self.assertEqual(record["learning_rate_schedule"], "0.1, scaled none, warm-up 0, steps, 1:0.5")
                states = [sections(path.read_bytes()) for path in sorted((self.folder / "run").glob("step-*.ckpt"))]
                self.assertEqual(len(states), 6)
                for done, (before, after) in enumerate(zip(states, states[1:]), 1):
                    weights, moments = (np.frombuffer(before.get(name, b""), "<f4").astype(float)
                                        for name in ("weights/parameters", "optimizer/moments"))
                    batch = slice(16 * (done % 3), 16 * (done % 3) + 16)  # the third has 8
                    step = mlp_gradients(weights, images[batch], labels[batch]) + 0.05 * weights
                    if momentum:
                        step += momentum * moments
                    expected = weights - (0.1 if done < 3 else 0.05) * step
                    got = np.frombuffer(after["weights/parameters"], "<f4")
                    self.assertLess(abs(got - expected).max(), 2e-6 * abs(expected).max() + 1e-7)

    def test_the_rate_drops_at_the_epochs_that_were_given(self):
        def schedule(*arguments):
            return self.record(*SMALL, "--steps", 2, *arguments)["learning_rate_schedule"]
        self.assertEqual(schedule(), "0.05, scaled none, warm-up 0, constant")
        self.assertEqual(schedule("--lr", "decay=steps"), "0.05, scaled none, warm-up 0, steps, 3:0.1, 7:0.01")
        self.assertEqual(schedule("--lr", "decay_factor=0.5"), "0.05, scaled none, warm-up 0, steps, 3:0.5, 7:0.25")
        self.assertEqual(schedule("--lr", "decay_epochs=1,2.5,decay_factor=0.5"), "0.05, scaled none, warm-up 0, steps, 1:0.5, 2.5:0.25")

    def test_the_cosine_ends_with_the_last_step(self):
        def schedule(*arguments):  # of 20 steps per epoch
            return self.record(*SMALL, "--lr", "decay=cosine", *arguments)["learning_rate_schedule"]
        for arguments, epochs in ((("--steps", 5), "0.25"), (("--steps", 30), "1.5"), (("-e", 2), "2"), (("-e", 2, "--steps", 10), "0.5"),
                                  (("-e", 2, "--steps", 50), "2")):
            with self.subTest(arguments=arguments):
                self.assertEqual(schedule(*arguments), f"0.05, scaled none, warm-up 0, cosine, {epochs} epochs")
        self.arlab("train", *SMALL, "--steps", 20, "--lr", "decay=cosine", "--tensorboard", "events")
        [path] = (self.folder / "events").iterdir()
        lines = subprocess.run([sys.executable, "-B", READ_EVENTS, path], check=True, capture_output=True, text=True).stdout.splitlines()
        [rate] = [float(line.split()[-1]) for line in lines if line.startswith("step 19 scalar batch/learning_rate ")]
        self.assertAlmostEqual(rate, 0.05 * (1 + math.cos(math.pi * 19 / 20)) / 2, delta=1e-6)

    def test_the_order_of_samples_has_a_seed_of_its_own(self):
        def first_loss(*arguments):
            return self.record(*SMALL, "--steps", 5, *arguments)["epochs"][0]["loss"]
        self.assertEqual(first_loss("--input", "shuffle_seed=1"), first_loss())
        self.assertEqual(len({first_loss(), first_loss("--input", "shuffle_seed=2"), first_loss("--input", "shuffle=off")}), 3)

    def test_the_last_batch_may_be_smaller(self):
        data = ("--data", "samples=100", "-B", 32, "-w", 3)
        self.assertEqual([(e["steps"], e["samples"]) for e in self.record(*data)["epochs"]], [(3, 96)])
        for more in ((), ("-s", "fsdp"), ("-s", "local_sgd:every=2"), ("-s", "async_parameter_server")):
            with self.subTest(more=more):
                record = self.record(*data, "--input", "drop_remainder=off", "-e", 2, *more)
                self.assertEqual([(e["steps"], e["samples"]) for e in record["epochs"]], [(4, 100), (4, 100)])
        out, _ = self.arlab("train", *data, "--input", "drop_remainder=off", "--dry-run")
        self.assertRegex(out, r"\| +32 \| 10 to 11 +\| +4 \| +1 \|")
        _, err = self.arlab("train", "-m", "resnet50", "--compute", "sync_bn=on", "--data", "samples=33", "-B", 16, "-w", 2, "--input", "drop_remainder=off", code=2)
        self.assertIn("--compute sync_bn needs equal batches on all workers, and the last 1 of 33 samples cannot be divided by 2", err)

    def test_old_names_work(self):
        old = ("--shuffle", "off", "--drop-last=off", "--prefetch", 4, "--data", "samples=100", "-B", 32, "-b", "virtual", "--bandwidth", "1G")
        new = ("--input", "shuffle=off,drop_remainder=off,prefetch=4", "--data", "samples=100", "-B", 32, "-b", "virtual", "--network", "1G")
        (told, err), (untold, _) = (self.arlab("train", *words, "--dry-run") for words in (old, new))
        self.assertEqual(told, untold)
        for note in ("--shuffle is now --input shuffle=off", "--drop-last is now --input drop_remainder=off",
                     "--prefetch is now --input prefetch=4", "--bandwidth is now --network"):
            self.assertIn(f"note: {note}\n", err)
        _, err = self.arlab("train", *SMALL, "--steps", 2, "--checkpoint", "run", "--keep", 1, "--best-only")
        self.assertIn("note: --keep is now --checkpoint keep=1\nnote: --best-only is now --checkpoint=best_only=on\n", err)

    def test_the_warm_up_of_the_rate_had_another_name(self):
        _, err = self.arlab("train", *SMALL, "--warmup", 1, "--lr", "scaling=linear")
        self.assertEqual(err, "note: --warmup is now --lr warmup=1\n")
        out, _ = self.arlab("train", "--help")
        self.assertIn("warmup=0", out)
        self.assertNotIn("--warmup ", out)
        _, err = self.arlab("train", *SMALL, "--warmup", 1, "--lr", "warmup=1", code=2)
        self.assertIn("--lr: 'warmup' is set twice", err)

    def test_the_threads_that_make_batches_are_said_and_change_nothing(self):
        seen = set()
        for threads in ("1", "3", "auto"):
            out, _ = self.arlab("train", *SMALL, "-e", 2, "--input", f"augment=on,threads={threads}", "--json", "a.jsonl")
            [record] = program.parse(self.read("a.jsonl"))[1]
            seen.add(str(losses(record)))
            number = record["input_threads"]
            self.assertEqual(number if threads == "auto" else str(number), number if threads == "auto" else threads)
            self.assertIn(f"Batches were made by {number} thread{'s' if number > 1 else ''} per worker", out)
        self.assertEqual(len(seen), 1)
        self.assertIsNone(self.record(*SMALL, "--input", "prefetch=0")["input_threads"])


class Checkpoints(TrainTest):
    def test_killed_at_a_random_step_it_goes_on_to_the_same_weights(self):
        run = ("train", *SMALL, "-e", 6, "--checkpoint", "every=7", "--optimizer", "adam", "--lr", "0.001")
        self.arlab(*run, "--checkpoint", "whole")
        with self.start(*run, "--checkpoint", "run") as process:
            self.wait_for_a_checkpoint("run", process)
            time.sleep(random.random() * 0.3)
            process.kill()
        _, err = self.arlab(*run, "--checkpoint", "run")
        self.assertIn("note: resuming after step", err)
        self.assertEqual(self.latest("run"), self.latest("whole"))

    def test_saving_changes_nothing_that_is_learned(self):
        for strategy in ("local_sgd:every=6", "diloco:every=6"):
            with self.subTest(strategy=strategy):
                run = (*SMALL, "-w", 2, "-s", strategy, "-e", 2)
                plain = self.record(*run)
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                out, err = self.arlab("train", *run, "--checkpoint", "run:every=4,keep=0", "--json", "saved.jsonl")
                self.assertEqual(losses(program.parse(self.read("saved.jsonl"))[1][-1]), losses(plain), out)
                self.assertIn("have equal weights every 6 steps of an epoch, so checkpoints wait for these steps", err)
                self.assertEqual([int(path.stem[5:]) for path in sorted((self.folder / "run").glob("step-*.ckpt"))],
                                 [6, 12, 18, 20, 26, 32, 38, 40])

    def test_where_saving_changes_what_is_learned_a_run_says_so_and_keeps_its_interval(self):
        for strategy in ("stale_synchronous", "async_parameter_server", "diloco:every=6,fragments=2", "diloco:every=6,delay=2"):
            with self.subTest(strategy=strategy):
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                run = ("train", *SMALL, "-w", 2, "-s", strategy)
                _, err = self.arlab(*run, "--checkpoint", "run:every=4")
                self.assertIn("so --checkpoint every=4 changes what they learn", err)
                _, err = self.arlab(*run, "-e", 2, "--checkpoint", "run:every=5", code=2)
                self.assertIn("belongs to another run: the interval of checkpoints was 4 steps and is now 5 steps: use the same options", err)
                self.arlab(*run, "-e", 2, "--checkpoint", "run:every=4")
        _, err = self.arlab("train", *SMALL, "-w", 1, "-s", "stale_synchronous", "--checkpoint", "alone:every=4")
        self.assertEqual(err, "")

    def test_foreign_and_damaged_checkpoints_are_refused(self):
        self.arlab("train", *SMALL, "--checkpoint", "run", "-e", 2)
        _, err = self.arlab("train", *SMALL, "--checkpoint", "run", "--optimizer", "sgd", code=2)
        self.assertIn("belongs to another run: the optimizer was momentum", err)
        for path in (self.folder / "run").glob("step-*.ckpt"):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
        _, err = self.arlab("train", *SMALL, "--checkpoint", "run", code=2)
        self.assertIn("error:", err)


class Processes(TrainTest):
    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_one_job_trains_several_numbers_of_workers(self):
        done = self.mpirun(2, *SMALL, "-w", "2,1", "--json", "both.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        two, one = program.parse((self.folder / "both.jsonl").read_text())[1]
        self.assertEqual([(r["workers"], r["ranks"], r["strategy"]) for r in (two, one)], [(2, 2, "multi_worker"), (1, 1, "one_device")])
        self.assertEqual(losses(one), losses(self.record(*SMALL, "-w", 1)))
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if line.startswith("|")]
        table = [dict(zip(rows[0], row)) for row in rows[2:]]
        times = two["images_per_s"] / one["images_per_s"]
        self.assertEqual([row["speed-up"] for row in table], [f"{times:.2f}", ""])
        self.assertEqual([row["efficiency"] for row in table], [f"{50 * times:.1f}%", ""])
        refused = self.mpirun(2, *SMALL, "-w", "1,3")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("3 workers are 3 ranks, but the MPI job has 2", refused.stderr)

    def test_virtual_ranks_train_as_threads_do_in_the_same_time_each_time(self):
        alone = self.record(*SMALL, "-w", 4)
        virtual = (*SMALL, "-w", 4, "-b", "virtual", "--network", "1G", "--compute", "slowdown=1,1,1,1.5,jitter=0.1")
        first = self.record(*virtual)
        self.assertEqual(losses(first), losses(alone))
        self.assertEqual((first["backend"], first["bandwidth_gbit_per_s"], first["latency_us"]), ("virtual", 1, 20))
        # 2 x 3 messages of a quarter each, and the slowest rank computes 1.5 to 1.65 times as long as the others.
        exchange = 6 * (20 + 101770 * 4 / 4 * 8e-3)
        compute = 1.5 * 3 * 8 * 101770 * 1e-6
        self.assertGreater(first["step_us"], exchange + compute)
        self.assertLess(first["step_us"], exchange + 1.1 * compute + 1)
        again = self.record(*virtual)
        for changing in ("time_us", "line"):
            first.pop(changing, None)
            again.pop(changing, None)
        self.assertEqual(again, first)

    def test_a_study_gives_a_verdict(self):
        out, err = self.arlab("train", *SMALL, "-w", 4, "-b", "virtual", "--network", "100M,100G", "--compute", "codec=1,1",
                              "--compressor", "none", "fp16", "topk:ratio=0.001")
        self.assertIn("note: fp16 by allreduce: each rank receives", err)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("| 100 ")]
        self.assertEqual([(row[0], row[1]) for row in rows[:1]], [("100 Mbit/s", "none")])
        self.assertEqual(len(rows), 6)
        verdicts = {(row[0], row[1]): row[-1] for row in rows}
        self.assertEqual(verdicts["100 Mbit/s", "none"], "best dense")
        self.assertEqual(verdicts["100 Mbit/s", "fp16"], "gains")
        self.assertEqual(verdicts["100 Gbit/s", "fp16"], "loses")
        self.assertIn("points worse", verdicts["100 Mbit/s", "topk:ratio=0.001"])
        self.assertIn("- at 100 Mbit/s: use fp16 with buckets", out)


class Jobs(TrainTest):
    """Many processes, each of which takes seconds to load LibTorch."""

    def in_cluster(self, tasks, *arguments):
        """Runs one rank for each task, which its TF_CONFIG names."""
        config = {"cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]}}
        code = ("import json, os, sys; config, tasks = json.loads(sys.argv[1]); "
                "config['task'] = tasks[int(os.environ['OMPI_COMM_WORLD_RANK'])]; "
                "os.environ['TF_CONFIG'] = json.dumps(config); os.execvp(sys.argv[2], sys.argv[2:])")
        words = [sys.executable, "-c", code, json.dumps([config, tasks]), *self.command("train", *SMALL, *arguments)]
        return subprocess.run([MPIEXEC, "-n", str(len(tasks)), *words], cwd=self.folder, env=JOB, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_tf_config_decides_roles_and_contradictions_are_errors(self):
        first, second, server = {"type": "worker", "index": 0}, {"type": "worker", "index": 1}, {"type": "ps", "index": 0}
        done = self.in_cluster([first, second, server], "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = program.parse(done.stdout)[1][0]
        self.assertEqual((record["strategy"], record["workers"], record["servers"]), ("parameter_server", 2, 1))
        right = [first, second, server]
        evaluator = {"type": "evaluator", "index": 0}
        for tasks, more, says in (([first] * 3, (), "TF_CONFIG says that this is worker 0, which is rank 0"),
                                  ([first, second, server, server], (), "TF_CONFIG names 3 workers and servers, but this MPI job has 4 ranks"),
                                  (right, ("-s", "multi_worker"), "TF_CONFIG has 1 ps, but strategy multi_worker needs none"),
                                  (right, ("-s", "parameter_server:servers=2"), "TF_CONFIG has 1 ps, but the strategy has servers=2"),
                                  ([evaluator] * 3, (), "TF_CONFIG says that this is an evaluator")):
            with self.subTest(says=says):
                done = self.in_cluster(tasks, *more)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr)

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_processes_train_as_threads_do(self):
        alone = self.record(*SMALL, "-e", 2)
        done = self.mpirun(2, *SMALL, "-e", 2, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        job = program.parse(done.stdout)[1][0]
        self.assertEqual((job["backend"], job["strategy"], job["ranks"]), ("mpi", "multi_worker", 2))
        self.assertEqual(losses(job), losses(alone))
        few = ("--data", "samples=160", "-B", 32, "-e", 1, "-a", "ring")  # 5 steps; one order of additions
        most = 4 if os.environ.get("ARLAB_SANITIZE") else 8  # each takes seconds to load LibTorch
        many = self.mpirun(most, *few, "--json", "-")
        self.assertEqual(many.returncode, 0, many.stderr)
        self.assertEqual(losses(program.parse(many.stdout)[1][0]), losses(self.record(*few, "-w", most)))
        for strategy in ("parameter_server", "stale_synchronous", "async_parameter_server"):
            done = self.mpirun(3, *SMALL, "-s", strategy)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Staleness of updates", done.stdout)


class Tuning(TrainTest):
    def settings_of(self, file):
        return dict(line.split() for line in self.read(file).splitlines() if not line.startswith("#"))

    def test_tuning_chooses_the_setting_that_reaches_the_accuracy_first(self):
        run = ("--data", "samples=1280", "-B", 32, "-e", 2, "-w", 4, "-b", "virtual", "--network", "1G", "--compute", "codec=0.1,0.1")
        specs = ("--compressor", "none", "fp16", "randomk:ratio=0.0001,feedback=off")  # the last one hardly learns
        out, _ = self.arlab("train", *run, *specs, "--tune", "s.txt", "--json", "t.jsonl", "--csv", "t.csv")
        trials = program.parse(self.read("t.jsonl"))[1]
        self.assertEqual(len(program.rows(self.read("t.csv"))), len(trials))
        self.assertEqual((trials[0]["algorithm"], trials[0]["scheduler"], trials[0]["compressor"]), ("ring", "buckets", None))
        self.assertEqual({str(t["compressor"]).partition(":")[0] for t in trials}, {"None", "fp16", "randomk"})
        for trial in trials:
            self.check_record(trial)
        self.assertEqual([e["steps"] for e in trials[0]["epochs"]], 16 * [5])  # 8 evaluations per epoch of 40 steps
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
        accuracy = trials[0]["epochs"][-1]["validation_accuracy"] - 0.01
        self.assertEqual(rows[0][6], f"time to {100 * accuracy:.1f}%")
        self.assertEqual(len(rows), 2 + len(trials))
        for row, trial in zip(rows[2:], trials):
            reached = next((i for i, e in enumerate(trial["epochs"]) if e["validation_accuracy"] >= accuracy), None)
            self.assertEqual(int(row[5]), sum(e["steps"] for e in trial["epochs"][:None if reached is None else reached + 1]))
            self.assertEqual(row[6].startswith("over"), reached is None)
            self.assertTrue(reached is None or "randomk" not in row[2])  # dense ones stop if they are too slow
            # The simulation of a step is that of virtual ranks. Here mg_wfbp has profiled three steps first.
            if row[3] and "mg_wfbp" not in row[1]:
                value = [float(cell.split()[0]) * {"us": 1, "ms": 1000}[cell.split()[1]] for cell in row[3:5]]
                self.assertAlmostEqual(value[0] / value[1], 1, delta=0.01, msg=row)
        self.assertRegex(out, r"randomk:ratio=0.0001,feedback=off did not reach \d+\.\d%: \d+\.\d% after \d+ steps, in ")
        settings = self.settings_of("s.txt")
        self.assertIn(settings["--compressor"], ("fp16",))
        best = trials[min(range(len(trials)), key=lambda i: float("inf") if rows[2 + i][6].startswith("over") else
                          float(rows[2 + i][6].split()[0]) * {"us": 1, "ms": 1e3, "s": 1e6}[rows[2 + i][6].split()[1]])]
        self.assertEqual(settings["--algorithm"], best["algorithm"])
        again = self.record(*run, "--settings", "s.txt")
        self.assertEqual((again["algorithm"], again["scheduler"]), (best["algorithm"], best["scheduler"]))
        for file in ("p.txt", "q.txt"):
            self.arlab("train", *SMALL, "-s", "local_sgd", "-b", "virtual", "-w", 2, "--tune", file)  # evaluates per epoch
        self.assertEqual(self.read("q.txt"), self.read("p.txt"))
        self.assertNotIn("--scheduler", self.settings_of("p.txt"))

    def test_tuning_for_a_target_that_nobody_reaches_writes_nothing(self):
        out, err = self.arlab("train", *SMALL, "-b", "virtual", "-a", "ring", "--target", "0.999", "--tune", "s.txt", code=1)
        self.assertIn("no setting reached 99.9% of the validation data: train for more --epochs, or lower --target", err)
        self.assertIn("ring, buckets did not reach 99.9%", out)
        self.assertFalse((self.folder / "s.txt").exists())
        out, _ = self.arlab("train", *SMALL, "-b", "virtual", "-a", "ring", "--scheduler", "fifo", "--target", "0.05", "--tune", "s.txt")
        self.assertIn("time to 5.0%", out)
        self.assertEqual(self.settings_of("s.txt"), {"--algorithm": "ring", "--scheduler": "fifo"})

    def test_tuning_loses_nothing(self):
        tuning = ("train", *SMALL, "-b", "virtual", "-a", "ring", "--tune")
        _, err = self.arlab(*tuning, "s.txt", "--json", "/proc/none/x", code=3)
        self.assertIn("cannot write /proc/none/x", err)
        (self.folder / "r.jsonl").write_text('{"schema":2,"kind":"context"}\n', encoding="utf-8")
        _, err = self.arlab(*tuning, "r.jsonl", code=2)
        self.assertIn("r.jsonl holds records, which would be lost", err)

    def test_tuning_refuses_what_cannot_be(self):
        cases = (("--tune s.txt", "give the network with --network"), ("-b virtual --network loggops --tune s.txt", "neither a rate nor a topology"),
                 ("--network 1G", "--network has no effect here: it needs --backend virtual or --tune"),
                 ("-b virtual -w 1 --tune s.txt", "at least 2 workers"),
                 ("-b virtual -w 2,4 --tune s.txt", "one model and one number of workers"),
                 ("-b virtual --network 1G,10G --tune s.txt", "one model and one number of workers on one network"),
                 ("-b virtual --checkpoint run --tune s.txt", "--checkpoint is of one run"),
                 ("-b virtual --compressor dgc --tune s.txt", "it needs optimizer SGD without momentum"),
                 ("-b virtual -s stale_synchronous --tune s.txt", "finds no setting of strategy stale_synchronous"),
                 ("-b virtual --tune /proc/none/s.txt", "/proc/none/s.txt"), ("--network fast --tune s.txt", "fast"))
        for (line, part), (status, _, err) in zip(cases, self.each(line for line, _ in cases)):
            with self.subTest(line=line):
                self.assertIn(status, (2, 3), err)
                self.assertIn(part, err)

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_processes_tune_together(self):
        done = self.mpirun(2, *SMALL, "--network", "1G", "--compressor", "none", "fp16", "--tune", "s.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("settings simulated", done.stdout)
        self.assertIn("--algorithm", self.settings_of("s.txt"))
        self.assertIn("backend mpi 1G, strategy multi_worker", self.read("s.txt"))


class SameBits(TrainTest):
    def test_servers_wait_for_nobody_on_virtual_ranks_and_say_how_old_gradients_were(self):
        out, _ = self.arlab("train", *SMALL, "-w", 3, "-b", "virtual", "-s", "async_parameter_server", "--compute", "slowdown=1,1,4",
                            "--compute", "speed=1G")
        staleness = out[out.index("Staleness of updates:"):]
        self.assertRegex(staleness, r" [3-9]: ")  # the slow worker's

    def check_in_processes(self, ranks, *run):
        """Several runs, in one job and on virtual ranks: their losses are equal to the bit."""
        done = self.mpirun(ranks, *run, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        processes = program.parse(done.stdout)[1]
        virtual = self.records("train", *run, "-b", "virtual", "-w", ranks, "-s", "multi_worker")
        self.assertEqual(len(processes), len(virtual))
        for one, other in zip(processes, virtual):
            with self.subTest(ranks=ranks, compressor=one["compressor"], scheduler=one["scheduler"]):
                self.assertEqual((one["compressor"], one["scheduler"]), (other["compressor"], other["scheduler"]))
                self.assertEqual(losses(one), losses(other))
        return processes

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_compressed_processes_have_the_bits_of_virtual_ranks(self):
        for ranks, specs in ((2, ("fp16", "topk:ratio=0.01", "onebit", "qsgd", "powersgd", "dgc")), (4, ("qsgd", "dgc"))):
            runs = self.check_in_processes(ranks, *SMALL, "-e", 1, "--optimizer", "sgd", "--compressor", *specs)
            self.assertEqual(len({str(losses(run)) for run in runs}), len(specs), "compressors differ in what they lose")

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_schedules_led_by_a_process_give_the_same_weights(self):
        names = ("fifo", "priority:slice=100K", "fusion:cycle=100us", "dear", "credit")
        self.assertEqual(len(self.check_in_processes(2, *SMALL, "-e", 1, "--scheduler", *names)), len(names))


class GoingOn(TrainTest):
    def run_with_a_dead_rank(self, folder, *run):
        """Starts a job, and kills its last rank when there is a checkpoint."""
        job = subprocess.Popen([MPIEXEC, "-n", "2", *self.command("train", *run, "--checkpoint", folder)],
                               cwd=self.folder, env=JOB, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with job:
            self.wait_for_a_checkpoint(folder, job)
            ranks = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=True).stdout.split()
            os.kill(int(ranks[-1]), signal.SIGKILL)
            _, err = job.communicate(timeout=60)
        self.assertNotEqual(job.returncode, 0)
        self.assertTrue(err.strip(), "nothing was said")

    @unittest.skipUnless(MPIEXEC and shutil.which("pgrep"), "mpirun or pgrep not found")
    def test_a_dead_rank_ends_the_job_which_goes_on_later(self):
        for strategy in ("multi_worker", "fsdp"):
            with self.subTest(strategy=strategy):
                whole, folder = f"whole-{strategy}", f"run-{strategy}"
                run = (*SMALL, "-s", strategy, "-e", 8 if os.environ.get("ARLAB_SANITIZE") else 30, "--checkpoint", "every=7")
                self.assertEqual(self.mpirun(2, *run, "--checkpoint", whole).returncode, 0)
                self.run_with_a_dead_rank(folder, *run)
                done = self.mpirun(2, *run, "--checkpoint", folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.latest(folder), self.latest(whole))  # of shards: with their seals

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_sharded_processes_save_their_parts_and_go_on_at_another_count(self):
        run = ("--data", "samples=160", "-B", 32, "-s", "fsdp", "--optimizer", "adam", "--lr", "0.001", "--checkpoint", "keep=1")  # 5 steps an epoch
        for epochs, ranks in enumerate((4, 3, 1), start=1):
            with self.subTest(ranks=ranks):
                done = self.mpirun(ranks, *run, "-e", epochs, "--checkpoint", "job")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("note: resuming after step" in done.stderr, epochs > 1, done.stderr)
                start = f"step-{5 * epochs:012}"
                shards = [f"{start}-{rank}-of-{ranks}.shard" for rank in range(ranks)]
                self.assertEqual(sorted(path.name for path in (self.folder / "job").iterdir()), sorted([f"{start}.ckpt", *shards]))
                self.arlab("train", *run, "-e", epochs, "-w", ranks, "--checkpoint", "threads")
                for name in shards:
                    self.assertEqual((self.folder / "job" / name).read_bytes(), (self.folder / "threads" / name).read_bytes())
        (self.folder / "job" / shards[0]).unlink()
        done = self.mpirun(2, *run, "-e", 4, "--checkpoint", "job")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"{shards[0]} (No such file or directory)", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
