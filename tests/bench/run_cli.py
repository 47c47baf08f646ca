"""arlab end to end: the machine contract, result files that are cut, killed and resumed, reports and exports."""

import json
import os
import pathlib
import random
import re
import signal
import time
import unittest

import program

SWEEP = ("count", "all", "-p", "2..6+1", "-n", "3,1000")


class Contract(program.ProgramTest):
    """What other programs rely on."""

    def test_every_verb_writes_json_lines_with_all_keys(self):
        for verb, more in (("count", ()), ("verify", ()), ("simulate", ()), ("run", ("--time", "0"))):
            with self.subTest(verb=verb):
                out, err = self.arlab(verb, "all", "-p", "3", "-n", "1000", *more, "--json", "-")
                contexts, records = program.parse(out)
                records, natives = program.split_natives(records)
                self.assertEqual(len(natives), 1 if verb == "run" else 0)
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
                    self.assertEqual(record["kind"], verb)
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
        [record] = self.records("simulate", "ring", "-p", 64, "-s", "1M", "--model", "loggops", "--L", "5us", "--o", "1us",
                                "--g", "0.5us", "--G", "0.08ns", "--O", "0", "--S", "64M", "--gamma", "0")
        step = 1 + 5 + 1 + (16384 - 1) * 0.08e-3  # o, L, the body in the port, o
        self.assertAlmostEqual(record["time_us"]["median"], 126 * step, places=6)
        self.assertEqual((record["model"], record["topology"], record["messages"]), ("loggops", "crossbar", 8064))

    def test_simulate_alpha_beta(self):
        [record] = self.records("simulate", "ring", "-p", 64, "-s", "1M", "--model", "alpha_beta", "--alpha", "5us",
                                "--beta", "0.08ns", "--gamma", "0")
        self.assertAlmostEqual(record["time_us"]["median"], 126 * (5 + 16384 * 0.08e-3), places=6)
        self.assertEqual(record["modelled_us"], record["time_us"]["median"])
        self.assertAlmostEqual(record["algbw_gbps"], 2**20 / record["time_us"]["median"] / 1e3, places=9)
        self.assertAlmostEqual(record["busbw_gbps"], record["algbw_gbps"] * 2 * 63 / 64, places=9)

    def test_run_on_threads(self):
        for dtype, op in (("float32", "sum"), ("float16", "avg"), ("int64", "max"), ("bfloat16", "prod")):
            for record in self.records("run", "all", "-p", "1,4", "-n", "0,3,1003", "--time", "0", "-t", dtype, "--op", op):
                self.check_record(record)
                self.assertEqual((record["wrong"], record["backend"]), (0, "threads"))
                self.assertEqual((record["dtype"], record["op"]), (dtype, op))
                self.assertGreaterEqual(record["time_us"]["n"], 5)

    def test_what_an_algorithm_cannot_do_is_a_record_with_the_reason(self):
        [record] = self.records("run", "butterfly", "-c", "broadcast", "-p", 4, "--time", "0", "-s", "1K")
        self.check_record(record)
        self.assertEqual(record["skipped"], "butterfly has no broadcast form")
        self.assertIsNone(record["time_us"])
        self.assertIsNone(record["wrong"])

    def test_the_same_command_gives_the_same_simulated_bytes(self):
        once, again = (self.records("simulate", "all", "-p", "2..64", "-s", "1K..1M*32") for _ in range(2))
        self.assertEqual(once, again)

    def test_nothing_but_the_table_on_stdout(self):
        out, err = self.arlab(*SWEEP)
        self.assertEqual(err, "")
        self.assertTrue(all(line.startswith("|") for line in out.splitlines()))
        out, err = self.arlab(*SWEEP, "--json", "a.jsonl", "--csv", "a.csv")
        self.assertTrue(all(line.startswith("|") for line in out.splitlines()))
        self.assertEqual(err, "")

    def test_usage_errors_are_2(self):
        for line in ("", "--nothing", "coutn", "count --plan=maybe", "count rign", "count -p 0", "run -p 4 -b mpi --root x",
                     "report", "export all", "list nothing"):
            with self.subTest(line=line):
                self.arlab(*line.split(), code=2)


class Csv(program.ProgramTest):
    def test_csv_holds_what_json_holds(self):
        self.arlab("simulate", "all", "-p", "2,3", "-s", "1K", "--model", "loggops", "--json", "a.jsonl", "--csv", "a.csv")
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
        sweep = ("run", "all", "-p", "2,3", "-s", "1K..64K*4", "--time", "20ms")
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
        self.assertIn(f"{len(before)} of {len(expected)} configurations were there already", err)
        self.assertEqual(program.parse(self.read(path.name))[1][:len(before)], before)
        self.sweep_is_whole(path.name, expected)

    def test_nothing_left_to_do(self):
        self.arlab(*SWEEP, "--json", "a.jsonl")
        before = program.parse(self.read("a.jsonl"))[1]
        out, err = self.arlab(*SWEEP, "--json", "a.jsonl", "--resume")
        self.assertEqual(out, "")
        self.assertIn("60 of 60 configurations were there already", err)
        self.assertEqual(program.parse(self.read("a.jsonl"))[1], before)

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
    """What cannot be written is said, and is exit code 3."""

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

    def test_folders_are_made(self):
        self.arlab("count", "ring", "--json", "a/b/c.jsonl", "--csv", "d/e.csv")
        self.assertEqual(len(program.parse(self.read("a/b/c.jsonl"))[1]), 1)
        self.assertEqual(len(program.rows(self.read("d/e.csv"))), 1)


class Report(program.ProgramTest):
    def data_of(self, page):
        """What the page's script gets, and the text of that script."""
        [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        [text] = re.findall(r"^const data = (.*);$", script, re.MULTILINE)
        return json.loads(text), text

    def test_the_page_holds_all_records(self):
        self.arlab(*SWEEP, "--json", "counts.jsonl")
        self.arlab("simulate", "all", "-s", "1K", "--json", "times.jsonl")
        _, err = self.arlab("report", "counts.jsonl", "times.jsonl", "-o", "out/page.html")
        self.assertEqual(err, "wrote out/page.html (66 records)\n")
        data, _ = self.data_of(self.read("out/page.html"))
        self.assertEqual((len(data["contexts"]), len(data["records"])), (2, 66))
        self.assertEqual(data["files"], ["counts.jsonl", "times.jsonl"])
        self.assertEqual({r["kind"]: r["context"] for r in data["records"]}, {"count": 0, "simulate": 1})
        records = program.parse(self.read("counts.jsonl"))[1]
        self.assertEqual([{k: v for k, v in r.items() if k != "context"} for r in data["records"][:60]], records)

    def test_a_hostile_label_cannot_leave_the_script(self):
        hostile = "</script><script>alert(1)</script><!--"
        record = {"schema": 1, "kind": "run", "algorithm": hostile, "label": hostile, "ranks": 2}
        (self.folder / "a.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
        self.arlab("report", "a.jsonl", "-o", "page.html")
        data, text = self.data_of(self.read("page.html"))
        self.assertNotIn("<", text)
        self.assertEqual(data["records"][0]["label"], hostile)

    def test_a_half_written_file_is_reported_with_a_note(self):
        self.arlab(*SWEEP, "--json", "a.jsonl")
        text = self.read("a.jsonl")
        (self.folder / "a.jsonl").write_text(text[:-100], encoding="utf-8")
        _, err = self.arlab("report", "a.jsonl", "-o", "page.html")
        self.assertEqual(err, "note: the last line of a.jsonl is half-written and left out\nwrote page.html (59 records)\n")
        self.assertEqual(len(self.data_of(self.read("page.html"))[0]["records"]), 59)

    def test_to_stdout(self):
        self.arlab("count", "ring", "--json", "a.jsonl")
        out, err = self.arlab("report", "a.jsonl", "-o", "-")
        self.assertEqual(err, "")
        self.assertEqual(len(self.data_of(out)[0]["records"]), 1)

    def test_results_are_not_overwritten_by_their_page(self):
        self.arlab("count", "ring", "--json", "a.jsonl")
        before = self.read("a.jsonl")
        os.link(self.folder / "a.jsonl", self.folder / "same.jsonl")
        for output in ("a.jsonl", "./a.jsonl", "same.jsonl"):
            self.arlab("report", "a.jsonl", "-o", output, code=2)
        self.assertEqual(self.read("a.jsonl"), before)


class Export(program.ProgramTest):
    def test_schedule(self):
        out, err = self.arlab("export", "ring", "-p", 4, "-n", 10)
        schedule = json.loads(out)
        self.assertEqual(err, "")
        self.assertEqual((schedule["kind"], schedule["algorithm"], schedule["ranks"]), ("schedule", "ring", 4))
        [lane] = schedule["lanes"]
        self.assertEqual([r["rank"] for r in lane["ranks"]], [0, 1, 2, 3])
        sends, receives = [], []
        for rank in lane["ranks"]:
            self.assertEqual(len(rank["rounds"]), 6)
            for step in rank["rounds"]:
                for action in step:
                    ends = (rank["rank"], action["peer"])
                    sends += [ends] if action["action"] == "send" else []
                    receives += [ends[::-1]] if action["action"] != "send" else []
        self.assertEqual(len(sends), 24)
        self.assertEqual(sorted(sends), sorted(receives))

    def test_segments_are_lanes(self):
        schedule = json.loads(self.arlab("export", "tree", "-p", 4, "-n", 10, "--segments", 3)[0])
        self.assertEqual([(lane["offset"], lane["elements"]) for lane in schedule["lanes"]], [(0, 4), (4, 3), (7, 3)])

    def trace(self, algorithm, *model):
        line = (algorithm, "-p", 5, "-s", "64K", *model)
        trace = json.loads(self.arlab("export", *line, "--format", "perfetto")[0])
        [record] = self.records("simulate", *line)
        return trace, record

    def test_perfetto_agrees_with_the_simulation(self):
        for algorithm in ("ring", "tree", "butterfly", "all_to_all", "round_robin", "master_worker"):
            for model in ((), ("--model", "loggops"), ("--model", "loggops", "--S", "1K")):
                with self.subTest(algorithm=algorithm, model=model):
                    trace, record = self.trace(algorithm, *model)
                    self.consistent(trace["traceEvents"], record)
                    self.assertEqual(trace["otherData"]["machine"], record["machine"])

    def consistent(self, events, record):
        spans = [e for e in events if e["ph"] == "X"]
        names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertEqual({pid for pid, tid in names if tid is None}, set(range(5)))
        sends = [e for e in spans if names[e["pid"], e["tid"]] == "send"]
        self.assertEqual(len(sends), record["messages"])
        self.assertEqual(sum(e["args"]["bytes"] for e in sends), record["bytes_sent"])
        for span in spans:
            self.assertGreaterEqual(span["ts"], 0)
            self.assertGreaterEqual(span["dur"], 0)
            self.assertLessEqual(span["args"]["round"], record["rounds"])
        self.assertAlmostEqual(max(e["ts"] + e["dur"] for e in spans), record["time_us"]["median"], places=6)
        starts = {e["id"]: e for e in events if e["ph"] == "s"}
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual(len(starts), record["messages"])
        self.assertEqual(starts.keys(), ends.keys())
        for message, start in starts.items():
            self.assertLessEqual(start["ts"], ends[message]["ts"])
            self.assertNotEqual(start["pid"], ends[message]["pid"])

    def test_to_a_file(self):
        _, err = self.arlab("export", "ring", "-f", "perfetto", "-o", "trace.json")
        self.assertEqual(err, "wrote trace.json (open it in ui.perfetto.dev)\n")
        self.assertIn("traceEvents", json.loads(self.read("trace.json")))


if __name__ == "__main__":
    if not pathlib.Path(program.ARLAB).exists():
        raise SystemExit("set ARLAB to the program to test")
    unittest.main()
