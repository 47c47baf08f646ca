"""The report page on records of every kind: a sentence and a chart for each, what differs in every name, and no record that
breaks it. Runs in a real browser.
"""

import json
import sys
import unittest
from typing import Any

from any_records import any_lines, text_of
from test_names import context, measured, simulated, trained
from test_page import BROWSER, Node, cells, literal, render

TRIALS = 150


def data_of(*files: list[dict[str, Any]]) -> dict[str, Any]:
    """The data as `arlab report` joins files."""
    contexts: list[dict[str, Any]] = []
    rows = []
    for i, lines in enumerate(files):
        own = None
        for line in lines:
            if line["kind"] == "context":
                own = len(contexts)
                contexts.append({**line, "file": f"week{i + 1}.jsonl"})
            else:
                rows.append({**line, "context": own})
    return {"contexts": contexts, "records": rows, "files": ["week1.jsonl"], "generated": "now", "command": "arlab report"}


def plan(network: str, ranks: int, step: float, **more: Any) -> dict[str, Any]:
    return {"schema": 2, "kind": "plan", "model": "resnet50", "network": network, "ranks": ranks, "strategy": "multi_worker", "algorithm": "ring", "scheduler": "buckets",
            "compressor": None, "batch_per_worker": 64, "step_us": step, "computation_us": 200.0, "exposed_us": step - 200, "efficiency": 200 / step, "limit": "bandwidth",
            "alternatives": [{"what": "fp16", "saves_fraction": 0.25}], **more}


def said(page: Node) -> list[str]:
    return [item.text() for item in page.one("ul", id="summary").all("li")]


class Report(unittest.TestCase):
    maxDiff = None

    def page(self, *files: list[dict[str, Any]], after: str = "") -> Node:
        page = render(literal(data_of(*files)), after)
        self.assertIsNone(page.attributes.get("data-error"))
        return page

    def test_plans_have_a_sentence_and_both_charts(self) -> None:
        page = self.page([context(), *(plan(network, ranks, step) for network, ranks, step in
                                       (("10G", 8, 250.0), ("10G", 64, 400.0), ("100G", 8, 200.0), ("100G", 64, 250.0)))])
        self.assertEqual(said(page), ["resnet50, simulated on 64 GPUs, 2 runs. Fastest, 100G: a step of 250 µs, efficiency 80%, limited by bandwidth; fp16 saves 25%. "
                                      "Slowest, 10G: a step of 400 µs, efficiency 50%, limited by bandwidth; fp16 saves 25%."])
        bars = page.one("figure", id="steps")
        self.assertEqual([text.text() for text in bars.all("text")],
                         ["10G: 400 µs, efficiency 50%, limited by bandwidth; fp16 saves 25%", "100G: 250 µs, efficiency 80%, limited by bandwidth; fp16 saves 25%"])
        widths = [float(bar.attributes["width"] or 0) for bar in bars.all("rect")]
        self.assertAlmostEqual(widths[0] / widths[1], 1, delta=0.01)  # 200 of 400 computing
        self.assertAlmostEqual(widths[2] / widths[3], 4, delta=0.01)
        lines = [group.attributes["data-label"] for group in page.one("figure", id="efficiency").all("g") if "data-label" in group.attributes]
        self.assertEqual(lines, ["10G", "100G"])
        self.assertEqual(page.all("figure", id="time-against-bytes"), [])
        self.assertNotIn("No measured or simulated", page.one("main").text())

    def test_training_runs_are_named_by_what_differs(self) -> None:
        page = self.page([context(), *(trained(compressor=name) for name in (None, "int8", "topk"))])
        texts = [text.text() for text in page.one("figure", id="steps").all("text")]
        self.assertEqual(texts, [f"{name}: 10 ms, 40% of it exposed communication" for name in ("none", "int8", "topk")])
        self.assertTrue(said(page)[0].startswith("mlp, trained, 3 runs. Fastest, none: a step of 10 ms, 40% of it"), said(page))

    def test_speed_ups_join_the_jobs_of_each_size(self) -> None:
        def job(workers: int, rate: float, **more: Any) -> list[dict[str, Any]]:
            steps: dict[str, Any] = {"strategy": "multi_worker", "step_us": 64e6 / rate, "input_us": 0.0, "exposed_us": 0.0, "batch_size": 64}
            return [context(launch=f"mpi {workers}"), trained(workers=workers, images_per_s=rate, **{**steps, **more})]
        jobs = [job(1, 1000.0, strategy="one_device"), job(2, 1800.0), job(4, 2000.0)]
        page = self.page(*jobs)
        self.assertEqual(said(page)[0], "mlp, trained, 3 runs. Fastest, 4 × multi_worker: a step of 32 ms, 0% of it exposed communication; speed-up 2.00, efficiency 50%. "
                                        "Slowest, 1 × one_device: a step of 64 ms, 0% of it exposed communication.")
        chart = page.one("figure", id="efficiency").one("svg", role="img")
        self.assertEqual(chart.attributes["aria-label"], "mlp, trained: efficiency. multi_worker: 100% on 1, 90% on 2, 50% on 4")
        page = self.page(*jobs, job(2, 1900.0, batch_size=128))
        self.assertIn("multi_worker, weak scaling: 100% on 1, 95% on 2", page.one("figure", id="efficiency").one("svg", role="img").attributes["aria-label"])
        page = self.page(jobs[0], [context(host="other"), *jobs[1][1:]])
        self.assertEqual(page.all("figure", id="efficiency"), [])

    def test_kinds_without_a_chart_are_counted(self) -> None:
        page = self.page([context(), {"schema": 2, "kind": "bound", "hosts": 4}, {"schema": 2, "kind": "bound", "hosts": 8}])
        self.assertEqual(said(page), ["bound: 2 records, in the table below."])
        self.assertIn("hidden", page.one("h2", id="h-charts").attributes)

    def test_hosts_days_and_versions_are_apart(self) -> None:
        for key, value, words in (("date", "2026-11-24T08:00:00Z", ("on vm, 2026-11-17", "on vm, 2026-11-24")), ("host", "clusterB", ("on clusterB", "on vm")),
                                  ("commit", "b2", ("on vm, commit a1", "on vm, commit b2"))):
            page = self.page([context(), *measured()], [context(**{key: value, "launch": "mpi 2"}), *measured(30)])
            self.assertEqual(said(page)[:2], [f"Fastest measured, {one}, mpi, 2 ranks: Ring at every size." for one in words])
            self.assertIn("arlab compare tests whether two files differ", said(page)[2])
        page = self.page([context(), *measured()], [context(launch="mpi 2"), *measured(30)])
        self.assertEqual(said(page)[0], "Fastest measured, on vm, week1.jsonl, mpi, 2 ranks: Ring at every size.")
        table = page.one("section", id="table-run")
        self.assertEqual([head.text() for head in table.all("th")], ["label", "file", "launch", "bytes", "time_us.median"])
        self.assertEqual([row[1] for row in cells(table)], ["week1.jsonl"] * 2 + ["week2.jsonl"] * 2)
        launches = [line for i in range(3) for line in (context(launch=f"mpi {i}"), *measured(10.0 * (i + 1)))]
        page = self.page(launches)
        self.assertEqual(said(page), ["Fastest measured, on vm, mpi, 2 ranks: Ring at every size."])
        self.assertIn("20 µs", page.one("figure", id="time-against-bytes").one("table", class_="values").text())
        page = self.page([context(command="arlab simulate all --segments 1,4"), *simulated(), *simulated(segments=4)])
        self.assertEqual([one.split(":")[0] for one in said(page)], [f"Fastest simulated, fluid, torus, {n}, 2 ranks" for n in ("1 segment", "4 segments")])

    def test_what_makes_a_configuration_parts_its_launches(self) -> None:
        for key, values, words in (("start", ("barrier", "round-time"), ("started by barrier", "started by round-time")),
                                   ("groups", (2, 4), ("2 groups", "4 groups")), ("root", (0, 1), ("root 0", "root 1"))):
            launches = [line for i, value in enumerate(values) for line in (context(launch=f"mpi {i}"), *measured(10.0 * (i + 1), **{key: value}))]
            page = self.page(launches)
            self.assertEqual(said(page), [f"Fastest measured, on vm, mpi, {word}, 2 ranks: Ring at every size." for word in words], key)
            shown = [table.text() for table in page.one("figure", id="time-against-bytes").all("table") if "µs" in table.text()]
            self.assertEqual([[us in text for us in ("10 µs", "15 µs", "20 µs")] for text in shown], [[True, False, False]], key)  # of the first setting
        logs = [{**line, "source": "nccl-tests 2.19.6", "repeats": i} for i, line in enumerate(measured(), start=1)]
        self.assertEqual(said(self.page([context(), *logs])), ["Fastest measured, on vm, mpi, 2 ranks: Ring at every size."])

    def test_no_record_breaks_it(self) -> None:
        trials = [data_of([line for line in map(json.loads, text_of(any_lines(seed)).splitlines())]) for seed in range(TRIALS)]
        page = render(literal(data_of([context()])), "window.trials = " + literal(trials) + """;
          const failed = [];
          trials.forEach((trial, seed) => {
            try {
              Object.assign(data, trial);
              show();
              const told = byId("summary").textContent, drawn = byId("charts").textContent;
              const odd = /NaN|undefined|null|Infinity|\\[object|[\\x1b\\u202e]/.exec(told + drawn + [...document.querySelectorAll("#charts svg *")].map((one) => [...one.attributes].map(({value}) => value)).join());
              if (odd) failed.push(`${seed}: ${odd[0]} in ${(told + drawn).slice(0, 300)}`);
              if (data.records.length && told.includes("No records.")) failed.push(`${seed}: no records`);
              if (document.querySelector("b, i, u, script[src]")) failed.push(`${seed}: markup`);
            } catch (error) { failed.push(`${seed}: ${error.stack}`); }
          });
          document.documentElement.dataset.failed = failed.join("\\n");
          document.documentElement.dataset.tried = trials.length;""")
        self.assertEqual(page.attributes.get("data-failed"), "")
        self.assertEqual(page.attributes.get("data-tried"), str(TRIALS))


if __name__ == "__main__":
    if not BROWSER:
        print("skipped: needs a browser (apt install chromium)")
        sys.exit(77)
    unittest.main()
