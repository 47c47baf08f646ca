"""arlab end to end: the machine contract."""

import json
import unittest

import program

SWEEP = ("count", program.SIX, "-p", "2..6+1", "-n", "3,1000")


class Contract(program.ProgramTest):
    """The interface for other programs."""

    def test_every_command_writes_json_lines_with_all_keys(self):
        for command, more in (("count", ()), ("verify", ()), ("simulate", ()), ("run", ("--time", "0"))):
            with self.subTest(command=command):
                out, err = self.arlab(command, program.SIX, "-p", "3", "-n", "1000", *more, "--json", "-")
                contexts, records = program.parse(out)
                records, natives = program.split_natives(records)
                self.assertEqual(len(natives), 1 if command == "run" else 0)
                for record in natives:
                    self.check_record(record)
                    self.assertEqual((record["wrong"], record["messages"], record["claimed"]), (0, None, None))
                self.assertEqual(err, "")
                self.assertEqual(len(contexts), 1)
                self.assertEqual(json.loads(out.splitlines()[0]), contexts[0])
                self.assertLessEqual(program.CONTEXT_KEYS, contexts[0].keys())
                self.assertTrue(contexts[0]["command"].endswith("--json -"))
                self.assertEqual(len(records), 6)
                for record in records:
                    self.check_record(record)
                    self.assertEqual(record["kind"], command)
                    self.assertEqual((record["ranks"], record["elements"], record["bytes"]), (3, 1000, 4000))
                    self.assertIsNone(record["skipped"])
                    self.assertEqual(record["bytes_sent"], 4 * record["elements_sent"])

    def test_count(self):
        [record] = self.records("count", "ring", "-p", 7, "-n", 1000)
        self.assertEqual((record["messages"], record["elements_sent"], record["rounds"]), (84, 12000, 12))
        self.assertEqual(record["wrong"], 0)
        self.assertIsNone(record["time_us"])
        self.assertIsNone(record["backend"])

    def test_verify(self):
        [record] = self.records("verify", "tree", "-p", 6)
        self.assertEqual((record["wrong"], record["fault"], record["same_on_all_ranks"]), (0, None, True))
        self.assertEqual(record["bracketing"], "(((0+1)+(2+3))+(4+5))")

    def test_run_on_threads(self):
        for dtype, op in (("float32", "sum"), ("float16", "avg"), ("int64", "max"), ("bfloat16", "prod")):
            for record in self.records("run", "all", "-p", "1,4", "-n", "0,3,1003", "--time", "0", "-t", dtype, "--op", op):
                self.check_record(record)
                self.assertEqual((record["wrong"], record["backend"]), (0, "threads"))
                self.assertEqual((record["dtype"], record["op"]), (dtype, op))
                self.assertGreaterEqual(record["time_us"]["n"], 5)

    def test_backends_that_are_off_say_why_and_how_to_get_them(self):
        out, _ = self.arlab("list", "backends")
        rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in out.splitlines()[2:]]
        self.assertEqual([row[0] for row in rows], ["cuda", "cuda-streams", "mpi", "mpi-cuda", "nccl", "peer", "shm", "shm-mapped", "threads"])
        for name, here, _, why in rows:
            self.assertIn(here, ("on", "off"))
            if here == "on":
                continue
            self.assertRegex(why, "built with")  # with CUDA but no driver or no GPU, or without, and what to install
            _, err = self.arlab("run", "ring", "-b", name, "-p", 2, code=3)
            self.assertEqual(err, f"error: backend {name} is off: {why}\n")

    def test_doctor_says_what_works_and_what_is_missing(self):
        out, _ = self.arlab("doctor")
        rows = {row[0]: row for row in ([cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()[4:])}
        self.assertEqual(out.splitlines()[0], f"{sum(row[1] == 'works' for row in rows.values())} of {len(rows)} work here.")
        self.assertEqual(rows["run -b threads"][1], "works")
        backends, _ = self.arlab("list", "backends")
        for line in backends.splitlines()[2:]:
            name, here = (cell.strip() for cell in line.split("|")[1:3])
            self.assertEqual(rows[f"run -b {name}"][1], "works" if here == "on" else "no")
        for row in rows.values():
            self.assertTrue(row[2] or row[1] == "works", row)

    def test_what_an_algorithm_cannot_do_is_a_record_with_the_reason(self):
        [record] = self.records("run", "butterfly", "-c", "broadcast", "-p", 4, "--time", "0", "-s", "1K")
        self.check_record(record)
        self.assertEqual(record["skipped"], "butterfly has no broadcast form")
        self.assertIsNone(record["time_us"])
        self.assertIsNone(record["wrong"])

    def test_the_same_command_gives_the_same_simulated_bytes(self):
        once, again = (self.records("simulate", "all", "-p", "2..64", "-s", "1K..1M*32") for _ in range(2))
        self.assertEqual(once, again)

    def test_any_number_of_threads_gives_the_same_records_in_order(self):
        sweep = ("simulate", "all", "-p", "2..26+8", "-s", "1K,64K", "--network", "loggops")
        for more in ((), ("--fastest",), ("--disturb", "jitter=3us,runs=2")):
            one = self.records(*sweep, *more, "--jobs", 1)
            self.assertEqual(one, self.records(*sweep, *more, "--jobs", 3))
        self.assertEqual(one, self.records(*sweep, *more))

    def test_what_has_no_formula_is_only_counted(self):
        self.arlab("export", "ring", "-p", "3", "-o", "ring.json")
        out, _ = self.arlab("count", "file:ring.json,ring", "-p", "3")
        self.assertIn("1 configuration, claimed = counted in all: messages, elements sent, and rounds: ring on 3 ranks.\n"
                      "1 configuration, counted only, without a formula: file:ring.json on 3 ranks.\n", out)
        for command, wrong in (("count", None), ("simulate", None), ("verify", 0)):
            of_file, of_ring = self.records(command, "file:ring.json,ring", "-p", "3", "-n", "1K")
            self.assertEqual((of_file["claimed"], of_file["wrong"]), (None, wrong), command)
            self.assertEqual((of_ring["claimed"]["messages"], of_file["messages"]), (12, 12), command)

    def test_schedule_files_give_ranks_collective_and_root(self):
        for name, words in (("ring", ("ring", "-p", "12")), ("short", ("ring", "-p", "4")), ("tree", ("tree", "-c", "reduce", "-p", "6", "--root", "3"))):
            self.arlab("export", *words, "-o", f"{name}.json")
        for command in ("verify", "count", "simulate"):
            for files, expected in (("ring", [("allreduce", 12, 0)]), ("tree", [("reduce", 6, 3)]), ("ring short", [("allreduce", 4, 0), ("allreduce", 12, 0)])):
                names = ",".join(f"file:{name}.json" for name in files.split())
                records = self.records(command, names)
                self.assertEqual([(r["collective"], r["ranks"], r["root"]) for r in records], expected, command)
                self.assertEqual([r["skipped"] for r in records], [None] * len(expected), command)
        for words in (("show",), ("show", "--numerics"), ("export",), ("run", "-b", "threads", "--runs", "3", "-s", "4K")):
            out, _ = self.arlab(*words, "file:tree.json")
            self.assertNotIn("is a schedule", out)
        for name, what, options, needed in (("ring", "allreduce on 12 ranks with root 0", "-p 2..8", "-p 12"),
                                            ("ring", "allreduce on 12 ranks with root 0", "-c reduce -p 12", "-c allreduce"),
                                            ("tree", "reduce on 6 ranks with root 3", "--root 2", "--root 3"),
                                            ("tree", "reduce on 6 ranks with root 3", "-p 4 -c broadcast --root 1", "-c reduce -p 6 --root 3")):
            for command in ("verify", "count", "simulate", "show", "export", "run"):
                _, err = self.arlab(command, f"file:{name}.json", *options.split(), code=2)
                self.assertEqual(err, f"error: file:{name}.json is a schedule for {what}: use {needed}\n")
        # Of several files the others are skipped; what is not a file has no say.
        self.assertEqual([r["skipped"] is None for r in self.records("verify", "file:ring.json,file:short.json", "-p", "4")], [False, True])
        self.assertEqual([r["ranks"] for r in self.records("count", "file:ring.json,ring")], [8, 8])
        _, err = self.arlab("verify", "file:ring.json,file:tree.json", code=2)
        self.assertEqual(err, "error: file:ring.json is a schedule for allreduce, and file:tree.json one for reduce: give each a command of its own\n")

    def test_nothing_but_the_table_and_its_answer_on_stdout(self):
        for files in ([], ["--json", "a.jsonl", "--csv", "a.csv"]):
            out, err = self.arlab(*SWEEP, *files)
            self.assertEqual(err, "")
            table, _, answer = out.partition("\n\n")
            self.assertTrue(all(line.startswith("|") for line in table.splitlines()))
            self.assertEqual(answer.splitlines(), ["60 configurations, claimed = counted in all: messages, elements sent, and rounds: "
                                                   "6 algorithms on 2 to 6 ranks."])

    def test_options_without_effect_are_refused(self):
        for option, value, needs in (("--layout", "groups=2", "algorithm hierarchical"), ("--layout", "dims=2x2", "algorithm torus_bucket"),
                                     ("--layout", "trees=ring:hosts=4", "algorithm forest")):
            for verb in ("count", "simulate", "show"):
                _, err = self.arlab(verb, "ring", "-p", "4", option, value, code=2)
                self.assertIn(f"{option} {value.split('=')[0]} has no effect here: it needs {needs}; leave it out", err)
            self.arlab("count", f"ring,{needs.split()[1]}", "-p", "4", "-n", "8", option, value)
        _, err = self.arlab("run", "ring", "-p", "2", "-n", "10", "--mode", "repeats=3", code=2)
        self.assertIn("--mode repeats has no effect here: it needs --mode streaming; leave it out", err)
        for line, option in (("run tree -c broadcast -p 3 -s 1K --op sum,max", "--op"), ("simulate ring -c all_gather -p 3 -s 1K --op prod", "--op"),
                             ("tune ring,butterfly -p 4 -s 1K --network 10G --runs 7", "--runs"), ("tune ring,tree -p 4 -s 1K --network 10G -b threads", "--backend"),
                             ("identify --nccl-log none.log -s 1M", "--size"), ("identify native:ring --nccl-log none.log", "a name")):
            self.assertIn(f"{option} has no effect here", self.arlab(*line.split(), code=2)[1])
        _, err = self.arlab("simulate", "ring", "-p", "4", "--network", "connections:shared=yes", "--record", "links=3", code=2)
        self.assertIn("has no links", err)
        _, err = self.arlab("simulate", "native,ring", "-p", "8", "-s", "1M", "--network", "nccl", code=2)
        self.assertIn("without ring", err)
        _, err = self.arlab("run", "ring", "-p", "2", "-s", "1K", "--start", "late=5:100us", code=2)
        self.assertIn("--start late names rank 5 of 2", err)

    def test_settings_of_a_network_file_without_effect_are_refused(self):
        (self.folder / "d.dot").write_text('graph { edge [bandwidth="1Gbps"]; a [kind=host]; b [kind=host]; s [kind=switch]; a -- s [latency="1us"]; b -- s; }',
                                           encoding="utf-8")
        simulate = ("simulate", "ring", "-p", "2", "-s", "1M", "--network")
        self.assertIn("has no latency", self.arlab(*simulate, "d.dot", code=2)[1])
        self.records(*simulate, "d.dot:latency=1us")
        for setting in ("bandwidth=1Mbps", "kind=switch", "bandwidth_unit=Gbps", "latency_unit=us"):
            _, err = self.arlab(*simulate, f"d.dot:latency=1us,{setting}", code=2)
            self.assertIn(f"d.dot: {setting.partition('=')[0]} has no effect, because the file says it itself: leave it out", err)

    def test_usage_errors_are_2(self):
        for line in ("", "--nothing", "coutn", "count --dry-run=maybe", "count rign", "count -p 0", "run -p 4 -b mpi --root x",
                     "report", "export all", "list nothing"):
            with self.subTest(line=line):
                self.arlab(*line.split(), code=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
