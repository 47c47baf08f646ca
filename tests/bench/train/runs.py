"""arlab train: what a run says and records, and what it refuses."""

import json
import pathlib
import random
import re
import subprocess
import sys
import unittest

from train_test import JOB, MPIEXEC, SMALL, TrainTest, losses, program

READ_EVENTS = pathlib.Path(__file__).resolve().parents[2] / "training" / "telemetry" / "read_events.py"


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

    def test_the_fastest_step_is_named_by_what_differs(self):
        short = (*SMALL, "-w", 2, "--steps", 4)
        for arguments, names in ((("--scheduler", "fifo", "none"), {"fifo", "none"}), (("-a", "ring", "-a", "tree"), {"ring", "tree"})):
            with self.subTest(arguments=arguments):
                out, _ = self.arlab("train", *short, *arguments)
                first, second = re.search(r"Fastest step: ([^,]+), .*; ([^;]+) takes [\d.]+ times as long\.", out).groups()
                self.assertEqual({first, second}, names)

    def test_a_cosine_of_steps_may_have_a_warm_up_of_an_epoch(self):
        rate = ("--lr", "0.1:decay=cosine,warmup=2")  # 20 steps are an epoch
        self.arlab("train", *SMALL, "-w", 1, "--steps", 80, *rate)
        _, err = self.arlab("train", *SMALL, "-w", 1, "--steps", 20, *rate, code=2)
        self.assertIn("a cosine of 1.000000 epochs ends before the warm-up", err)

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
                 ("--checkpoint every=0", "--checkpoint every is 0: give 1 to"), ("--checkpoint keep=3,best_only=on", "settings, but no folder"),
                 ("--checkpoint run:every=5,best_only=on", "--checkpoint every=5 saves within epochs, and best_only=on compares validation losses"), ("--input sharding=none", "none"), ("--optimizer none", "none"), ("--timeout 10ms", "--timeout is 10ms: give at least 1s"),
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
        self.assertIn("fp16, which sends 298.2 KiB per step and rank.", coded)  # per rank: 2 x 3 / 4 of 2 bytes per gradient
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
