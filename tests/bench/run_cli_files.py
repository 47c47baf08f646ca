"""Files of arlab: results that are cut, killed, resumed, kept, and on full disks; networks of other programs."""

import json
import os
import pathlib
import random
import re
import signal
import threading
import time
import unittest

import program

SWEEP = ("count", program.SIX, "-p", "2..6+1", "-n", "3,1000")


class Networks(program.ProgramTest):
    def test_networks_of_other_programs_take_the_times_that_their_numbers_say(self):
        files = pathlib.Path(__file__).resolve().parent / "formats" / "topologies" / "files"

        def microseconds(algorithm, ranks, size, network):
            out, _ = self.arlab("simulate", algorithm, "-p", ranks, "-s", size, "--network", f"fluid:topology={network}", "--json", "-")
            return json.loads(out.splitlines()[-1])["modelled_us"]

        # 14 steps: two links of 936.25 ns, and an eighth of the vector at 400 GiB/s.
        self.assertAlmostEqual(microseconds("ring", "8", "64M", files / "astra_h100.yml"), 14 * (2 * 0.93625 + 2**23 / (400 * 2**30) * 1e6), delta=0.01)
        # 30 steps: 50 + 500 + 50 us, and a sixteenth at 125 MB/s, which the backbone of 2.25 GB/s carries of all 16.
        self.assertAlmostEqual(microseconds("ring", "16", "1M", files / "simgrid_cluster.xml"), 30 * (600 + 2**16 / 125), delta=0.1)
        # Three links of 10 ms that both directions share: twice the vector at 100 MB/s.
        self.assertAlmostEqual(microseconds("butterfly", "2", "100000000", f"file:{files}/simgrid_dogbone.xml"), 30e3 + 2e8 / 100, delta=1)


class Resume(program.ProgramTest):
    def sweep_is_whole(self, name, expected):
        _, records = program.parse(self.read(name))
        self.assertEqual(len(records), len(expected))
        self.assertEqual({program.identity(r) for r in records}, expected)

    def test_cut_at_any_byte(self):
        self.arlab(*SWEEP, "--json", "whole.jsonl")
        whole = (self.folder / "whole.jsonl").read_bytes()
        contexts, records = program.parse(whole.decode())
        self.assertEqual((len(contexts), len(records)), (1, 60))
        expected = {program.identity(r) for r in records}
        seed = random.randrange(2**32)
        places = random.Random(seed)
        for cut in [0, 1, len(whole) - 1, len(whole)] + [places.randrange(len(whole)) for _ in range(8)]:
            with self.subTest(seed=seed, cut=cut):
                (self.folder / "cut.jsonl").write_bytes(whole[:cut])
                self.arlab(*SWEEP, "--json", "cut.jsonl", "--resume")
                self.sweep_is_whole("cut.jsonl", expected)

    def test_killed_while_it_sweeps(self):
        sweep = ("run", program.SIX, "-p", "2,3", "-s", "1K..64K*4", "--time", "20ms")
        self.arlab(*sweep, "--json", "whole.jsonl")
        expected = {program.identity(r) for r in program.parse(self.read("whole.jsonl"))[1]}
        path = self.folder / "killed.jsonl"
        with self.start(*sweep, "--json", path.name) as process:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (path.exists() and path.read_bytes().count(b"\n") > 7):
                time.sleep(0.005)
            process.kill()
            process.communicate()
        before = program.parse(self.read(path.name))[1]
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertGreater(len(before), 0)
        self.assertLess(len(before), len(expected))
        _, err = self.arlab(*sweep, "--json", path.name, "--resume")
        again = len(before) % 7  # of a problem that was not written whole: six algorithms, and the library
        if len(before) > again:
            self.assertIn(f"the file already held {len(before) - again} of {len(expected)} configurations", err)
        after = program.parse(self.read(path.name))[1]
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(len(after), len(expected) + again)
        self.assertEqual({program.identity(r) for r in after}, expected)

    def test_competitors_that_one_command_did_not_measure_together_are_measured_again(self):
        def fastest_of(records):
            self.assertEqual([r["rank_sum_p"] is None for r in records].count(True), 1, records)
            return min(records, key=lambda r: r["time_us"]["median"])

        run = ("run", "-p", "2", "-s", "1K", "--runs", "50", "-b", "threads", "--json", "a.jsonl")
        self.arlab(*run, "ring")
        out, err = self.arlab(*run, "ring,tree,butterfly", "--resume")
        self.assertIn("note: 2 configurations in the file, and measured again", err)
        records = program.parse(self.read("a.jsonl"))[1]
        self.assertEqual(len(records), 2 + 4)
        self.assertIsNone(fastest_of(records[2:])["rank_sum_p"])
        self.assertEqual(len(program.columns(out, "algorithm")), 4)
        self.assertEqual(len({r["library"] for r in records[2:]}), 1)
        _, err = self.arlab(*run, "ring,tree,butterfly", "--resume")  # also as parts of what was measured together
        self.assertIn("already held 4 of 4", err)
        whole = self.read("a.jsonl").splitlines(keepends=True)
        self.arlab(*run, "ring,tree", "--resume")
        self.assertEqual(len(program.parse(self.read("a.jsonl"))[1]), 6)
        (self.folder / "a.jsonl").write_text("".join(whole[3:5]), encoding="utf-8")  # half-written: a context and one of four
        self.arlab(*run, "ring,tree,butterfly", "--resume")
        records = program.parse(self.read("a.jsonl"))[1]
        self.assertEqual(len(records), 1 + 4)
        self.assertIsNone(fastest_of(records[1:])["rank_sum_p"])
        self.arlab("report", "a.jsonl", "-o", "page.html")
        [answer] = json.loads(re.search(r'"answers":(\[.*?\}\])', self.read("page.html"))[1])
        self.assertEqual(len([s for s in answer["sentences"] if s.startswith("Verdict")]), 1, answer)

    def test_what_a_lack_of_memory_skips_is_written_once(self):
        for _ in range(2):
            self.arlab("run", "ring", "-p", "4", "-s", "4T", "-b", "threads", "--json", "a.jsonl", "--resume")
        records = program.parse(self.read("a.jsonl"))[1]
        self.assertEqual(["are free" in r["skipped"] for r in records], len(records) * [True])
        self.assertEqual(len(records), len({program.identity(r) for r in records}))

    def test_nothing_left_to_do(self):
        self.arlab(*SWEEP, "--json", "a.jsonl")
        before = program.parse(self.read("a.jsonl"))[1]
        out, err = self.arlab(*SWEEP, "--json", "a.jsonl", "--resume")
        self.assertNotIn("|", out)
        self.assertTrue(out.startswith("60 configurations, claimed = counted in all"), out)  # of what the file holds
        self.assertIn("the file already held 60 of 60 configurations", err)
        self.assertEqual(program.parse(self.read("a.jsonl"))[1], before)

    def test_nothing_left_to_do_leaves_the_table_as_it_is(self):
        sweep = ("simulate", "ring,tree", "-p", "2,4", "-s", "4,1K", "--json", "a.jsonl", "--sort", "time", "-o", "table.txt")
        self.arlab(*sweep)
        table = self.read("table.txt")
        self.arlab(*sweep, "--resume")
        self.assertEqual(self.read("table.txt"), table)

    def test_wrong_results_of_before_are_still_wrong(self):
        sweep = ("verify", "ring", "-p", "2..4", "--json", "a.jsonl")
        self.arlab(*sweep)
        (self.folder / "a.jsonl").write_text(self.read("a.jsonl").replace('"wrong":0', '"wrong":1', 1), encoding="utf-8")
        _, err = self.arlab(*sweep, "--resume", code=1)
        self.assertIn("1 of 2 configurations gave wrong results", err)

    def test_other_trees_and_late_ranks_are_other_configurations(self):
        for trees, trees_held in (("ring:hosts=8", 0), ("rail_pod:nodes=2", 0), ("ring:hosts=8", 1)):
            _, err = self.arlab("verify", "forest", "-p", "8", "--layout", f"trees={trees}", "--json", "a.jsonl", "--resume")
            self.assertEqual("already held" in err, bool(trees_held))
        self.assertEqual([r["trees"] for r in program.parse(self.read("a.jsonl"))[1]], ["ring:hosts=8", "rail_pod:nodes=2"])
        for late in ((), ("--start", "late=1:2ms")):
            self.arlab("run", "ring", "-p", "2", "-s", "1K", "--runs", "6", "--json", "r.jsonl", "--resume", *late)
        disturbed = [r["disturbance"] for r in program.parse(self.read("r.jsonl"))[1]]
        self.assertEqual(disturbed, [None, None, "late=1:2000us", "late=1:2000us"])

    def test_records_come_through_a_pipe(self):
        self.arlab("simulate", "ring", "-p", "4", "-s", "1K", "--json", "a.jsonl")
        os.mkfifo(self.folder / "pipe")
        for command in (("report", "pipe", "-o", "page.html"), ("compare", "a.jsonl", "pipe")):
            writer = threading.Thread(target=(self.folder / "pipe").write_bytes, args=((self.folder / "a.jsonl").read_bytes(),))
            writer.start()
            self.arlab(*command)
            writer.join()

    def test_skipped_once_is_not_written_twice(self):
        sweep = ("count", "ring", "-c", "broadcast", "-p", "4", "--json", "a.jsonl", "--resume")
        for _ in range(2):
            self.arlab(*sweep)
        self.assertEqual(len(program.parse(self.read("a.jsonl"))[1]), 1)

    def test_a_damaged_file_is_left_as_it_is(self):
        damaged = '{"schema":1,"kind":"context"}\n{"schema":1,"kind":"cou\n{"schema":1,"kind":"count"}\n'
        (self.folder / "a.jsonl").write_text(damaged, encoding="utf-8")
        _, err = self.arlab(*SWEEP, "--json", "a.jsonl", "--resume", code=2)
        self.assertIn("a.jsonl:2:", err)
        self.assertEqual(self.read("a.jsonl"), damaged)


class Files(program.ProgramTest):
    """Files that cannot be written are errors with exit code 3."""

    def test_no_such_place(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        for option in ("--json", "--csv"):
            _, err = self.arlab("count", "ring", option, "file/below", code=3)
            self.assertEqual(err, "error: cannot write file/below (Not a directory): name a file that can be written\n")
        _, err = self.arlab("export", "ring", "-o", "file/below", code=3)
        self.assertIn("cannot write file/below (Not a directory)", err)

    @unittest.skipUnless(os.path.exists("/dev/full"), "the system has no /dev/full")
    def test_full_disk(self):
        for option in ("--json", "--csv"):
            _, err = self.arlab("count", "ring", option, "/dev/full", code=3)
            self.assertEqual(err, "error: cannot write /dev/full (No space left on device): make room or write "
                                  "somewhere else\n")

    def test_an_output_that_is_also_the_input_is_refused(self):
        self.arlab("export", "ring", "-p", "3", "-f", "goal", "-o", "ring.goal")
        trace = self.read("ring.goal")
        _, err = self.arlab("simulate", "file:ring.goal", "-o", "./ring.goal", code=2)
        self.assertEqual(err, "error: -o ./ring.goal is also an input, which it would replace: name another file to write\n")
        self.assertEqual(self.read("ring.goal"), trace)

    def test_a_place_that_cannot_be_written_is_found_first(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        for command in (("plan", "-m", "profile:vgg16"), ("plan", "--breakdown", "-m", "profile:vgg16"), ("replay", "-b", "threads"), ("bound", "ring:hosts=4")):
            out, err = self.arlab(*command, "--json", "file/below", code=3)
            self.assertEqual((out, err), ("", "error: cannot write file/below (Not a directory): name a file that can be written\n"))

    def test_a_trace_and_records_have_a_file_each(self):
        plan = ("plan", "-m", "profile:vgg16", "--gpus", "4")
        for line in (plan, ("train", "-w", "1", "--data", "samples=64", "--steps", "1")):
            with self.subTest(line=line):
                if line != plan and not program.TRAINS:
                    self.skipTest("built without LibTorch")
                _, err = self.arlab(*line, "--trace", "same", "--json", "./same", code=2)
                self.assertIn("--trace and --json are both ./same: name a file for each", err)
                _, err = self.arlab(*line, "--trace", "-", "--json", "-", code=2)
                self.assertIn("--trace - and --json - would both write to stdout: name a file for one", err)
        out, _ = self.arlab(*plan, "--trace", "-")
        self.assertIn("traceEvents", json.loads(out))

    def test_records_are_never_replaced(self):
        self.arlab("count", "ring", "-p", "4", "--json", "r.jsonl")
        self.arlab("export", "ring", "-p", "3", "-f", "goal", "-o", "r.goal")
        self.arlab("run", "ring", "-p", "2", "-s", "1K", "--runs", "8", "-b", "threads", "--json", "m.jsonl")
        before = self.read("r.jsonl")
        for line in ("tune ring,tree -p 4 -s 1K --network alpha_beta -o", "simulate native -p 16 -s 1K --network nccl:gpu=h100 -o", "simulate file:r.goal -o",
                     "replay -m profile:vgg16 -b virtual -w 2 --network 1G --tune", "compare m.jsonl m.jsonl -o"):
            with self.subTest(line=line):
                (self.folder / "records.out").write_text(before, encoding="utf-8")
                _, err = self.arlab(*line.split(), "records.out", code=2)
                self.assertIn("records.out holds records, which would be lost: name another file", err)
                self.assertEqual(self.read("records.out"), before)
        _, err = self.arlab("show", "ring", "-p", "4", "--json", "r.jsonl")
        self.assertIn("kept the earlier r.jsonl as r.jsonl.1", err)
        self.assertEqual(self.read("r.jsonl.1"), before)

    def test_what_is_wrong_with_outputs_is_found_before_measuring(self):
        long = ("run", "ring", "-p", "2", "-s", "1K", "--time", "300s", "-b", "threads")
        for words in (("--sort", "tme"), ("--columns", "time,nosuch"), ("--sort", "tme", "--launches", "2")):
            _, err = self.arlab(*long, *words, "--json", "a.jsonl", code=2)
            self.assertIn(f"{words[0]} names '{words[1].split(',')[-1]}', which is not a column", err)
            self.assertFalse((self.folder / "a.jsonl").exists())
        self.arlab("simulate", "ring", "-p", "4", "--sort", "tme", code=2)
        out, _ = self.arlab("simulate", "ring", "-p", "4", "-s", "1K", "--sort", "dtype")  # which is the usual one in all rows
        self.assertEqual(program.columns(out, "dtype"), [("float32",)])
        _, err = self.arlab("tune", "ring", "-b", "threads", "--runs", "100000", "-o", "/proc/none/x", code=3)
        self.assertIn("cannot write /proc/none/x", err)

    def test_a_link_to_a_file_that_is_to_come_is_that_file(self):
        (self.folder / "y.out").symlink_to("x.out")
        _, err = self.arlab("count", "ring", "-p", "4", "--json", "x.out", "--csv", "y.out", code=2)
        self.assertIn("--json and --csv are both y.out: name a file for each", err)

    def test_folders_are_made(self):
        self.arlab("count", "ring", "--json", "a/b/c.jsonl", "--csv", "d/e.csv")
        self.assertEqual(len(program.parse(self.read("a/b/c.jsonl"))[1]), 1)
        self.assertEqual(len(program.rows(self.read("d/e.csv"))), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
