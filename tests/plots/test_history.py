"""The chart of times over several dates."""

import json
import unittest

from test_charts import Folder, charts  # puts plots/ on the module path
from charts import history, records


class History(Folder):
    def change(self, times: list[float], since: int | None, host: str = "n1", **more: object) -> str:
        """A record of weekly files; before the change, the level is 100."""
        weeks = range(len(times))
        files = [f"weeks/{host}-week{week}.jsonl" for week in weeks]
        keys = {"schema": 2, "kind": "change", "backend": "mpi", "algorithm": "ring", "collective": "allreduce", "ranks": 8, "elements": 256,
                "bytes": 1024, "dtype": "float32", "op": "sum", "segments": 1, "topology": None, "model": None, "configurations": 1,
                "host": host, "files": files, "dates": [f"2026-01-{week + 1:02}T04:00:00Z" for week in weeks], "times_us": times,
                "since": None if since is None else files[since], "since_date": None, "before_us": 100.0, "after_us": times[-1],
                "ratio": times[-1] / 100, "p": None if since is None else 0.001, "verdict": "same" if since is None else "slower"}
        return json.dumps({**keys, **more}) + "\n"

    def drawn(self, *lines: str) -> tuple[set[str], list[str]]:
        done = charts(self.write("".join(lines)), "-o", self.folder, "--only", "history", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.svg(self.folder, "history")

    def test_two_hosts_are_two_styles_in_one_panel(self) -> None:
        texts, lines = self.drawn(self.change([100, 101, 115, 115], 2), self.change([100, 99, 100, 100], None, "n2"))
        self.assertEqual(lines, ["n1", "n2"])
        self.assertLessEqual({"ring, 8 ranks, 1 KiB", "n1-week2: +15%", "01-01", "time, % of the level before"}, texts)
        dashes = self.svg_text("history").count("stroke-dasharray")
        self.drawn(self.change([100, 101, 115, 115], 2))
        self.assertLess(self.svg_text("history").count("stroke-dasharray"), dashes)

    def svg_text(self, name: str) -> str:
        return (self.folder / f"{name}.svg").read_text(encoding="utf-8")

    def test_all_together_come_first_then_what_changed_most(self) -> None:
        rows = [self.change([100, 100, 100 + 5 * i], 2 if i else None, bytes=1024 << i, elements=256 << i) for i in range(8)]
        rows.append(self.change([100, 100, 110], 2, configurations=8, algorithm=None, ranks=None, bytes=None, elements=None))
        path = self.write("".join(rows))
        titles = [one.titles[0] for one in history.panels(records.read(str(path)))]
        self.assertEqual(titles[:2], ["All 8 configurations together", "ring, 8 ranks, 128 KiB"])
        self.assertEqual(len(titles), history.MOST)

    def test_what_differs_is_in_the_title(self) -> None:
        path = self.write(self.change([100, 100], None) + self.change([100, 100], None, backend="threads"))
        self.assertEqual([one.titles[0] for one in history.panels(records.read(str(path)))],
                         ["ring, 8 ranks, 1 KiB, mpi", "ring, 8 ranks, 1 KiB, threads"])
        for key, values, words in (("place", ("in", "out"), ("in place", "out of place")), ("groups", (2, 4), ("2 groups", "4 groups")),
                                   ("repeats", (5, 20), ("5 in a row", "20 in a row")), ("machine", ("alpha=1us", "alpha=2us"), ("alpha=1us", "alpha=2us")),
                                   ("disturbance", ("late=3:1us", "late=3:2us"), ("late=3:1us", "late=3:2us"))):
            path = self.write("".join(self.change([100, 100], None, **{key: value}) for value in values))
            self.assertEqual([one.titles[0] for one in history.panels(records.read(str(path)))], [f"ring, 8 ranks, 1 KiB, {word}" for word in words], key)

    def test_without_dates_files_are_named(self) -> None:
        texts, _ = self.drawn(self.change([100, 101, 99], None, dates=[None] * 3))
        self.assertLessEqual({"n1-week0", "n1-week1", "n1-week2"}, texts)

    def test_what_has_no_two_times_is_left_out(self) -> None:
        for row in (self.change([100], None), self.change([0, 0], None), self.change([100, 100], None, before_us=0)):
            self.assertEqual(history.panels(records.read(str(self.write(row)))), [])


if __name__ == "__main__":
    unittest.main()
