"""What becomes of records over time: `arlab compare` with many files, hunts after hunts, weighted shares, and Prometheus."""

import copy
import datetime
import json
import os
import pathlib
import random
import re
import signal
import unittest

import program

DASHBOARD = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guides" / "grafana.json"
SLOW = "leaf_spine:leaves=4,hosts=4,slow=h3--leaf0:2"

# The text format of Prometheus, version 0.0.4, as its documentation describes it.
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
NUMBER = r"(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]Inf|NaN)"
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ({NUMBER})")
HELP = re.compile(rf"# HELP ({NAME}) (?:[^\\\n]|\\\\|\\n)*")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge|histogram|summary|untyped)")


def parse_exposition(text):
    """metric -> {labels: value}; raises AssertionError for what the format does not allow."""
    assert text.endswith("\n"), "the last line has no end"
    metrics, helped, typed, current = {}, set(), set(), None
    for line in text.splitlines():
        if found := HELP.fullmatch(line):
            assert found[1] not in helped, f"two HELP lines of {found[1]}"
            helped.add(found[1])
            current = found[1]
        elif found := TYPE.fullmatch(line):
            assert found[1] not in typed and found[1] not in metrics, f"TYPE of {found[1]} is late or double"
            typed.add(found[1])
            current = found[1]
        else:
            found = SAMPLE.fullmatch(line)
            assert found, f"not a line of the format: {line}"
            assert found[1] == current, f"samples of {found[1]} are not together"
            labels = found[2] or ""
            names = re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="', labels)
            assert len(names) == len(set(names)), f"a label twice: {line}"
            assert labels not in metrics.setdefault(found[1], {}), f"the same sample twice: {line}"
            metrics[found[1]][labels] = float(found[3])
    return metrics


class History(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.arlab("run", "ring,tree", "-p", "2", "-n", "64,256", "--runs", "20", "--json", "template.jsonl")
        self.template = [json.loads(line) for line in self.read("template.jsonl").splitlines()]

    def write(self, name, date, factor=1.0, host="n1", commit=None):
        """The template at a date, with times that differ by 1% and by a factor."""
        lines = []
        noise = random.Random(name)
        for line in copy.deepcopy(self.template):
            if line["kind"] == "context":
                line.update(date=date, host=host, commit=commit or line["commit"])
            elif line.get("time_us"):
                time = line["time_us"]
                middle = 100 * factor * noise.uniform(0.99, 1.01)
                time.update(median=middle, min=middle * 0.98, p99=middle * 1.05, ci95=[middle * 0.995, middle * 1.005])
            lines.append(json.dumps(line) + "\n")
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")

    def weeks(self, step=1.0, host="n1"):
        for week in range(1, 9):
            day = datetime.date(2026, 1, 1) + datetime.timedelta(weeks=week)
            self.write(f"weeks/{host}-week{week}.jsonl", f"{day}T04:00:00Z", step if week >= 6 else 1.0, host,
                       "abc" if week < 6 else "def")

    def test_a_step_is_found_in_its_week(self):
        self.weeks(1.15)
        out, err = self.arlab("compare", "weeks", code=1)
        self.assertIn("n1-week6.jsonl", out)
        self.assertRegex(out, r"6 of 6 configurations slower by more than 5% since n1-week6.jsonl \(2026-02-12\), most .* 1\.1\d times")
        self.assertIn("differ in commit: abc, def from n1-week6.jsonl on", out)
        self.assertIn("of 6 configurations in 8 files, 6 slower by more than 5%, 0 wrong", err)
        shuffled = [f"weeks/n1-week{week}.jsonl" for week in (3, 8, 1, 6, 2, 7, 5, 4)]
        again, _ = self.arlab("compare", *shuffled, code=1)
        self.assertEqual(out, again)
        self.arlab("compare", "weeks", "--threshold", "30%")

    def test_without_a_step_nothing_changed(self):
        self.weeks()
        out, err = self.arlab("compare", "weeks")
        self.assertIn("None of 6 configurations is slower by more than 5% for certain.", out)
        self.assertEqual(err, "")

    def test_hosts_are_told_apart(self):
        self.weeks(1.15)
        self.weeks(1.0, "n2")
        out, _ = self.arlab("compare", "weeks", code=1)
        self.assertIn("The files are of 2 hosts, n1, n2: each host is compared with itself.", out)
        slower = [line for line in out.splitlines() if line.endswith("| slower  |")]
        self.assertEqual(len(slower), 7)  # 6, and all together
        self.assertFalse([line for line in slower if " n2 " in line])

    def test_records_as_json_and_csv(self):
        self.weeks(1.15)
        out, _ = self.arlab("compare", "weeks", "-o", "changes.jsonl", code=1)
        self.assertNotIn("| ", out)
        _, records = program.parse(self.read("changes.jsonl"))
        self.assertEqual({r["since"] for r in records}, {"weeks/n1-week6.jsonl"})
        self.assertEqual({r["verdict"] for r in records}, {"slower"})
        self.assertEqual([r["configurations"] for r in records], [6, 1, 1, 1, 1, 1, 1])
        self.arlab("compare", "weeks", "-o", "changes.csv", code=1)
        rows = program.rows(self.read("changes.csv"))
        self.assertEqual([row["since"] for row in rows], [r["since"] for r in records])
        self.assertEqual(len(json.loads(rows[0]["times_us"])), 8)
        _, err = self.arlab("compare", "weeks", "changes.jsonl", "weeks/n1-week1.jsonl", code=1)
        self.assertIn("changes.jsonl has no times", err)

    def test_each_row_names_its_configuration(self):
        run = ("run", "ring", "-p", "2", "-s", "1K", "--runs", "6", "--buffers", "both", "--mode", "both:cache=both")
        for name in ("a", "b"):
            self.arlab(*run, "--json", f"{name}.jsonl")
        for files, output in ((("a.jsonl", "b.jsonl"), "two.csv"), (("a.jsonl", "b.jsonl", "a.jsonl"), "three.csv")):
            self.arlab("compare", *files, "--threshold", "100000%", "-o", output)
            rows = [row for row in program.rows(self.read(output)) if row["configurations"] == "1"]
            keys = [(row["algorithm"], row["place"], row["mode"], row["repeats"], row["cache"], row["start"], row["root"]) for row in rows]
            self.assertEqual(set(keys), {(name, place, mode, repeats, cache, "barrier", "0") for name in {row["algorithm"] for row in rows} for place in ("in", "out")
                                         for mode, repeats in (("alone", "1"), ("streaming", "20")) for cache in ("warm", "cold")})
            self.assertEqual((len(rows), len(set(keys))), (16, 16))

    def test_groups_are_a_column_where_they_differ(self):
        for name in ("a", "b"):
            for groups in (2, 4):
                self.arlab("simulate", "hierarchical", "-p", "8", "-s", "1K", "--layout", f"groups={groups}", "--json", f"{name}.jsonl", "--resume")
        out, _ = self.arlab("compare", "a.jsonl", "b.jsonl")
        self.assertRegex(out, r"(?m)^\| algorithm +\| ranks \| +size \| groups \| +old")

    def test_two_files_as_records_with_their_origins(self):
        self.weeks(1.15)
        self.write("other.jsonl", "2026-03-01T04:00:00Z", 1.0, "n2")
        words = ("compare", "weeks/n1-week1.jsonl", "weeks/n1-week8.jsonl")
        out, _ = self.arlab(*words, code=1)
        head = out.split("\n\n", maxsplit=1)[0]
        for text in ("n1-week1.jsonl", "2026-01-08T04:00:00Z", "| host", "| CPU", "| commit", "| abc", "| def"):
            self.assertIn(text, head)
        self.assertIn("The files differ in commit abc and def.", out)
        out, _ = self.arlab(*words, "-o", "two.jsonl", code=1)
        self.assertNotIn("| ", out)
        _, records = program.parse(self.read("two.jsonl"))
        self.assertEqual([r["verdict"] for r in records], ["slower"] * 6)
        for record in records:
            self.assertEqual(record["files"], list(words[1:]))
            self.assertAlmostEqual(record["ratio"], record["times_us"][1] / record["times_us"][0])
            self.assertEqual(record["since"], words[2])
        self.arlab(*words, "-o", "two.csv", code=1)
        self.assertEqual([row["verdict"] for row in program.rows(self.read("two.csv"))], ["slower"] * 6)
        out, _ = self.arlab("compare", "weeks/n1-week1.jsonl", "other.jsonl")
        self.assertIn("The files differ in host n1 and n2", out)

    def test_a_baseline_is_what_others_are_compared_with(self):
        self.weeks(1.15)
        out, err = self.arlab("compare", "weeks", "--baseline", "n1-week2", code=1)
        rows = {row[1]: row for row in (re.split(r" *\| *", line) for line in out.splitlines()) if len(row) == 8 and row[1].startswith("n1-")}
        self.assertEqual([rows[f"n1-week{week}.jsonl"][3] for week in (1, 3, 4, 5, 6, 7, 8)], ["0"] * 4 + ["6"] * 3)
        self.assertIn("The latest, weeks/n1-week8.jsonl, beside weeks/n1-week2.jsonl:", out)
        self.assertIn("6 slower by more than 5%", err)
        out, _ = self.arlab("compare", "weeks", "--baseline", "weeks/n1-week7.jsonl", "-o", "changes.jsonl")
        _, records = program.parse(self.read("changes.jsonl"))
        self.assertEqual([r["verdict"] for r in records], ["faster"] * 30 + ["same"] * 12)
        self.assertEqual({r["files"][0] for r in records}, {"weeks/n1-week7.jsonl"})
        self.write("weeks/release.jsonl", "2026-01-02T04:00:00Z", 1.0, commit="0123456789")
        self.arlab("compare", "weeks", "--baseline", "01234567", code=1)
        for name, said in (("week", "none of the files"), ("abc", "none of the files")):
            _, err = self.arlab("compare", "weeks", f"--baseline={name}", code=2)
            self.assertIn(said, err)
        (self.folder / "weeks" / "again").mkdir()
        self.write("weeks/again/release.jsonl", "2026-01-03T04:00:00Z")
        _, err = self.arlab("compare", "weeks", "--baseline", "release", code=2)
        self.assertIn("several of the files", err)
        _, err = self.arlab("compare", "template.jsonl", "--baseline", "template", code=2)
        self.assertIn("needs two files", err)
        _, err = self.arlab("compare", "template.jsonl", "--expect", "h100x8", "--baseline", "template", code=2)
        self.assertIn("--expect judges one file", err)

    def test_odd_files(self):
        self.weeks()
        (self.folder / "empty").mkdir()
        _, err = self.arlab("compare", "empty", code=2)
        self.assertIn("no times in the folder empty", err)
        _, err = self.arlab("compare", "weeks", "missing.jsonl", "template.jsonl", code=3)
        self.assertIn("missing.jsonl", err)
        (self.folder / "bad.jsonl").write_text('{"kind": "run"}\n', encoding="utf-8")
        _, err = self.arlab("compare", "bad.jsonl", "template.jsonl", "template.jsonl", code=2)
        self.assertIn("bad.jsonl", err)
        (self.folder / "weeks" / "readme.txt").write_text("hello\n", encoding="utf-8")
        _, err = self.arlab("compare", "weeks")
        self.assertIn("weeks/readme.txt: no times: left out", err)
        for name in ("one", "two", "three"):
            self.arlab("count", "ring", "-p", "2", "-n", "4", "--json", f"{name}.jsonl")
        _, err = self.arlab("compare", "one.jsonl", "two.jsonl", "three.jsonl", code=2)
        self.assertIn("no configuration", err)
        (self.folder / "single").mkdir()
        (self.folder / "single" / "a.jsonl").write_text(self.read("template.jsonl"), encoding="utf-8")
        _, err = self.arlab("compare", "single", code=2)
        self.assertIn("no measured time beside a prediction", err)


class Loop(program.ProgramTest):
    def test_a_hunt_gives_weighted_its_rates(self):
        out, _ = self.arlab("hunt", "-p", "16", "--network", SLOW, "--json", "hunt.jsonl", code=1)
        self.assertIn("weighted:record=hunt.jsonl", out)
        ring, weighted = self.records("simulate", "ring,weighted:record=hunt.jsonl", "-p", "16", "-s", "64M", "--network", SLOW)
        self.assertEqual(weighted["algorithm"], "weighted:rates=2x2x2x1x2")
        self.assertLess(weighted["modelled_us"], 0.7 * ring["modelled_us"])
        [named] = self.records("simulate", "weighted", "-p", "16", "-s", "64M", "--network", SLOW)
        self.assertEqual(named["modelled_us"], weighted["modelled_us"])
        self.arlab("verify", "weighted:record=hunt.jsonl", "-p", "16")
        out, _ = self.arlab("count", "weighted:record=hunt.jsonl", "-p", "8", "-n", "1000")
        self.assertIn("is of 16 ranks, not 8", out)
        _, err = self.arlab("verify", "weighted:record=missing.jsonl", "-p", "16", code=3)
        self.assertIn("missing.jsonl", err)
        self.arlab("tune", "ring,weighted:record=hunt.jsonl", "-p", "16", "-s", "64M", "--network", SLOW, "--table", "table.conf")
        self.assertIn("weighted:rates=2x2x2x1x2", self.read("table.conf"))

    def test_a_hunt_says_what_changed(self):
        healthy = SLOW[:SLOW.index(",slow")]
        self.arlab("hunt", "-p", "16", "--network", healthy, "--json", "old.jsonl")
        out, _ = self.arlab("hunt", "old.jsonl", "-p", "16", "--network", SLOW, "--json", "new.jsonl", code=1)
        self.assertRegex(out, r"\| rank 3 \(h3\) +\| port +\| bandwidth \| usual +\| 2\.00x")
        self.assertIn("Slow since then: 1; no longer: 0; as before: 0.", out)
        _, [record] = program.parse(self.read("new.jsonl"))
        self.assertEqual(record["against"]["file"], "old.jsonl")
        out, _ = self.arlab("hunt", "new.jsonl", "-p", "16", "--network", healthy)
        self.assertIn("no longer: 1", out)
        out, _ = self.arlab("hunt", "old.jsonl", "-p", "16", "--network", healthy + ",bandwidth=50Gbps", code=1)
        self.assertIn("The large message of all ranks takes 2.00 times as long as then.", out)
        _, err = self.arlab("hunt", "missing.jsonl", "-p", "16", "--network", healthy, code=3)
        self.assertIn("missing.jsonl", err)

    def test_a_watch_has_a_line_and_a_record_for_each_round(self):
        out, _ = self.arlab("hunt", "-p", "16", "--network", SLOW, "--watch", "0:rounds=3", "--json", "watch.jsonl", code=1)
        lines = out.splitlines()
        self.assertEqual(lines[:3], [f"round {k}: slow: port rank 3 (h3) by bandwidth 2.00x" for k in (1, 2, 3)])
        self.assertEqual(lines[3:], ["3 rounds: 3 found something slow, 0 nothing, 0 could not tell",
                                     "rank 3 (h3) by bandwidth: slow in 3 of 3 rounds"])
        contexts, records = program.parse(self.read("watch.jsonl"))
        self.assertEqual([len(contexts), len(records)], [3, 3])
        healthy = SLOW[:SLOW.index(",slow")]
        out, _ = self.arlab("hunt", "watch.jsonl", "-p", "16", "--network", healthy, "--watch", "0:rounds=1")
        self.assertEqual(out.splitlines()[0], "round 1: nothing is slow")
        out, _ = self.arlab("hunt", "watch.jsonl", "-p", "16", "--network", healthy + ",bandwidth=50Gbps", "--watch", "0:rounds=2", code=1)
        self.assertEqual(out.count("; all ranks are slower than in the earlier hunt"), 2)
        out, _ = self.arlab("hunt", "-p", "3", "--network", "10G", "--watch", "0:rounds=1", "--json", "-")
        self.assertEqual(len(program.parse(out)[1]), 1)
        for text, said in (("0:rounds=0", "rounds"), ("soon", "soon"), ("0:often=3", "often"), ("3000000s", "30 days")):
            _, err = self.arlab("hunt", "-p", "4", "--network", "10G", "--watch", text, code=2)
            self.assertIn(said, err)

    def test_random_delays_differ_from_round_to_round(self):
        self.arlab("hunt", "-p", "8", "--network", "fluid:topology=crossbar", "--disturb", "jitter=1ns", "--watch", "0:rounds=2", "--json", "w.jsonl")
        _, (one, two) = program.parse(self.read("w.jsonl"))
        self.assertNotEqual(one["pairs"], two["pairs"])
        self.assertIn("seed=2", two["disturbance"])

    def test_a_watch_that_is_interrupted_ends_with_whole_records(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.start("hunt", "-p", "2", "--watch", "600s", "--json", "watch.jsonl") as process:
                line = process.stdout.readline()
                process.send_signal(number)
                rest, err = process.communicate(timeout=120)
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ round 1: too few ranks")
            self.assertEqual(rest, "1 round: 0 found something slow, 0 nothing, 1 could not tell\n")
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(len(program.parse(self.read("watch.jsonl"))[1]), 1)

    def test_a_watch_leaves_an_ignored_signal_ignored(self):
        with self.start("hunt", "-p", "2", "--watch", "1s:rounds=2", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, err = process.communicate(timeout=120)
        self.assertIn("2 rounds: ", rest, err)

    @unittest.skipUnless(os.path.exists("/dev/full"), "the system has no /dev/full")
    def test_a_hunt_prints_what_the_disk_cannot_take(self):
        out, err = self.arlab("hunt", "-p", "16", "--network", SLOW, "--json", "/dev/full", code=3)
        self.assertIn("is slow", out)
        self.assertIn("cannot write /dev/full (No space left on device)", err)

    def test_metrics_are_in_the_text_format(self):
        self.arlab("run", "ring,tree", "-p", "2", "-n", "64", "--runs", "20", "--json", "run.jsonl")
        self.arlab("hunt", "-p", "16", "--network", SLOW, "--json", "hunt.jsonl", code=1)
        self.arlab("report", "run.jsonl", "hunt.jsonl", "-o", "arlab.prom")
        metrics = parse_exposition(self.read("arlab.prom"))
        self.assertEqual(len(metrics["arlab_time_seconds"]), 3)
        self.assertEqual(sorted(metrics["arlab_hunt_verdict"].values()), [0, 0, 0, 1])
        [(labels, times)] = metrics["arlab_hunt_place_times"].items()
        self.assertIn('what="port"', labels)
        self.assertAlmostEqual(times, 2, delta=0.05)
        self.assertEqual(len([1 for labels in metrics["arlab_hunt_rank_times"] if 'by="bandwidth"' in labels]), 32)
        dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
        asked = {name for panel in dashboard["panels"] for target in panel["targets"] for name in re.findall(r"arlab_\w+", target["expr"])}
        self.assertTrue(asked)
        self.assertLessEqual(asked, set(metrics))
        self.arlab("count", "ring", "-p", "2", "-n", "4", "--json", "count.jsonl")
        _, err = self.arlab("report", "count.jsonl", "-o", "none.prom", code=2)
        self.assertIn("no times and no hunts in count.jsonl", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
