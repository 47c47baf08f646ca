"""arlab replay on backends that communicate: threads, virtual ranks, and MPI."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import program  # noqa: E402
import run_cli_mpi  # noqa: E402
import tiny_profile  # noqa: E402

MPIEXEC = os.environ.get("MPIEXEC", "")
COMPUTE = 3 * 1500.5  # us


class Replay(program.ProgramTest):
    def setUp(self):
        super().setUp()
        tiny_profile.write(self.folder)

    def replay(self, *arguments):
        return self.records("replay", "-m", "profile:tiny.json", "--steps", 8, *arguments)

    def test_threads_wait_for_the_passes_and_exchange_gradients(self):
        [dense] = self.replay("-b", "threads", "-w", 3)
        self.assertEqual((dense["kind"], dense["model"], dense["backend"], dense["strategy"], dense["algorithm"]),
                         ("replay", "tiny", "threads", "mirrored", "ring"))
        self.assertAlmostEqual(dense["computation_us"], COMPUTE)
        self.assertEqual(len(dense["steps_us"]), 8)
        self.assertGreaterEqual(min(dense["steps_us"]), COMPUTE)
        self.assertAlmostEqual(dense["bytes_per_rank_step"], 2 * 2 * 41_001 * 4 / 3)
        self.assertAlmostEqual(dense["efficiency"], COMPUTE / dense["step_us"])
        [slow] = self.replay("-b", "threads", "--compute", "slowdown=1,3", "-s", "zero2", "-a", "circulant")
        self.assertGreaterEqual(slow["step_us"], 3 * COMPUTE)
        self.assertAlmostEqual(slow["bytes_per_rank_step"], 41_001 * 4)

    def test_virtual_ranks_take_the_simulated_step(self):
        for arguments in (("-s", "multi_worker", "--scheduler", "fifo"), ("-s", "diloco"), ("-s", "central_storage", "-a", "tree")):
            network = (*arguments, "-w", 4, "--network", "1G")
            # An outer step every 8 steps: of 16, the second half has one.
            steps = () if "diloco" not in arguments else ("--steps", 16)
            replayed = self.records("replay", "-m", "profile:tiny.json", "-b", "virtual", *network, *(steps or ("--steps", 8)))
            if steps:
                self.assertAlmostEqual(replayed[0]["bytes_per_rank_step"], 2 * 3 / 4 * 41_001 * 4 / 8)
                continue
            usual = () if "-a" in arguments else ("-a", "ring")
            simulated = self.records("plan", "--breakdown", *usual, "-m", "profile:tiny.json", *network, "--steps", 8)
            self.assertAlmostEqual(replayed[0]["step_us"], simulated[0]["step_us"], places=5)

    def test_a_slow_worker_is_computation_also_of_the_worker_that_waits_for_it(self):
        for arguments in (("--compute", "slowdown=1,1,2"), ("--compute", "slowdown=2"), ("--compute", "slowdown=3,1,2"),
                          ("--compute", "slowdown=1,1,2,codec=10,20", "--compressor", "fp16"), ("--compute", "slowdown=2,codec=10,20", "--compressor", "fp16"),
                          ("-s", "local_sgd", "--compute", "slowdown=1,1,2"), ("-s", "async_parameter_server", "--compute", "slowdown=1,1,2"),
                          ("-s", "async_parameter_server", "--compute", "slowdown=2"), ("-s", "async_parameter_server", "--compute", "slowdown=3,1,1,2")):
            with self.subTest(arguments=arguments):
                line = ("-m", "profile:tiny.json", "-w", 4, "--network", "1G", "--steps", 16, *arguments)
                [real] = self.records("replay", *line, "-b", "virtual")
                algorithm = () if "async_parameter_server" in arguments else ("-a", "ring")
                [simulated] = self.records("plan", "--breakdown", *line, *algorithm)
                for name in ("step_us", "computation_us", "exposed_us", "communication_us", "codec_us", "samples_per_s", "efficiency"):
                    self.assertAlmostEqual(real[name], simulated[name], delta=1e-5 * simulated["step_us"], msg=name)  # plans cut codes at any byte
                self.assertAlmostEqual(real["computation_us"] + real["exposed_us"] + real["rest_us"], real["step_us"], delta=1e-3)

    def test_steps_between_averages_are_counted_by_whole_intervals(self):
        for every, steps in ((8, 20), (3, 20), (8, 8), (12, 20), (1, 9)):
            with self.subTest(every=every, steps=steps):
                line = ("-m", "profile:tiny.json", "-w", 4, "--network", "1G", "--steps", steps, "-s", f"local_sgd:every={every}", "-a", "ring")
                [real] = self.records("replay", *line, "-b", "virtual")
                [simulated] = self.records("plan", "--breakdown", *line)
                for name in ("step_us", "exposed_us", "communication_us", "bytes_per_rank_step"):
                    self.assertAlmostEqual(real[name] / simulated[name], 1, places=4, msg=name)

    def test_steps_without_an_average_are_refused(self):
        _, err = self.arlab("replay", "-m", "profile:tiny.json", "-b", "virtual", "-w", 4, "--steps", 8, "-s", "local_sgd:every=100", code=2)
        self.assertIn("--steps 8 has no average of strategy local_sgd, which makes one every 100 steps: give --steps 100 or more", err)

    def test_several_settings_are_rows(self):
        rows = self.replay("-b", "virtual", "-w", "2,4", "--network", "1G", "--network", "10G", "--compressor", "none", "int8")
        self.assertEqual([(r["network"], r["workers"], r["compressor"] is None) for r in rows],
                         [(n, w, dense) for n in ("1G", "10G") for w in (2, 4) for dense in (True, False)])

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_processes_replay_too(self):
        n = 41_001 * 4
        for arguments, strategy, ranks, sent in (
                ((), "multi_worker", 2, n), (("-s", "fsdp"), "fsdp", 2, n * 3 / 2),
                (("-s", "hsdp", "--exchange", "groups=2"), "hsdp", 4, n * (3 / 2 + 1 / 2))):
            with self.subTest(strategy=strategy):
                line = self.command("replay", "-m", "profile:tiny.json", "-b", "mpi", "--steps", 8, "--json", "-", *arguments)
                done = subprocess.run([MPIEXEC, "-n", str(ranks), *line], cwd=self.folder, env=run_cli_mpi.ENVIRONMENT,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                [record] = program.parse(done.stdout)[1]
                self.assertEqual((record["strategy"], record["ranks"]), (strategy, ranks))
                self.assertGreaterEqual(min(record["steps_us"]), COMPUTE)
                self.assertAlmostEqual(record["bytes_per_rank_step"], sent, delta=4)

    def test_sharded_strategies_take_the_simulated_step_and_send_their_closed_forms(self):
        n = 41_001 * 4
        busy = {**tiny_profile.PROFILE, "name": "busy", "optimizer_ps_per_parameter": 20_000}
        (self.folder / "busy.json").write_text(json.dumps(busy), encoding="utf-8")
        for strategy, arguments, sent in (("zero1", (), 2 * 3 / 4), ("fsdp", (), 3 * 3 / 4),
                                          ("hsdp", ("--exchange", "groups=2"), 3 / 2 + 1 / 2)):
            with self.subTest(strategy=strategy):
                network = ("-s", strategy, "-w", 4, "--network", "1G", "--steps", 8, *arguments)
                [real] = self.records("replay", "-m", "profile:busy.json", "-b", "virtual", *network)
                [simulated] = self.records("plan", "--breakdown", "-a", "ring", "-m", "profile:busy.json", *network)
                self.assertAlmostEqual(simulated["bytes_per_rank_step"] / n, sent)
                self.assertAlmostEqual(real["step_us"] / simulated["step_us"], 1, places=4)  # 41,001 is not a multiple of 4
                self.assertAlmostEqual(real["bytes_per_rank_step"] / n, sent, places=6)
                self.assertAlmostEqual(real["efficiency"] / simulated["efficiency"], 1, places=4)

    def test_servers_and_stale_workers_take_the_simulated_step(self):
        for arguments in (("parameter_server:servers=2",), ("parameter_server", "--compute", "slowdown=1,2"),
                          ("async_parameter_server:servers=3", "--compressor", "fp16", "--compute", "codec=1,2"),
                          ("async_parameter_server", "--scheduler", "stagger"),
                          ("stale_synchronous:staleness=0",), ("stale_synchronous:staleness=3", "--compute", "slowdown=1,1,2")):
            with self.subTest(arguments=arguments):
                line = ("-m", "profile:tiny.json", "-w", 4, "--network", "1G", "--steps", 8, "-s", *arguments)
                [real] = self.records("replay", *line, "-b", "virtual")
                [simulated] = self.records("plan", "--breakdown", *line)
                self.assertAlmostEqual(real["step_us"], simulated["step_us"], delta=1e-6)  # a picosecond
                self.assertEqual((simulated["algorithm"], simulated["ranks"], simulated["servers"] + 4), ("direct", 4, real["ranks"]))
                self.assertAlmostEqual(real["bytes_per_rank_step"], simulated["bytes_per_rank_step"])
                for name in ("exposed_us", "communication_us", "codec_us"):
                    self.assertAlmostEqual(real[name], simulated[name], delta=1e-4, msg=name)

    def test_codes_have_the_simulated_size_and_time(self):
        half = {**tiny_profile.PROFILE, "name": "half", "gradient_bytes": 2}
        (self.folder / "half.json").write_text(json.dumps(half), encoding="utf-8")
        chunks = 4 * 8 * 11  # headers of 11 buckets in the codes of 4 chunks
        for model, compressor, arguments, codes in (
                ("tiny", "int8", ("-a", "circulant"), 41_001 + chunks), ("tiny", "onebit", ("-a", "circulant"), None),
                ("tiny", "int8", ("-a", "ring", "--scheduler", "fifo"), None),
                ("half", "int8", ("-a", "circulant"), 41_002 + chunks),  # 1,001 elements fill 501 words
                ("half", "int8", ("-a", "ring", "--scheduler", "buckets:first_bucket=3K,bucket=40K"), None),
                ("half", "fp16", ("-a", "ring"), 41_002 * 2),
                ("tiny", "powersgd", ("-a", "ring"), 4 * 4 * (100 + 100 + 173 + 174 + 31 + 33))):
            with self.subTest(model=model, compressor=compressor, arguments=arguments):
                line = ("-m", f"profile:{model}.json", "-s", "multi_worker", "-w", 4, "--network", "1G", "--steps", 8,
                        "--compressor", compressor, "--compute", "codec=1,2", *arguments)
                [real] = self.records("replay", *line, "-b", "virtual")
                [simulated] = self.records("plan", "--breakdown", *line)
                self.assertAlmostEqual(real["bytes_per_rank_step"], simulated["bytes_per_rank_step"], delta=1)
                self.assertAlmostEqual(real["codec_us"], simulated["codec_us"], delta=1e-3)
                if codes:
                    self.assertAlmostEqual(simulated["bytes_per_rank_step"], 2 * 3 / 4 * codes, delta=1)
                if compressor != "powersgd":  # whose two sums count as one
                    self.assertAlmostEqual(real["step_us"] / simulated["step_us"], 1, places=4)  # plans cut codes at any byte

    def test_delayed_fragments_take_the_simulated_step(self):
        diloco = ("-s", "diloco:every=4,fragments=3,delay=2", "-w", 4, "--network", "1G", "--steps", 16)
        [real] = self.records("replay", "-m", "profile:tiny.json", "-b", "virtual", *diloco)
        [simulated] = self.records("plan", "--breakdown", "-a", "ring", "-m", "profile:tiny.json", *diloco)
        self.assertAlmostEqual(real["step_us"] / simulated["step_us"], 1, places=4)

    def test_tuning_writes_settings_that_train_takes(self):
        tuned = ("-m", "profile:tiny.json", "-b", "virtual", "-w", 4, "--network", "1G", "--steps", 8)
        rows = self.records("replay", *tuned, "--compressor", "none", "fp16", "--tune", "settings.txt")
        self.assertEqual((rows[0]["algorithm"], rows[0]["scheduler"], rows[0]["compressor"]), ("ring", "buckets", None))
        self.assertEqual(len(rows), 4)
        best = min(rows, key=lambda r: r["step_us"])
        text = (self.folder / "settings.txt").read_text(encoding="utf-8")
        self.assertIn(f"--algorithm {best['algorithm']}\n", text)
        coded = ("--compute", "codec=1,1") if best["compressor"] else ()
        [again] = self.records("replay", *tuned, "--settings", "settings.txt", *coded)
        self.assertAlmostEqual(again["step_us"], best["step_us"])
        [simulated] = self.plans("-m", "profile:tiny.json", "-w", 4, "--network", "1G", "--settings", "settings.txt")
        self.assertEqual((simulated["algorithm"], simulated["scheduler"]), (best["algorithm"], best["scheduler"]))

    def test_settings_and_tuning_refuse_what_cannot_be(self):
        for text, arguments, part in (
                ("", (), "sets nothing"), ("--steps 3\n", (), "line 1: '--steps 3': a setting is"),
                ("# one\n--algorithm\n", (), "line 2"), ("--algorithm ring 2\n", (), "line 1"),
                ("--algorithm ring\n--algorithm tree\n", (), "line 2: --algorithm is set twice"),
                ("--algorithm ring\n", ("-a", "tree"), "which is given, too"),
                ("--algorithm rig\n", (), "did you mean 'ring'")):
            with self.subTest(text=text):
                (self.folder / "settings.txt").write_text(text, encoding="utf-8")
                _, err = self.arlab("replay", "-m", "profile:tiny.json", "-b", "virtual", *arguments, "--settings", "settings.txt", code=2)
                self.assertIn(part, err)
        for line, part in (("-b threads --tune s.txt", "give the network with --network"),
                           ("-b virtual -w 2,4 --tune s.txt", "one number of workers"),
                           ("-b virtual --compute codec=1,1", "--compute codec has no effect here"),
                           ("-b virtual -s stale_synchronous --tune s.txt", "finds no setting"),
                           ("-b virtual --settings", "--settings needs a value"),
                           ("-b virtual -s zero2 --exchange groups=2", "--exchange groups has no effect"),
                           ("-b virtual -s hsdp", "a number of ranks per group that divides 2"),
                           ("-b virtual -s local_sgd --fragments 2", "strategy local_sgd has no parameter 'fragments'")):
            with self.subTest(line=line):
                _, err = self.arlab("replay", "-m", "profile:tiny.json", *line.split(), code=2)
                self.assertIn(part, err)
        _, err = self.arlab("replay", "-m", "profile:tiny.json", "-b", "virtual", "--settings", "none.txt", code=3)
        self.assertIn("cannot read none.txt", err)

    def test_options_without_effect_and_bad_values_are_refused(self):
        for line, part in (("-b threads --network 10G", "--network has no effect here: it needs --backend virtual"),
                           ("-b threads --network 10G:latency=1us", "--network has no effect"), ("-b virtual --timeout 5s", "--timeout has no effect"),
                           ("-b threads --every 4", "--every has no effect here: it needs --strategy local_sgd:every=4"),
                           ("-b threads --servers 2", "--servers has no effect"), ("-b threads --bound 2", "--bound has no effect"),
                           ("-b threads -s diloco --scheduler fifo", "--scheduler has no effect"),
                           ("-b threads -s stale_synchronous -a ring", "--algorithm has no effect"),
                           ("-b threads -a native --exchange segments=2", "--exchange segments has no effect"), ("-b threads --exchange groups=2", "--exchange groups has no effect"),
                           ("-b threads --compute slowdown=1,0", "--compute slowdown has the factor 0"), ("-b threads --compute slowdown=1,1,1", "3 factors"),
                           ("-b threads -s multi_worker", "use --strategy mirrored"), ("-b mpi", "start the program with `mpirun -n 2`"),
                           ("-b threads --steps 7", "--steps is 7: give 8 to 10000"), ("-b threads -w 0", "--workers is 0"),
                           ("-b thread", "did you mean 'threads'"), ("-b virtual --network fast", "fast")):
            with self.subTest(line=line):
                _, err = self.arlab("replay", "-m", "profile:tiny.json", *line.split(), code=2)
                self.assertIn(part, err)
        _, err = self.arlab("replay", "-m", "profile:llm-7b", "-b", "threads", "-w", 1000, code=2)
        self.assertIn("1000 replicas of llm-7b take", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
