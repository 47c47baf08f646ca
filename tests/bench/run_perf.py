"""all_reduce_perf and its siblings, as the programs that read nccl-tests' output see them."""

import json
import pathlib
import subprocess
import unittest

import perf_readers
import program

FOLDER = pathlib.Path(program.ARLAB).parent
PROGRAMS = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce")


class Perf(program.ProgramTest):
    def perf(self, name, *arguments, environment=None):
        done = subprocess.run([FOLDER / name, *arguments], cwd=self.folder, env={**program.ALONE, **(environment or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_known_readers_accept_the_table(self):
        for name in PROGRAMS:
            with self.subTest(name):
                code, out, err = self.perf(f"{name}_perf", "-b", "1K", "-e", "4K", "-f", "2", "-n", "3", "-t", "2")
                self.assertEqual(code, 0, err)
                rows = perf_readers.superbench(out)
                self.assertEqual(sorted(rows), [1024, 2048, 4096])
                for time, algbw, busbw in rows.values():
                    self.assertGreater(time, 0)
                    self.assertGreaterEqual(busbw, 0)
                    self.assertGreaterEqual(algbw, 0)
                cloud = perf_readers.cloudai(out)
                self.assertEqual([row["size"] for row in cloud["rows"]], ["1024", "2048", "4096"])
                self.assertEqual([row["wrong"] for row in cloud["rows"]], ["0"] * 3)
                self.assertEqual([rank for rank, _, _ in cloud["devices"]], ["0", "1"])
                self.assertTrue(perf_readers.msccl_scripts(out))
                self.assertAlmostEqual(perf_readers.azurehpc(out), perf_readers.flagperf(out))

    def test_a_smallest_size_above_the_largest_is_an_error_as_in_nccl_tests(self):
        for sizes in (("-b", "2K", "-e", "1K"), ("-e", "1K"), ("-b", "64M"), ("-b", "2K", "-e", "1K", "-f", "2")):
            with self.subTest(sizes):
                code, out, err = self.perf("all_reduce_perf", *sizes, "-n", "1", "-t", "2")
                self.assertEqual((code, out), (2, ""))
                self.assertIn("give a smallest size (-b) of at most the largest (-e)", err)

    def test_sizes_are_written_as_for_nccl_tests(self):
        for size in ("1K", "1k", "1KB", "1024"):
            code, out, err = self.perf("all_reduce_perf", "-b", size, "-e", "2KB", "-f", "2", "-n", "1", "-t", "2")
            self.assertEqual(code, 0, err)
            self.assertEqual(sorted(perf_readers.superbench(out)), [1024, 2048])

    def test_the_mean_bandwidth_is_that_of_the_rows(self):
        _, out, _ = self.perf("all_reduce_perf", "-b", "1K", "-e", "1M", "-f", "32", "-n", "3", "-t", "2", "-J", "a.json")
        report = json.loads(self.read("a.json"))
        both = [row[place]["bus_bw"] for row in report["results"] for place in ("out_of_place", "in_place")]
        self.assertAlmostEqual(perf_readers.flagperf(out), sum(both) / len(both), delta=0.01 * max(both) + 0.01)
        for row, line in zip(report["results"], perf_readers.cloudai(out)["rows"]):
            self.assertEqual(str(row["size"]), line["size"])
            self.assertAlmostEqual(row["out_of_place"]["time"], float(line["time"]), delta=0.006 * row["out_of_place"]["time"] + 0.01)
            self.assertAlmostEqual(row["in_place"]["alg_bw"], float(line["in_algbw"]), delta=0.006)

    def test_json_is_that_of_nccl_tests(self):
        secret = {"MY_SECRET_TOKEN": "hidden", "NCCL_DEBUG": "WARN"}
        code, _, err = self.perf("reduce_perf", "-b", "64", "-e", "64", "-t", "2", "-r", "all", "-J", "a.json", environment=secret)
        self.assertEqual(code, 0, err)
        text = self.read("a.json")
        report = json.loads(text)
        self.assertEqual(list(report), ["version", "start_time", "args", "env", "nccl_version", "config", "results",
                                        "out_of_bounds", "average_bus_bandwidth", "errors", "end_time"])
        self.assertEqual(report["version"], 3)
        self.assertIn("NCCL_DEBUG=WARN", report["env"])
        self.assertNotIn("hidden", text)
        self.assertEqual([row["root"].strip() for row in report["results"]], ["0", "1"])
        self.assertEqual(list(report["results"][0]), ["size", "count", "type", "redop", "root", "out_of_place", "in_place",
                                                     "actual_iterations", "experiment_name"])
        self.assertEqual(len(report["config"]["devices"]), 2)
        self.assertEqual(report["out_of_bounds"], {"count": 0, "okay": "true"})
        self.perf("reduce_perf", "-b", "64", "-e", "64", "-t", "2", "-J", "a.json")
        self.assertEqual(self.read("a.json"), text)  # an earlier file is kept
        json.loads(self.read("a.json.0"))

    def test_the_head_names_the_run(self):
        _, out, _ = self.perf("all_reduce_perf", "-b", "8", "-e", "16", "-f", "2", "-n", "5", "-w", "2", "-g", "2", "-d", "half", "-o", "max")
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^# nccl-tests version \S+ nccl-headers=\d+ nccl-library=\d+$")
        self.assertEqual(lines[1], "# Collective test starting: all_reduce_perf")
        self.assertEqual(lines[2], "# nThread 1 nGpus 2 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 2 iters: 5 agg iters: 1 "
                                   "validation: 1 graph: 0 unalign: 0")
        self.assertEqual(lines[3:5], ["#", "# Using devices"])
        self.assertRegex(lines[5], r"^#  Rank  0 Group  0 Pid +\d+ on +\S+ device  0 \[0000:00:00\] .*$")
        rows = perf_readers.cloudai(out)["rows"]
        self.assertEqual([(row["type"], row["redop"], row["root"]) for row in rows], [("half", "max", "-1")] * 2)

    def test_a_simulated_cluster_gives_the_same_table(self):
        code, out, err = self.perf("all_reduce_perf", "-b", "1M", "-e", "4M", "-f", "2", "-g", "16", "--simulate", "rail_pod:nodes=2")
        self.assertEqual(code, 0, err)
        rows = perf_readers.superbench(out)
        self.assertEqual(sorted(rows), [1 << 20, 2 << 20, 4 << 20])
        simulated = subprocess.run([program.ARLAB, "simulate", "ring", "-p", "16", "-s", "1M", "--network",
                                    "rail_pod:nodes=2", "--json", "-"], env=program.ALONE, capture_output=True, text=True, check=True).stdout
        _, [record] = program.parse(simulated)
        self.assertAlmostEqual(rows[1 << 20][0], record["modelled_us"], delta=0.01)
        self.assertAlmostEqual(rows[1 << 20][2], record["busbw_gb_per_s"], delta=0.01)
        self.assertEqual(len(perf_readers.cloudai(out)["devices"]), 16)

    def test_simulated_algorithms_have_their_usual_segments(self):
        for algorithm in ("hierarchical", "nccl_tree:channels=8"):
            code, out, err = self.perf("all_reduce_perf", "-b", "16M", "-e", "16M", "-g", "16", "--simulate", "rail_pod:nodes=2",
                                       "--algorithm", algorithm)
            self.assertEqual(code, 0, err)
            simulated = subprocess.run([program.ARLAB, "simulate", algorithm, "-p", "16", "-s", "16M", "--network", "rail_pod:nodes=2",
                                        "--json", "-"], env=program.ALONE, capture_output=True, text=True, check=True).stdout
            _, [record] = program.parse(simulated)
            self.assertGreater(record["segments"], 1)
            # nccl-tests prints four to five digits.
            self.assertAlmostEqual(perf_readers.superbench(out)[16 << 20][0] / record["modelled_us"], 1, delta=1e-3)

    def test_what_switches_do_not_compute_is_refused(self):
        code, _, err = self.perf("all_reduce_perf", "-b", "1M", "-e", "1M", "-g", "8", "-d", "int8", "--simulate", "dgx_h100:systems=1",
                                 "--algorithm", "nvls")
        self.assertEqual(code, 2)
        self.assertIn("NVSwitches cannot compute sum of int8", err)

    def test_too_little_bandwidth_fails(self):
        code, out, _ = self.perf("all_reduce_perf", "-b", "64", "-e", "64", "-t", "2", environment={"NCCL_TESTS_MIN_BW": "1e9"})
        self.assertEqual(code, 1)
        self.assertIsNone(perf_readers.azurehpc(out))

    def test_unchecked_results_are_not_claimed_right(self):
        _, out, _ = self.perf("all_reduce_perf", "-b", "64", "-e", "64", "-t", "2", "-c", "0")
        self.assertEqual([row["wrong"] for row in perf_readers.cloudai(out)["rows"]], ["N/A"])

    def test_types_and_operations(self):
        code, out, err = self.perf("all_reduce_perf", "-b", "64", "-e", "64", "-t", "2", "-d", "all", "-o", "all", "-n", "2")
        self.assertEqual(code, 0, err)
        rows = perf_readers.cloudai(out)["rows"]
        self.assertEqual(len(rows), 60)
        self.assertEqual({row["type"] for row in rows}, {"int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float",
                                                         "double", "bfloat16", "f8e4m3", "f8e5m2"})
        self.assertEqual({row["wrong"] for row in rows}, {"0"})

    def test_mistakes_are_named(self):
        for arguments, word in ((["-z", "x"], "-z"), (["-o", "summ"], "sum"), (["--simulate", "ring_of_fire"], "ring_of_fire"),
                                (["--algorithm", "native", "--simulate", "ring"], "library"), (["-b", "0", "-f", "2"], "-b"),
                                (["--wat"], "wat")):
            with self.subTest(arguments):
                code, _, err = self.perf("all_reduce_perf", "-t", "2", *arguments)
                self.assertEqual(code, 2, err)
                self.assertIn(word, err)

    def test_no_value_is_lost_or_out_of_range(self):
        for arguments, text in ((["-J", ""], "-J has an empty value"), (["-x", ""], "-x has an empty value"), (["-z", "4"], "-z is 4: give 0 to 3"),
                                (["-a", "9"], "-a is 9: give 0 to 3"), (["-t", "100000", "-g", "100000"], "10000000000 ranks"),
                                (["-b", "8", "-e", "1G", "-i", "1"], "over a million sizes"), (["-r", "nan"], "-r 'nan'")):
            code, _, err = self.perf("all_reduce_perf", "--backend", "threads", *arguments)
            self.assertEqual(code, 2, err)
            self.assertIn(text, err)
        code, out, err = self.perf("all_reduce_perf", "-b", "8", "-e", "8", "-n", "2", "-n", "3", "-J", "/proc/none/x")
        self.assertEqual((code, out), (3, ""), err)  # found at the start

    def test_options_without_meaning_are_noted(self):
        code, _, err = self.perf("all_reduce_perf_mpi", "-b", "64", "-e", "64", "-t", "2", "-R", "1", "-p", "1", "-G", "1", "-y", "0")
        self.assertEqual(code, 0, err)
        self.assertIn("registration of buffers", err)
        self.assertNotIn("null stream", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
