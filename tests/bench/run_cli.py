"""arlab end to end: the machine contract, and the same records as CSV."""

import json
import unittest

import program
import tiny_profile

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

    def test_simulate_loggops(self):
        [record] = self.records("simulate", "ring", "-p", 64, "-s", "1M", "--network", "loggops:L=5us,o=1us,g=0.5us,G=0.08ns,O=0,S=64M,gamma=0")
        step = 1 + 5 + 1 + (16384 - 1) * 0.08e-3  # o, L, the body in the port, o
        self.assertAlmostEqual(record["time_us"]["median"], 126 * step, places=6)
        self.assertEqual((record["model"], record["topology"], record["messages"]), ("loggops", "crossbar", 8064))

    def test_simulate_alpha_beta(self):
        [record] = self.records("simulate", "ring", "-p", 64, "-s", "1M", "--network", "alpha_beta:alpha=5us,beta=0.08ns,gamma=0")
        self.assertAlmostEqual(record["time_us"]["median"], 126 * (5 + 16384 * 0.08e-3), places=6)
        self.assertEqual(record["modelled_us"], record["time_us"]["median"])
        self.assertAlmostEqual(record["algbw_gb_per_s"], 2**20 / record["time_us"]["median"] / 1e3, places=9)
        self.assertAlmostEqual(record["busbw_gb_per_s"], record["algbw_gb_per_s"] * 2 * 63 / 64, places=9)

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

    def test_fastest_leaves_out_none_of_the_fastest(self):
        def winners(*more):
            best = {}
            for r in self.records("simulate", "all", "-p", "2..32,7,24", "-s", "16..64Mx64", *more):
                if r["skipped"] is None:
                    cell = (r["ranks"], r["bytes"])
                    time, names = best.get(cell, (r["modelled_us"], []))
                    if r["modelled_us"] <= time:
                        names = names if r["modelled_us"] == time else []
                        best[cell] = (r["modelled_us"], sorted(names + [r["algorithm"]]))
            return best

        for model in ("loggops", "alpha_beta"):
            self.assertEqual(winners("--network", model), winners("--network", model, "--fastest"))

    def test_what_the_ranks_do(self):
        [record] = self.records("simulate", "tree", "-p", 4, "-s", "4K", "--network", "loggops:gamma=40ps", "--record", "rank_times",
                                "--record", "critical_path")
        work = record["rank_times_us"]
        for rank in range(4):
            self.assertAlmostEqual(sum(work[kind][rank] for kind in ("send", "receive", "reduce", "wait")), record["modelled_us"])
        self.assertAlmostEqual(sum(record["critical_path_us"].values()), record["modelled_us"])

    def test_disturbances(self):
        chain = ("simulate", "chain", "-p", 8, "-s", "4K", "--network", "loggops")
        [quiet] = self.records(*chain)
        [late] = self.records(*chain, "--disturb", "late=7:100us")
        self.assertEqual(late["disturbance"], "late=7:100us")
        self.assertIn("--disturb late names rank 7 twice", self.arlab(*chain, "--disturb", "late=7:1us,7:2us", code=2)[1])
        self.assertEqual((late["undisturbed_us"], late["delay_us"]), (quiet["modelled_us"], 100))
        self.assertAlmostEqual(late["slowdown_per_delay"], 1)  # rank 7 is the first to send
        [jitter] = self.records(*chain, "--disturb", "jitter=10us,runs=50")
        self.assertTrue(8 < jitter["slowdown_per_delay"] < 16, jitter)  # 14 messages, one after the other
        [other] = self.records(*chain, "--disturb", "jitter=10us,runs=50,seed=2")
        self.assertNotEqual(jitter["modelled_us"], other["modelled_us"])
        [loss] = self.records(*chain, "--disturb", "loss=1%,runs=200")
        self.assertEqual((loss["disturbance"], loss["delay_us"]), ("loss=1%:200000us,seed=1,runs=200", 200_000))
        self.assertTrue(0.07 < loss["slowdown_per_delay"] < 0.23, loss)  # 14 messages, one after the other
        [soon] = self.records(*chain, "--disturb", "loss=1%:5ms,runs=200")
        self.assertAlmostEqual(loss["slowdown_per_delay"], soon["slowdown_per_delay"], delta=0.01)
        self.assertIn("--disturb runs has no effect here: it needs jitter, loss", self.arlab(*chain, "--disturb", "runs=9", code=2)[1])
        for text, message in (("0.01", "--disturb loss is '0.01': write it like 0.1%, or 0.1%:200ms"), ("60%", "give at most 50%"), ("0%", "above zero"),
                              ("%", "--disturb loss '' is not a number"), ("1%:", "is not a time"), ("1%:5", "is not a time"), ("1%:0", "a time from 1ps")):
            _, err = self.arlab(*chain, "--disturb", f"loss={text}", code=2)
            self.assertIn(message, err)

    def test_several_runs_have_a_distribution(self):
        pair = ("simulate", "chain", "-p", 2, "-s", "4K", "--network")
        [quiet] = self.records(*pair, "loggops")
        self.assertIsNone(quiet["time_statistics_us"])
        [runs] = self.records(*pair, "loggops", "--disturb", "jitter=10us,runs=4000")
        # Two messages, one after the other: the delays are Erlang's of two phases.
        for key, of_erlang in (("mean", 20), ("p50", 16.783), ("p90", 38.897), ("p99", 66.384)):
            self.assertAlmostEqual((runs["time_statistics_us"][key] - quiet["modelled_us"]) / of_erlang, 1, delta=0.08, msg=key)
        self.assertAlmostEqual(runs["time_statistics_us"]["mean"], runs["modelled_us"])
        text, err = self.arlab(*pair, "loggops", "--disturb", "jitter=10us,runs=4000")
        p50, p99 = program.columns(text, "p50", "p99")[0]
        self.assertIn(f", half of the runs within {p50}, 99% within {p99}.", text + err)

    def test_a_machine_has_a_distribution_of_its_own_delays(self):
        ring = ("simulate", "ring", "-p", 4, "-s", "4K", "--network")
        [plain] = self.records(*ring, "connections:drift=10us")  # the median of nine draws
        [nine] = self.records(*ring, "connections:drift=10us", "--disturb", "runs=9")
        self.assertEqual((nine["modelled_us"], nine["time_statistics_us"]["p50"]), (plain["modelled_us"],) * 2)
        self.assertEqual((nine["disturbance"], nine["undisturbed_us"]), ("runs=9", None))
        [late] = self.records(*ring, "connections:drift=10us", "--disturb", "late=2:300us,runs=9")
        self.assertAlmostEqual(late["undisturbed_us"], nine["time_statistics_us"]["mean"])  # of the same draws
        [busy] = self.records(*ring, "connections:drift=10us", "--disturb", "traffic=h0--h1,runs=9")
        self.assertAlmostEqual(busy["undisturbed_us"], nine["time_statistics_us"]["mean"])
        self.assertGreater(busy["modelled_us"], busy["undisturbed_us"])
        self.assertIn("has no effect here", self.arlab(*ring, "connections:drift=0", "--disturb", "runs=9", code=2)[1])
        self.assertIn("--disturb seed has no effect", self.arlab(*ring, "connections:drift=10us", "--disturb", "seed=2,runs=9", code=2)[1])

    def test_a_ratio_that_a_delay_cannot_have_is_left_out(self):
        chain = ("simulate", "chain", "-p", 16, "-s", "1M", "--segments", 64, "--network")
        for gap in ("999ns", "1us", "1001ns"):
            [r] = self.records(*chain, f"loggops:L=3us,o=1us,g={gap},G=80ps", "--disturb", "jitter=1ns")
            self.assertLess(abs(r["modelled_us"] / r["undisturbed_us"] - 1), 0.1)
            self.assertTrue(r["slowdown_per_delay"] is None or -1 <= r["slowdown_per_delay"] <= r["messages"], r)

    def test_hierarchical_is_simulated_in_pieces_on_links(self):
        pod = ("simulate", "hierarchical", "-p", 16, "-s", "1G", "--network", "rail_pod:nodes=2")
        [pieces] = self.records(*pod)
        [whole] = self.records(*pod, "--segments", 1)
        self.assertEqual((pieces["segments"], whole["segments"]), (16, 1))
        self.assertAlmostEqual(pieces["modelled_us"], 4260, delta=40)
        self.assertGreater(whole["modelled_us"], 1.5 * pieces["modelled_us"])
        [short] = self.records("simulate", "hierarchical", "-p", 16, "-s", "64K", "--network", "rail_pod:nodes=2")
        self.assertEqual(short["segments"], 1)
        [uniform] = self.records("simulate", "hierarchical", "-p", 16, "-s", "1G", "--layout", "groups=8")
        self.assertEqual(uniform["segments"], 1)

    def test_a_ring_that_leaves_nics_idle_is_named(self):
        pod = ("-p", 16, "-s", "1M", "--network", "rail_pod:nodes=2,relay=yes", "--json", "-")
        for algorithms, note in (("ring", "note: ring uses 1 of 8 NICs of a node: ring:channels=8 is what NCCL runs\n"),
                                 ("ring,ring:channels=8", ""), ("ring:channels=2", ""), ("hierarchical", "")):
            with self.subTest(algorithms=algorithms):
                self.assertEqual(self.arlab("simulate", algorithms, *pod)[1], note)
        names = {record["algorithm"] for record in self.records("simulate", "all", *pod[:-2])}
        self.assertLessEqual({"ring", "ring:channels=8", "nccl_tree", "nccl_tree:channels=8"}, names)
        self.assertEqual(self.arlab("simulate", "ring", "-p", 16, "--network", "leaf_spine", "--json", "-")[1], "")

    def test_each_message_may_take_several_routes(self):
        clos = ("simulate", "ring", "-p", 64, "-s", "64M", "--network")
        of_optimum = {routing: self.records(*clos, f"leaf_spine:leaves=4,spines=16,placement=cyclic,routing={routing}")[0]["optimum_fraction"]
                      for routing in ("ecmp", "ecmp:flows=16", "spray")}
        self.assertLess(of_optimum["ecmp"], 0.5)
        self.assertLess(of_optimum["ecmp"], of_optimum["ecmp:flows=16"])
        self.assertLess(of_optimum["ecmp:flows=16"], of_optimum["spray"])
        self.assertGreater(of_optimum["spray"], 0.97)

    def test_a_network_without_trees_leaves_out_what_needs_them(self):
        slow = ("-p", 8, "-s", "1M", "--network", "leaf_spine:slow=h0-leaf0:4")
        names = {record["algorithm"] for record in self.records("simulate", "all", *slow)}
        self.assertTrue("ring" in names and "forest" not in names, names)
        self.assertIn("whose switches have as much bandwidth in as out", self.arlab("simulate", "forest", *slow)[0])

    def test_trees_of_a_file(self):
        file = self.folder / "trees.dot"
        file.write_text('graph { node [kind=host]; edge [bandwidth="10Gbps", latency="1us"]; a; b; c; d; node [kind=switch]; s; '
                        'a -- s; b -- s; c -- s; d -- s }', encoding="utf-8")
        out, _ = self.arlab("verify", "forest", "-p", 4, "--layout", f"trees={file}")
        self.assertEqual(out, self.arlab("verify", "forest", "-p", 4, "--layout", "trees=crossbar")[0])
        [there] = self.records("simulate", "forest", "-p", 4, "-s", "1M", "--network", str(file))
        [given] = self.records("simulate", "forest", "-p", 4, "-s", "1M", "--network", str(file), "--layout", f"trees={file}")
        self.assertEqual(there["modelled_us"], given["modelled_us"])

    def test_links_that_fail(self):
        one = ("simulate", "tree", "--collective", "broadcast", "-p", 2, "-s", "1M", "--network", "fluid")
        [once] = self.records(*one, "--disturb", "flap=h0--s0:50us@20us")
        self.assertEqual(once["disturbance"], "flap=h0--s0:50us@20us")
        self.assertAlmostEqual(once["slowdown_per_delay"], 1)  # the only message waits
        [half] = self.records(*one, "--disturb", "flap=h0-s0:50us@20us:0.5")
        self.assertEqual(half["delay_us"], 25)
        self.assertAlmostEqual(half["slowdown_per_delay"], 1, delta=1e-3)
        seeded = [self.records(*one, "--disturb", f"flap=all:9us:90us,seed={seed}")[0]["modelled_us"] for seed in (1, 2, 1)]
        self.assertEqual(seeded[0], seeded[2])
        self.assertNotEqual(seeded[0], seeded[1])
        for flap, message in (("h0--s0", "--disturb flap is 'h0--s0': write it like"), ("h0--s0:1us", "write it like"),
                              ("h0--s0:2us:1us", "must be shorter than the period"), ("h0--s0:1us:2us:1", "a share below 1"),
                              ("h0--s9:1us:2us", "has no link 'h0--s9'"), ("h0--s0:1us@2us:0.5:7", "write it like")):
            _, err = self.arlab(*one, "--disturb", f"flap={flap}", code=2)
            self.assertIn(message, err)
        # Names of links may have colons, as PCI devices do.
        file = self.folder / "colons.dot"
        file.write_text('graph { node [kind=host]; edge [bandwidth="100Gbps", latency="1us"]; a; b; node [kind=switch]; "0:1b:00.0"; '
                        'a -- "0:1b:00.0"; b -- "0:1b:00.0" }', encoding="utf-8")
        colons = (*one[:-1], str(file), "--disturb")
        for behind, delay in ((":50us@20us", 50), (":50us@20us:0.5", 25), (":50us:1s", 50), (":50us:1s:0.5", 25)):
            [record] = self.records(*colons, f"flap=a--0:1b:00.0{behind}")
            self.assertEqual(record["delay_us"], delay)
        self.assertIn("write it like", self.arlab(*colons, "flap=a--0:1b:00.0", code=2)[1])
        _, err = self.arlab("simulate", "ring", "-p", 2, "-s", "1M", "--network", "crossbar", "--disturb", "flap=all:900us:1ms,seed=1", code=2)
        self.assertIn("links of one route fail in turns, and never work together", err)
        _, err = self.arlab("simulate", "ring", "-p", 4, "--network", "loggops", "--disturb", "flap=all:1us:2us", code=2)
        self.assertIn("the model knows no links that fail for a while: leave out flap, or use --network fluid", err)
        _, err = self.arlab(*one, "--disturb", "flap=h0--s0:1us@0,seed=2", code=2)
        self.assertIn("--disturb seed has no effect here", err)

    def test_random_delays_leave_out_what_adds_in_switches(self):
        pod = ("-p", "8", "-s", "1M", "--network", "dgx_h100:systems=1")
        quiet = {record["algorithm"] for record in self.records("simulate", "all", *pod)}
        self.assertIn("nvls", quiet)
        for noise in ("jitter=1us", "noise=10us:1ms", "loss=0.1%"):
            noisy = {record["algorithm"] for record in self.records("simulate", "all", *pod, "--disturb", noise)}
            self.assertEqual(quiet - noisy, {"collnet_chain", "collnet_direct", "nvls", "nvls_tree", "sharp", "switchml"} & quiet)
            _, err = self.arlab("simulate", "ring,nvls", *pod, "--disturb", noise, code=2)
            self.assertIn("nvls adds in switches, and random delays are of messages from rank to rank: leave it out", err)

    def test_the_rates_of_a_machine_are_those_of_its_links(self):
        [stated] = self.records("simulate", "ring", "-p", "4", "-s", "1M", "--network", "connections:topology=crossbar:bandwidth=10Gbps")
        [measured] = self.records("simulate", "ring", "-p", "4", "-s", "1M", "--network", "connections:port_beta=0.8ns")
        for key in ("modelled_us", "bound_us", "optimum_fraction"):
            self.assertAlmostEqual(measured[key] / stated[key], 1)
        self.assertEqual(measured["most_utilized_links"], stated["most_utilized_links"])
        fast = ("ring,butterfly", "-p", "4", "-s", "64K,1M", "--network", "connections:port_beta=0.0227153ns,L=0,wrap=0")
        for record in self.records("simulate", *fast):
            self.assertLessEqual(record["optimum_fraction"], 1)
            self.assertLessEqual(record["most_utilized_links"][0]["utilization"], 1)
        bursts = ("butterfly", "-p", "4", "-s", "64K", "--network", "connections:burst=1048576,burst_left=1048576,L=0,S=1T")
        [record] = self.records("simulate", *bursts)
        self.assertIsNone(record["optimum_fraction"])  # a burst is faster than the links
        self.assertLessEqual(record["most_utilized_links"][0]["utilization"], 1)
        times = [self.records("simulate", "ring", "-p", "4", "-s", "1K", "--network", f"connections:L={latency}")[0]["modelled_us"]
                 for latency in ("0", "0.5us", "1us", "2us")]  # the stated route takes 1 us
        for shorter, longer in zip(times, times[1:]):
            self.assertGreater(longer, shorter + 2)  # in six rounds
        [rates] = self.records("bound", "connections:port_beta=0.8ns,topology=crossbar", "-p", "4")
        [wanted] = self.records("bound", "crossbar:bandwidth=10Gbps", "-p", "4")
        self.assertAlmostEqual(rates["allreduce_gb_per_s"] / wanted["allreduce_gb_per_s"], 1)
        _, err = self.arlab("bound", "connections:shared=yes", code=2)
        self.assertIn("has no links that bound a collective", err)

    def test_another_job_on_the_network(self):
        busy = ("simulate", "ring", "-p", "4", "-s", "64M", "--network", "crossbar:hosts=6")
        for traffic, factor in (("h4-h0", 2), ("h4--h5", 1), ("h4-h0,h5-h0", 3), ("h4--h0", 2)):
            [record] = self.records(*busy, "--disturb", f"traffic={traffic}")
            self.assertEqual(record["disturbance"], ",".join(f"traffic={one}" for one in traffic.split(",")))
            self.assertAlmostEqual(record["modelled_us"] / record["undisturbed_us"], factor, places=2)
            self.assertEqual((record["delay_us"], record["slowdown_per_delay"]), (None, None))
        # Beside delays, it is no part of what they cost.
        [alone] = self.records(*busy, "--disturb", "traffic=h4-h0")
        [late] = self.records(*busy, "--disturb", "traffic=h4-h0,late=1:100us")
        self.assertEqual(late["undisturbed_us"], alone["modelled_us"])
        self.assertAlmostEqual(late["slowdown_per_delay"], (late["modelled_us"] - alone["modelled_us"]) / 100)
        self.assertLess(late["slowdown_per_delay"], 1.01)
        for traffic in ("", "h4", "h4-", "h4-h4", "h4-h6", "h4--s0", "h4---h5"):
            _, err = self.arlab(*busy, "--disturb", f"traffic={traffic}", code=2)
            self.assertIn(f"--disturb traffic is '{traffic}': write it like h2-h6, or h2--h6 for both directions, with two of the hosts h0 to h5", err)
        _, err = self.arlab("simulate", "ring", "-p", "4", "--network", "loggops", "--disturb", "traffic=h0-h1", code=2)
        self.assertIn("the model knows no links that other jobs use: leave out traffic, or use --network fluid or a machine file", err)

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


class Schema(program.ProgramTest):
    """docs/records.schema.json describes the output of every command, and nothing else."""

    @unittest.skipIf(program.jsonschema is None, "needs jsonschema (apt install python3-jsonschema)")
    def test_the_output_of_every_command_is_valid(self):
        for line in (("count", "ring"), ("count", "ring", "-c", "broadcast"), ("verify", "tree", "-p", 4),
                     ("simulate", "ring", "-p", 4), ("simulate", "ring", "-p", 4, "--network", "fluid", "--record", "links=2"),
                     ("bound", "mesh:dims=3x2"), ("bound", "ring:hosts=4,slow=h0-h1:3"),
                     ("run", "ring", "-p", 2, "-s", "1K", "--time", 0)):
            with self.subTest(line=line):
                self.assertTrue(self.records(*line))  # validated by parse()
        for algorithm in ("ring", "pat", "double_tree"):
            program.validate(json.loads(self.arlab("export", algorithm, "-p", 5)[0]))

    @unittest.skipIf(program.jsonschema is None, "needs jsonschema (apt install python3-jsonschema)")
    def test_other_keys_and_types_are_not(self):
        for change in ({"surprise": 1}, {"ranks": "8"}, {"schema": 1}, {"kind": "measure"}, {"claimed": {"messages": 1}}):
            [record] = self.records("count", "ring")
            with self.subTest(change=change), self.assertRaises(AssertionError):
                program.validate({**record, **change})
        [record] = self.records("count", "ring")
        for key in record:
            with self.subTest(missing=key), self.assertRaises((AssertionError, KeyError)):
                program.validate({name: value for name, value in record.items() if name != key})

    def test_a_sweep_of_schema_1_is_resumed(self):
        self.arlab("count", "ring", "-p", "2,3", "--json", "a.jsonl")
        lines = self.read("a.jsonl").replace('"schema":2', '"schema":1').replace("_gb_per_s", "_gbps").splitlines(keepends=True)
        (self.folder / "a.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
        _, err = self.arlab("count", "ring", "-p", "2,3", "--json", "a.jsonl", "--resume", "--csv", "a.csv")
        self.assertIn("the file already held 1 of 2 configurations", err)
        self.assertEqual([json.loads(line)["schema"] for line in self.read("a.jsonl").splitlines()], [1, 1, 2, 2])
        self.assertEqual([row["schema"] for row in program.rows(self.read("a.csv"))], ["2", "2"])
        self.arlab("report", "a.jsonl")


class Csv(program.ProgramTest):
    def test_csv_holds_what_json_holds(self):
        self.arlab("simulate", "all", "-p", "2,3", "-s", "1K", "--network", "loggops", "--disturb", "jitter=1us,runs=2",
                   "--json", "a.jsonl", "--csv", "a.csv")
        records = program.parse(self.read("a.jsonl"))[1]
        table = program.rows(self.read("a.csv"))
        self.assertEqual(len(table), len(records))
        for row, record in zip(table, records):
            self.assertLessEqual(program.flat({key: record[key] for key in program.IDENTITY}).items(), row.items())
            self.assertEqual(row, program.flat(record))

    def test_skipped_records_have_the_same_columns(self):
        self.arlab("count", "tree,ring", "-c", "broadcast", "-p", 4, "--json", "a.jsonl", "--csv", "a.csv")
        table = program.rows(self.read("a.csv"))
        self.assertEqual([row["skipped"] for row in table], ["", "ring has no broadcast form"])
        self.assertEqual(table[0].keys(), table[1].keys())
        self.assertNotIn(None, table[1].keys())

    def test_a_resumed_sweep_writes_all_rows_again(self):
        self.arlab(*SWEEP, "--json", "whole.jsonl", "--csv", "whole.csv")
        lines = self.read("whole.jsonl").splitlines(keepends=True)
        (self.folder / "cut.jsonl").write_text("".join(lines[:8]), encoding="utf-8")
        self.arlab(*SWEEP, "--json", "cut.jsonl", "--resume", "--csv", "cut.csv")
        self.assertEqual(self.read("cut.csv"), self.read("whole.csv"))

    def test_an_earlier_csv_is_kept(self):
        (self.folder / "a.csv").write_text("precious\n", encoding="utf-8")
        _, err = self.arlab("count", "ring", "--csv", "a.csv")
        self.assertIn("kept the earlier a.csv as a.csv.1", err)
        self.assertEqual(self.read("a.csv.1"), "precious\n")


class Plan(program.ProgramTest):
    """Options of plan."""

    def test_options_without_effect_are_refused(self):
        for option, what in ((("--every", "3"), "--strategy local_sgd:every=3"), (("-s", "local_sgd", "--scheduler", "fifo"), "strategy multi_worker or mirrored"),
                             (("--compute", "seed=2"), "--compute jitter or a topology")):
            _, err = self.arlab("plan", "--gpus", "4", *option, code=2)
            self.assertIn(f"{' '.join(option[-2:]).partition('=')[0] if '=' in option[-1] else option[-2]} has no effect here: it needs {what}", err)
        train = ("plan", "--breakdown", "-a", "ring", "-m", "profile:vgg16", "--gpus", "4")
        for option, what in ((("--exchange", "groups=2"), "--algorithm hierarchical"), (("--compute", "codec=1,1"), "--compressor")):
            _, err = self.arlab(*train, *option, code=2)
            self.assertIn(f"{option[0]} {option[1].partition('=')[0]} has no effect here: it needs {what}", err)
        self.arlab(*train[:2], *train[4:], "-a", "hierarchical", "--exchange", "groups=2", "--compressor", "fp16", "--compute", "codec=1,1,jitter=0.1,seed=2")

    def test_models_and_gpus_are_one_table_with_a_verdict_each(self):
        plan = ("plan", "-m", "profile:resnet50,profile:bert-base", "--gpus", "8", "--network", "10G,100G", "--steps", "4", "--compute", "gpu=v100,a100")
        out, _ = self.arlab(*plan, "--json", "p.jsonl")
        self.assertEqual(len(program.columns(out, "model", "GPU", "network")), 8)
        verdicts = [line for line in out.splitlines() if line.startswith("Verdict: ")]
        self.assertEqual([line.split(":")[1].removeprefix(" ") for line in verdicts],
                         [f"{model} on 8 GPUs of {gpu}" for model in ("resnet50", "bert-base") for gpu in ("NVIDIA V100, float32", "NVIDIA A100 80 GB SXM4, mixed")])
        decided = [r for r in program.parse(self.read("p.jsonl"))[1] if r["kind"] == "plan_decision"]
        self.assertEqual([(r["model"], r["network"]) for r in decided[:4]], [("resnet50", "10G"), ("resnet50", "100G")] * 2)
        self.arlab("report", "p.jsonl", "-o", "p.html")
        page = self.read("p.html")
        for line in verdicts:
            self.assertIn(json.dumps(line), page)

    def test_the_order_of_gpus_and_networks_changes_no_verdict(self):
        tiny_profile.write(self.folder)
        answers = []
        for gpus in ("1,8", "8,1"):
            for networks in ("10G:latency=5us,10G:latency=2ms", "10G:latency=2ms,10G:latency=5us"):
                out, _ = self.arlab("plan", "-m", "profile:tiny.json", "--gpus", gpus, "--network", networks, "--steps", "4", "--json", "p.jsonl")
                [verdict] = [line for line in out.splitlines() if line.startswith("Verdict: tiny on 8 GPUs")]
                answers.append(sorted(verdict.split(":", 2)[2].replace(" At a", "\nAt a").replace(" On ", "\nOn ").splitlines()))
                decided = [r for r in program.parse(self.read("p.jsonl"))[1] if r["kind"] == "plan_decision"]
                self.assertEqual([r["rates_asked"] for r in decided], [True, True])
        self.assertIn("At a latency of 2 ms, ", "\n".join(answers[0]))
        self.assertEqual(answers, answers[:1] * 4)

    def test_models_of_one_name_are_refused(self):
        for file, device in (("before", "none"), ("after", "none"), ("other", "else")):
            profile = {**tiny_profile.PROFILE, "name": "Net", "device": device}
            (self.folder / f"{file}.json").write_text(json.dumps(profile), encoding="utf-8")
        _, err = self.arlab("plan", "-m", "profile:before.json,profile:after.json", "--gpus", "2", code=2)
        self.assertIn("profile:before.json and profile:after.json both have the name 'Net' and the device 'none'", err)
        _, err = self.arlab("plan", "-m", "profile:before.json,profile:./before.json", "--gpus", "2", "--breakdown", code=2)
        self.assertIn("both have the name 'Net'", err)
        out, _ = self.arlab("plan", "-m", "profile:before.json,profile:other.json", "--gpus", "2", "--steps", "4")
        self.assertEqual(program.columns(out, "GPU"), [("none",), ("else",)])

    def test_devices_that_are_no_gpu_of_the_list_are_refused(self):
        for setting, why in (("gpu=a10", "unknown GPU 'a10', did you mean 'a100'?"), ("precision=fp8", "unknown precision 'fp8'"),
                             ("gpu=h100,precision=tf32", "no public measurement of training on NVIDIA H100 80 GB SXM5 in tf32: give mixed")):
            _, err = self.arlab("plan", "--gpus", "4", "--compute", setting, code=2)
            self.assertIn(why, err)

    def test_savings_too_small_to_count_are_not_shown(self):
        out, _ = self.arlab("plan", "-m", "profile:resnet50", "--gpus", "8", "--network", "10000G")
        self.assertNotIn("other algorithm |", out)
        out, _ = self.arlab("plan", "-m", "profile:vgg16", "--gpus", "8", "--network", "1G", "-a", "butterfly")
        self.assertRegex(out, r"\| (ring|rabenseifner) -[1-9]")

    def test_values_are_checked_where_they_are_given(self):
        for option, value, text in (("-B", "0", "--batch is 0: give 1 to 16777216"), ("--compute", "seed=-1", "--compute seed is -1: give a number of 0 or more"),
                                    ("--network", "10G,", "--network '10G,' has an empty entry"), ("--exchange", "groups=0", "--exchange groups is 0: give 1 to 16384"),
                                    ("-m", "profile:/dev/zero", "cannot read /dev/zero (it is a device)")):
            _, err = self.arlab("plan", "--gpus", "4", option, value, code=3 if "/dev" in value else 2)
            self.assertIn(text, err)
        _, err = self.arlab("validate", "--list", "misses=nan", code=2)
        self.assertEqual(err, "error: --list misses 'nan' is not a number: write for example 4 or 1.5\n")
        for value in ("0", "-3", "1e10", "nan"):
            _, err = self.arlab("bound", "torus", "-p", value, code=2)
            self.assertTrue(err.startswith(("error: -p is", "error: -p 'nan' is")), err)

    def test_a_dry_run_leaves_out_what_the_run_leaves_out(self):
        words = ("simulate", "ring,tree,all_to_all", "-p", "16", "-s", "1K", "--limit", "messages=100")
        planned, _ = self.arlab(*words, "--dry-run")
        self.arlab(*words, "--json", "r.jsonl")
        _, records = program.parse(self.read("r.jsonl"))
        skipped = [(record["algorithm"], record["skipped"] or "") for record in records]
        self.assertEqual([bool(why) for _, why in skipped], [False, False, True])
        self.assertEqual(program.columns(planned, "algorithm", "skipped"), skipped)


if __name__ == "__main__":
    unittest.main(verbosity=2)
