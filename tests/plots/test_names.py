"""What differs between records is what names them, and nothing that was made differently shares a line."""

import json
import re
import unittest
from pathlib import Path

from test_charts import Folder, charts, records  # puts plots/ on the module path
from charts import catalog, compression, naming, settings, slices, tables, training, winners

ROOT = Path(__file__).resolve().parents[2]


def context(**more: object) -> dict:
    return {"schema": 2, "kind": "context", "host": "vm", "date": "2026-11-17T08:00:00Z", "commit": "a1", "mpi": "Open MPI 4.1.4", "launch": "mpi 1",
            "command": "arlab run", **more}


def measured(us: float = 10.0, **more: object) -> list[dict]:
    return [{"schema": 2, "kind": "run", "backend": "mpi", "label": "Ring", "ranks": 2, "bytes": size, "skipped": None, "time_us": {"median": us}, **more}
            for size in (1024, 4096)]


def simulated(us: float = 10.0, **more: object) -> list[dict]:
    return [{"schema": 2, "kind": "simulate", "model": "fluid", "topology": "torus", "label": "Ring", "ranks": 2, "bytes": size, "skipped": None, "modelled_us": us, **more}
            for size in (1024, 4096)]


def trained(**more: object) -> dict:
    epoch = {"steps": 10, "loss": 1.0, "elapsed_us": 1e5, "compute_us": 1e5, "input_us": 0.0, "exposed_us": 4e4, "bytes_sent": 10}
    return {"schema": 2, "kind": "train", "model": "mlp", "ranks": 2, "bytes": 4, "workers": 2, "strategy": "mirrored", "scheduler": "buckets", "compressor": None,
            "epochs": [epoch], "images_per_s": 10.0, **more}


class Names(Folder):
    def read(self, *files: list[dict]) -> list[records.Record]:
        return [record for i, lines in enumerate(files)
                for record in records.read(str(self.write("".join(json.dumps(line) + "\n" for line in lines), f"week{i + 1}.jsonl")))]

    def heads(self, *files: list[dict]) -> list[str]:
        """Without the type and the operation, which all have."""
        return [head.replace(", float32, sum", "") for head in catalog.heads([one.setting for one in slices.best_slices(self.read(*files), "bytes")])]

    def test_compressors_name_the_runs_of_a_comparison(self) -> None:
        data = self.write("".join(json.dumps(trained(compressor=name)) + "\n" for name in (None, "int8:bits=8", "topk:ratio=0.01")))
        done = charts(data, "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.svg(self.folder, "training_loss")[1]), {"none", "int8", "topk"})
        self.assertLessEqual({"none: 10 ms, 40% exposed", "int8: 10 ms, 40% exposed", "topk: 10 ms, 40% exposed"}, self.svg(self.folder, "training_step")[0])

    def test_every_key_of_a_training_run_tells_it_apart(self) -> None:
        for key in (*training.FIRST[1:], *training.THEN):
            if key in ("host", "date"):
                rows = self.read([context(), trained()], [context(**{key: "2026-12-24T08:00:00Z"}), trained()])
            else:
                rows = self.read([context(), trained(), trained(**{key: ODD.get(key, 3)})])
            self.assertEqual(len(set(training.names_of(rows))), 2, key)
        self.assertEqual(training.names_of(self.read([context(), trained()])), ["2 × mirrored"])
        self.assertEqual(naming.numbered(["a", "b", "a"]), ["a (1)", "b", "a (2)"])

    def test_settings_that_differ_are_in_the_titles(self) -> None:
        for key, value, words in (("segments", 4, ("1 segment", "4 segments")), ("compressor", "fp16", ("none", "fp16")), ("collective", "reduce", ("allreduce", "reduce")),
                                  ("place", "out", ("in place", "out of place")), ("cache", "cold", ("warm caches", "cold caches")), ("mode", "streaming", ("alone", "streaming"))):
            first, second = sorted(self.heads([context(), *measured(), *measured(**{key: value})]), key=lambda head: not head.endswith(words[0]))
            self.assertEqual((first, second), (f"Measured on vm: mpi, {words[0]}", f"Measured on vm: mpi, {words[1]}"))
        topologies = ("fat_tree:down=16,up=1", "fat_tree:down=16,up=4")
        self.assertEqual(self.heads([context(), *simulated(topology=topologies[0]), *simulated(topology=topologies[1])]),
                         [f"Simulated: {one}" for one in topologies])
        self.assertEqual(self.heads([context(), *simulated(topology=topologies[0])]), ["Simulated: fluid"])
        self.assertEqual(len(self.heads([context(), *simulated(), *simulated(disturbance="late=3:1us")])), 2)

    def test_a_configuration_with_two_times_is_two_lines(self) -> None:
        for key, value in (("groups", 2), ("dims", "4x4"), ("root", 1)):
            self.assertEqual(len(self.heads([context(), *simulated(1.0), *simulated(2.0, **{key: value})])), 2, key)
        self.assertEqual(len(self.heads([context(), *simulated(1.0)], [context(), *simulated(2.0)])), 2)
        self.assertEqual(len(self.heads([context(), *simulated(1.0)], [context(), *simulated(1.0)])), 1)  # the same result

    def test_what_makes_a_configuration_parts_its_launches(self) -> None:
        for key, values, words in (("start", ("barrier", "round-time"), ("started by barrier", "started by round-time")),
                                   ("groups", (2, 4), ("2 groups", "4 groups")), ("dims", ("2x2", "4x1"), ("torus 2x2", "torus 4x1")),
                                   ("root", (0, 1), ("root 0", "root 1")), ("repeats", (20, 5), ("20 in a row", "5 in a row")),
                                   ("summary_over_ranks", ("maximum", "mean"), ("maximum over ranks", "mean over ranks"))):
            launches = [[context(launch=f"mpi {i}"), *measured(10.0 * (i + 1), **{key: value})] for i, value in enumerate(values)]
            found = tables.tables(self.read([*launches[0], *launches[1]]))
            self.assertEqual([(table.setting.words[3:], table.times) for table in found],
                             [((word,), {"Ring": {(1024, 2): us, (4096, 2): us}}) for word, us in zip(words, (10.0, 20.0))], key)
            halves = self.read([*launches[0][:2], launches[1][0], launches[1][2]])  # each of another size
            self.assertEqual([words[3:] for words in sorted(one.words for one in settings.settings(halves))], [(word,) for word in words], key)

    def test_all_keys_of_the_identity_part_records(self) -> None:
        listed = re.search(r"kIdentityKeys\[\] = \{(.*?)\}", (ROOT / "bench" / "results" / "record.hpp").read_text(encoding="utf-8"), re.DOTALL)
        keys = set(re.findall(r'"(\w+)"', listed[1]))
        self.assertEqual(keys, {*settings.SETTINGS, "algorithm", "ranks", "elements"})
        page = (ROOT / "plots" / "report" / "settings.js").read_text(encoding="utf-8")
        named = {key for part in re.findall(r"(?:same:|apart:|LAYOUT =) \[(.*?)\]", page) for key in re.findall(r'"(\w+)"', part)}
        self.assertEqual(named, set(settings.SETTINGS))

    def test_ranks_arrange_themselves_and_a_benchmark_repeats_by_its_time(self) -> None:
        swept = [line for ranks in (2, 4) for line in measured(ranks=ranks, groups=ranks // 2, dims=f"{ranks}x1")]
        self.assertEqual(self.heads([context(), *swept]), ["Measured on vm: mpi"])
        small, large = measured(source="nccl-tests 2.19.6")
        self.assertEqual(self.heads([context(), {**small, "repeats": 20}, {**large, "repeats": 5}]), ["Measured on vm: mpi"])

    def test_hosts_days_versions_and_files_are_apart_and_named(self) -> None:
        for key, value, words in (("date", "2026-11-24T08:00:00Z", ("vm, 2026-11-17", "vm, 2026-11-24")), ("host", "clusterB", ("clusterB", "vm")),
                                  ("commit", "b2", ("vm, commit a1", "vm, commit b2")), ("mpi", "MPICH 4", ("vm, MPICH 4", "vm, Open MPI 4.1.4"))):
            for files in (([context(), *measured(), context(**{key: value, "launch": "mpi 2"}), *measured(30)],),
                          ([context(), *measured()], [context(**{key: value, "launch": "mpi 2"}), *measured(30)])):
                self.assertEqual(self.heads(*files), [f"Measured on {one}: mpi" for one in words], key)
        other = self.heads([context(), *measured()], [context(launch="mpi 2"), *measured(30)])
        self.assertEqual([head.split("/")[-1] for head in other], ["week1.jsonl: mpi", "week2.jsonl: mpi"])  # of one day
        sizes = self.heads([context(), *measured()], [context(launch="mpi 2"), *measured(backend="mpi", ranks=4)])
        self.assertEqual(sizes, ["Measured on vm: mpi"])  # other configurations: one sweep

    def test_launches_of_one_run_are_one_line(self) -> None:
        rows = self.read([line for i in range(3) for line in (context(launch=f"mpi {i}", date=f"2026-11-17T0{i}:00:00Z"), *measured(10.0 * (i + 1)))])
        one, = slices.best_slices(rows, "bytes")
        self.assertEqual([(point.time, point.launches) for point in one.series[0].points], [(20.0, 3), (20.0, 3)])

    def test_the_program_says_that_it_draws_them_apart(self) -> None:
        self.read([context(), *measured()], [context(date="2026-11-24T08:00:00Z"), *measured(30)])
        done = charts("week1.jsonl", "week2.jsonl", "--only", "time_against_size", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("drawn apart; `arlab compare` tests whether two files differ", done.stderr)
        texts, lines = self.svg(self.folder, "time_against_size")
        self.assertEqual(lines, ["Ring", "Ring"])
        self.assertLessEqual({f"Measured on vm, 2026-11-{day}: 2 ranks, mpi, float32, sum" for day in (17, 24)}, texts)

    def test_winners_keep_what_differs_apart(self) -> None:
        data = [*simulated(10.0), *simulated(5.0, segments=4), *simulated(7.0, model="packet")]
        rows = self.read([context(command="arlab simulate all --segments 1,4"), *data])
        self.assertEqual({row[0] for row in winners.table(rows)}, {"`torus, fluid, 1 segment`", "`torus, fluid, 4 segments`", "`torus, packet, 1 segment`"})

    def test_segments_that_nobody_asked_for_do_not_part_a_line(self) -> None:
        chosen = [*simulated(10.0)[:1], *simulated(5.0, segments=4)[1:]]
        for command, parts in (("arlab simulate hierarchical", 1), ("arlab simulate ring --segments 1,4", 2)):
            self.assertEqual(len(settings.settings(self.read([context(command=command), *chosen]))), parts, command)

    def test_scaling_compares_runs_of_one_kind(self) -> None:
        rows = self.read([context(), *(trained(workers=n, strategy=s, images_per_s=r) for n, s, r in
                                       ((1, "mirrored", 10.0), (2, "mirrored", 18.0), (1, "zero1", 5.0), (2, "zero1", 10.0), (4, "ddp", 1.0)))])
        panel, = training.scaling_panels(rows)
        self.assertEqual(len(panel.records), 4)

    def test_scaling_joins_the_jobs_of_each_size_with_one_worker_alone(self) -> None:
        jobs = [[context(launch=f"mpi {n}"), trained(workers=n, strategy=s, batch_size=b, images_per_s=r)]
                for n, s, b, r in ((1, "one_device", 64, 10.0), (2, "multi_worker", 64, 18.0), (4, "multi_worker", 64, 30.0))]
        panel, = training.scaling_panels(self.read(*jobs))
        self.assertEqual(len(panel.records), 3)
        weak = trained(workers=2, strategy="multi_worker", batch_size=128, images_per_s=19.0)
        lines = [words for words, _ in training._scaling_lines(self.read(*jobs, [context(), weak]))]
        self.assertEqual(lines, [[], ["weak scaling"]])
        self.assertEqual(training.scaling_panels(self.read(jobs[0], [context(host="other"), *jobs[1][1:]])), [])

    def test_files_of_a_sweep_of_bandwidths_are_other_studies(self) -> None:
        def runs(step: float, **more: object) -> list[dict]:
            return [trained(bandwidth_gbit_per_s=rate, step_us=step, **more) for rate in (1.0, 10.0)]
        titles = [one.title.split("/")[-1] for one in compression.studies(self.read([context(), *runs(5)], [context(), *runs(9)]))]
        self.assertEqual(titles, ["week1.jsonl", "week2.jsonl"])
        titles = [one.title for one in compression.studies(self.read([context(), *runs(5, batch_size=8), *runs(9, batch_size=16)]))]
        self.assertEqual(titles, ["mlp, 2 workers, mirrored, batch 8", "mlp, 2 workers, mirrored, batch 16"])

    def test_zero_bytes_have_no_setting(self) -> None:
        self.assertEqual(settings.settings(self.read([context(), *measured(bytes=0)])), {})


ODD = {"slowdown": [1, 2], "codec_ns_per_element": {"encode": 1.0, "decode": 2.0}, "overlap": True, "dtype": "float16",
       **dict.fromkeys(("backend", "topology", "algorithm", "compressor", "scheduler", "aggregation", "optimizer", "network", "device", "data", "gradients"), "x")}

if __name__ == "__main__":
    unittest.main()
