"""arlab simulate end to end: times, disturbances, and networks, as records."""

import unittest

import program


class Simulate(program.ProgramTest):
    def test_loggops(self):
        [record] = self.records("simulate", "ring", "-p", 64, "-s", "1M", "--network", "loggops:L=5us,o=1us,g=0.5us,G=0.08ns,O=0,S=64M,gamma=0")
        step = 1 + 5 + 1 + (16384 - 1) * 0.08e-3  # o, L, the body in the port, o
        self.assertAlmostEqual(record["time_us"]["median"], 126 * step, places=6)
        self.assertEqual((record["model"], record["topology"], record["messages"]), ("loggops", "crossbar", 8064))

    def test_alpha_beta(self):
        [record] = self.records("simulate", "ring", "-p", 64, "-s", "1M", "--network", "alpha_beta:alpha=5us,beta=0.08ns,gamma=0")
        self.assertAlmostEqual(record["time_us"]["median"], 126 * (5 + 16384 * 0.08e-3), places=6)
        self.assertEqual(record["modelled_us"], record["time_us"]["median"])
        self.assertAlmostEqual(record["algbw_gb_per_s"], 2**20 / record["time_us"]["median"] / 1e3, places=9)
        self.assertAlmostEqual(record["busbw_gb_per_s"], record["algbw_gb_per_s"] * 2 * 63 / 64, places=9)

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

    def test_switches_do_not_compute_all_types_and_operations(self):
        def skipped(*options):
            return {r["algorithm"]: r["skipped"] for r in self.records("simulate", "nvls,sharp,ring", "-p", 8, "-s", "1M", "--network",
                                                                       "dgx_h100:systems=1", *options)}

        self.assertEqual(set(skipped().values()), {None})
        self.assertEqual(set(skipped("-t", "float16", "--op", "max").values()), {None})
        for dtype, op in (("int8", "sum"), ("float32", "prod"), ("float32", "max"), ("float8_e4m3", "sum")):
            why = f"NVSwitches cannot compute {op} of {dtype}"
            self.assertEqual(skipped("-t", dtype, "--op", op), {"nvls": why, "sharp": why, "ring": None})
        [record] = self.records("simulate", "nvls", "-p", 8, "-s", "1M", "-c", "all_gather", "-t", "int8", "--network", "dgx_h100:systems=1")
        self.assertIsNone(record["skipped"])
        # Rail switches compute more than NVSwitches do.
        [record] = self.records("simulate", "collnet_chain", "-p", 16, "-s", "1M", "--op", "max", "--network", "dgx_h100:systems=2,sharp=yes")
        self.assertIsNone(record["skipped"])

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
