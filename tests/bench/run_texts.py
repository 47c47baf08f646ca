"""What arlab says: advice that works, units that cannot be mistaken, options with an effect, and commands as they were typed."""

import os
import unittest

import program


class Advice(program.ProgramTest):
    def refused(self, *arguments, code=2):
        out, err = self.arlab(*arguments, code=code)
        self.assertEqual(out, "")
        return err

    def test_a_second_value_of_an_option_that_takes_one_is_to_be_removed(self):
        for command in (("plan", "-s", "mirrored", "diloco"), ("bound", "torus", "-p", "4", "5")):
            with self.subTest(command):
                err = self.refused(*command)
                self.assertIn("takes one value, so remove", err)
                self.assertNotIn("again before it", err)
        self.assertIn("-b takes one value, so remove 'quantum'", self.refused("run", "ring", "-b", "threads", "quantum"))

    def test_a_second_value_of_an_option_that_repeats_is_taken_as_advised(self):
        for command, option in ((("simulate", "ring", "-p", "4", "--network", "torus:dims=2x2", "crossbar"), "--network"),
                                (("simulate", "ring", "-p", "2", "4"), "-p"), (("plan", "--gpus", "2", "4"), "--gpus")):
            with self.subTest(command):
                self.assertIn(f"write {option} again before it", self.refused(*command))
                self.arlab(*command[:-1], option, command[-1])

    def test_several_numbers_of_ranks_need_launches(self):
        err = self.refused("run", "ring", "-b", "mpi", "-p", "1..3+1", "-s", "1K") if self.has_mpi() else "--launches 1"
        self.assertIn("--launches 1", err)
        self.assertNotIn("mpirun -n 1 ", err)

    def has_mpi(self):
        out, _ = self.arlab("list", "backends")
        return any(line.startswith("| mpi ") and line.split("|")[2].strip() == "on" for line in out.splitlines())

    def test_a_profile_is_offered_for_its_bare_name(self):
        self.assertIn("did you mean profile:resnet50?", self.refused("plan", "-m", "resnet50"))

    def test_resume_is_advised_only_where_it_is(self):
        for command in (("plan", "--gpus", "2", "--steps", "4"), ("bound", "ring:hosts=4")):
            self.arlab(*command, "--json", "a.jsonl")
            _, err = self.arlab(*command, "--json", "a.jsonl")
            self.assertIn("note: kept the earlier a.jsonl as a.jsonl.", err)
            self.assertNotIn("--resume", err)
        self.arlab("count", "ring", "-p", "2", "--json", "b.jsonl")
        _, err = self.arlab("count", "ring", "-p", "2", "--json", "b.jsonl")
        self.assertIn("note: kept the earlier b.jsonl as b.jsonl.1 (--resume would continue it)", err)

    def test_every_strategy_can_be_planned_by_default(self):
        out, _ = self.arlab("list", "strategies")
        names = [line.split("|")[1].strip() for line in out.splitlines()[2:] if line.startswith("|")]
        self.assertIn("central_storage", names)
        self.arlab("plan", "-m", "profile:resnet50", "--gpus", "4", "-s", names[-1], "--steps", "4")
        for name in names:
            with self.subTest(name):
                gpus = "1" if name == "one_device" else "4"
                groups = ("--exchange", "groups=2") if name == "hsdp" else ()
                self.arlab("plan", "--breakdown", "-m", "profile:resnet50", "--gpus", gpus, "-s", name, "--steps", "4", *groups)


class Units(program.ProgramTest):
    def test_rates_without_a_unit_are_refused(self):
        for command in (("plan", "--network", "25"), ("replay", "-b", "virtual", "-m", "profile:resnet50", "--network", "100")):
            _, err = self.arlab(*command, code=2)
            self.assertIn("has no unit, so it is ", err)
            self.assertIn("G for ", err)

    def test_sizes_that_mean_two_numbers_are_refused(self):
        for size in ("1MB", "64KB", "1K..1MB"):
            _, err = self.arlab("simulate", "ring", "-p", "4", "-s", size, code=2)
            self.assertIn("could be powers of 1000 or of 1024", err)
        self.assertEqual(self.records("simulate", "ring", "-p", "4", "-s", "1MiB")[0]["bytes"], 1 << 20)

    def test_times_below_a_picosecond_are_refused_and_rates_per_byte_kept(self):
        _, err = self.arlab("simulate", "ring", "-p", "4", "--network", "alpha_beta:alpha=0.4ps", code=2)
        self.assertIn("is below a picosecond", err)
        fast, slow = (self.records("simulate", "ring", "-p", "2", "-s", "1G", "--network", f"alpha_beta:alpha=0,beta={beta}")[0]["modelled_us"]
                      for beta in ("0.25ps", "0.5ps"))
        self.assertAlmostEqual(slow, 2 * fast)


class Values(program.ProgramTest):
    def test_values_that_repeat_count_once(self):
        for option, values in (("-p", "4,4"), ("-p", "4,2..4,4"), ("-n", "1K,1024"), ("-s", "4K,4K"), ("--segments", "2,2")):
            once = {program.identity(r) for r in self.records("count", "ring,ring", option, values)}
            self.assertEqual(len(self.records("count", "ring,ring", option, values)), len(once), values)
        rows = self.records("simulate", "ring", "-p", "4", "--network", "torus:dims=2x2,torus:dims=2x2")
        self.assertEqual(len(rows), 1)
        rows = self.plans("--gpus", "2,2", "--network", "10G,10G", "--steps", "4")
        self.assertEqual(len(rows), 1)
        rows = self.records("plan", "-m", "profile:resnet50", "--gpus", "2,2", "--network", "10G,10G", "--steps", "4",
                            "--scheduler", "fifo", "fifo", "--compressor", "none,none", "int8", "-a", "ring,ring")
        self.assertEqual([r["compressor"] for r in rows], [None, "int8"])

    def test_one_slowdown_is_of_all_gpus(self):
        plan = ("-m", "profile:resnet50", "--gpus", "8", "--network", "100G", "--steps", "4")
        [usual], [tenth] = self.plans(*plan), self.plans(*plan, "--compute", "slowdown=0.1")
        self.assertLess(tenth["computation_us"], 0.2 * usual["computation_us"])
        train = ("plan", "--breakdown", "-m", "profile:resnet50", "--gpus", "2", "--network", "100G", "--steps", "4")
        [one], [both] = self.records(*train, "--compute", "slowdown=3"), self.records(*train, "--compute", "slowdown=3,3")
        self.assertAlmostEqual(one["step_us"], both["step_us"], delta=0.01 * one["step_us"])

    def test_batches_say_whose_they_are(self):
        train = ("plan", "--breakdown", "-m", "profile:resnet50", "--gpus", "8", "--steps", "4")
        [local] = self.records(*train, "-B", "per_worker=16")
        self.assertEqual(local["batch_per_worker"], 16)
        [whole] = self.records(*train, "--global-batch", "128")
        self.assertLess(whole["efficiency"], local["efficiency"])  # beside one worker with all samples, whose optimizer takes no longer
        self.assertEqual({**whole, "efficiency": local["efficiency"]}, local)
        self.assertEqual(self.records(*train, "-B", "128"), [whole])
        out, err = self.arlab(*train, "-B", "128")
        self.assertIn("note: --batch 128 is of all workers together: 16 per worker on 8 workers (of each: --batch per_worker=128)", err)
        self.assertEqual(program.columns(out, "batch", "local batch"), [("128", "16")])
        out, err = self.arlab("replay", "-b", "threads", "-m", "profile:resnet50", "-B", "4", "--compute", "slowdown=0.01", "--steps", "8")
        self.assertIn("note: --batch 4 is of all workers together: 2 per worker on 2 workers", err)
        self.assertEqual(program.columns(out, "batch", "local batch"), [("4", "2")])
        _, err = self.arlab(*train, "--batch", "100", code=2)
        self.assertIn("cannot be divided among 8 workers", err)
        plan = ("plan", "--gpus", "2,4", "--steps", "4")
        for samples, local, batch in (("64", [32, 16], "64 64"), ("per_worker=64", [64, 64], "128 256")):
            self.assertEqual([r["batch_per_worker"] for r in self.plans(*plan[1:], "--batch", samples)], local)
            out, _ = self.arlab(*plan, "--batch", samples)
            self.assertEqual(program.columns(out, "batch", "local batch"), list(zip(batch.split(), map(str, local))))

    def test_strategies_take_parameters_and_their_old_options(self):
        train = ("plan", "--breakdown", "-m", "profile:bert-base", "--gpus", "4", "--steps", "4")
        for new, old, now in (("local_sgd:every=4", ("local_sgd", "--every", "4"), "--every is now --strategy local_sgd:every=4"),
                              ("stale_synchronous:staleness=0", ("stale_synchronous", "--bound", "0"), "--bound is now --strategy stale_synchronous:staleness=0"),
                              ("parameter_server:servers=2", ("parameter_server", "--servers", "2"), "--servers is now --strategy parameter_server:servers=2"),
                              ("diloco:delay=2,fragments=4", ("diloco:fragments=4", "--delay", "2"), "--delay is now --strategy diloco:delay=2")):
            [record] = self.records(*train, "-s", new)
            self.assertEqual(record["strategy"], new)
            self.assertNotEqual([record], self.records(*train, "-s", new.split(":")[0]), new)
            self.assertEqual([record], self.records(*train, "-s", *old))
            _, err = self.arlab(*train, "-s", *old)
            self.assertEqual(err.count("note: " + now), 1, err)
        for words, part in ((("local_sgd:fragments=2",), "strategy local_sgd has no parameter 'fragments' (it has every)"),
                            (("local_sgd:every=0",), "parameter every of strategy local_sgd is 0: give a whole number from 1 to"),
                            (("local_sgd:every=2", "--every", "2"), "'every' is set twice"),
                            (("local_sgd", "--bound", "2"), "strategy local_sgd has no parameter 'staleness'")):
            _, err = self.arlab(*train, "-s", *words, code=2)
            self.assertIn(part, err)

    def test_options_of_a_model_that_change_nothing_are_refused(self):
        for arguments in (("--network", "packet:flow_queues=2"), ("--network", "packet:seed=3,routing=shortest"),
                          ("--network", "connections:drift_runs=3")):
            self.arlab("simulate", "ring", "-p", "4", "-s", "1K", *arguments, code=2)
        _, err = self.arlab("bound", "torus:dims=2x2,routing=dimension", code=2)
        self.assertIn("routing has no effect here", err)


class Said(program.ProgramTest):
    def test_rows_are_named_by_their_sentences(self):
        out, _ = self.arlab("plan", "-m", "profile:resnet50", "--gpus", "4", "--steps", "4", "--compressor", "none", "int8",
                            "--scheduler", "fifo", "buckets")
        sentences = [line for line in out.splitlines() if "limited by" in line and not line.startswith("|")]
        self.assertEqual(len(sentences), 4)
        self.assertEqual(len({line.split(":")[0] for line in sentences}), 4)

    def test_folders_that_are_made_are_said(self):
        _, err = self.arlab("count", "ring", "-p", "2", "--json", "typo/deep/a.jsonl")
        self.assertIn("note: made the folder typo/deep\n", err)
        _, err = self.arlab("count", "ring", "-p", "2", "--json", "typo/deep/b.jsonl")
        self.assertNotIn("made the folder", err)

    def test_a_topology_alone_is_fluid(self):
        spec = "torus:dims=2x2"
        words = (("--network", spec), ("--network", f"fluid:topology={spec}"))
        answers = {self.arlab("simulate", "ring", "-p", "4", "-s", "1K", *network) for network in words}
        self.assertEqual([err for _, err in answers], [""])

    def test_launches_keep_their_files_to_themselves(self):
        typed = ("run", "ring", "-p", "2,3", "-n", "10", "-b", "threads", "--launches", "2", "--runs", "2", "--json", "a.jsonl")
        _, err = self.arlab(*typed)
        self.assertNotIn("kept the earlier", err)
        self.assertNotIn("job.jsonl", err)
        contexts, records = program.parse(self.read("a.jsonl"))
        self.assertEqual({c["command"] for c in contexts}, {" ".join([program.ARLAB, *typed])})
        self.assertEqual(len({c["launch"] for c in contexts}), 2)
        self.assertEqual(len(records), 2 * 2 * 2)

    def test_train_plan_and_replay_say_whose_a_batch_is(self):
        for command in ("train", "plan", "replay"):
            with self.subTest(command):
                if command == "train" and not program.TRAINS:
                    self.skipTest("built without LibTorch")
                text = " ".join(self.arlab(command, "--help")[0].split())
                self.assertIn("per_worker=NUMBER", text)
                self.assertIn("--global-batch", text)
                self.assertNotIn("arlab bound torus", text)  # an example of another command
                if command == "train":
                    self.assertIn("`arlab plan`", text)
                    self.assertIn("`arlab replay`", text)

    def test_every_algorithm_is_in_the_documents(self):
        out, _ = self.arlab("list", "algorithms")
        names = {line.split("|")[1].strip() for line in out.splitlines()[2:] if line.startswith("|")}
        self.assertGreater(len(names), 10)
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        for document in ("README.md", "docs/reference/algorithms.md"):
            with open(os.path.join(root, document), encoding="utf-8") as file:
                text = file.read()
            for name in names:
                self.assertIn(f"`{name}`", text, document)


if __name__ == "__main__":
    unittest.main()
