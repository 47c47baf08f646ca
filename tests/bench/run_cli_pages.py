"""What arlab makes of records and programs: report pages, schedules, traces."""

import json
import os
import re
import unittest

import program

SWEEP = ("count", program.SIX, "-p", "2..6+1", "-n", "3,1000")


class Report(program.ProgramTest):
    def data_of(self, page):
        """What the page's script gets, and the text of that script."""
        [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        [text] = re.findall(r"^const data = (.*);$", script, re.MULTILINE)
        return json.loads(text), text

    def test_the_page_holds_all_records(self):
        self.arlab(*SWEEP, "--json", "counts.jsonl")
        self.arlab("simulate", program.SIX, "-s", "1K", "--json", "times.jsonl")
        _, err = self.arlab("report", "counts.jsonl", "times.jsonl", "-o", "out/page.html")
        self.assertEqual(err, "note: made the folder out\nwrote out/page.html (66 records)\n")
        data, _ = self.data_of(self.read("out/page.html"))
        self.assertEqual((len(data["contexts"]), len(data["records"])), (2, 66))
        self.assertEqual(data["files"], ["counts.jsonl", "times.jsonl"])
        self.assertEqual({r["kind"]: r["context"] for r in data["records"]}, {"count": 0, "simulate": 1})
        records = program.parse(self.read("counts.jsonl"))[1]
        self.assertEqual([{k: v for k, v in r.items() if k != "context"} for r in data["records"][:60]], records)

    def test_a_hostile_label_cannot_leave_the_script(self):
        hostile = "</script><script>alert(1)</script><!--"
        record = {**self.records("count", "ring", "-p", 2)[0], "algorithm": hostile, "label": hostile}
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
        self.assertEqual(err, "note: the last line of a.jsonl is incomplete and left out\nwrote page.html (59 records)\n")
        self.assertEqual(len(self.data_of(self.read("page.html"))[0]["records"]), 59)
        self.arlab("simulate", "ring", "-p", "4", "-s", "1K,2K", "--json", "b.jsonl")
        (self.folder / "b.jsonl").write_text(self.read("b.jsonl")[:-100], encoding="utf-8")
        self.assertIn("note: the last line of b.jsonl is incomplete and left out\n", self.arlab("report", "b.jsonl", "-o", "b.prom")[1])

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
        program.validate(schedule)
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
            for model in ((), ("--network", "loggops"), ("--network", "loggops:S=1K")):
                with self.subTest(algorithm=algorithm, model=model):
                    trace, record = self.trace(algorithm, *model)
                    self.consistent(trace["traceEvents"], record)
                    self.assertEqual(trace["otherData"]["machine"], record["machine"])

    def consistent(self, events, record):
        spans = [e for e in events if e["ph"] == "X" and e["pid"] < 5]  # then comes the critical path
        names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertEqual({pid for pid, tid in names if tid is None}, set(range(6)))
        self.assertEqual(names[5, None], "critical path")
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
    unittest.main(verbosity=2)
