"""Names that came from outside are shown as what they are: in every table, message and file, no byte of them is obeyed by a
terminal, no cell is computed by a spreadsheet, and no markup is read by a page."""

import copy
import csv
import io
import json
import re
import subprocess
import unittest

import program

ESCAPE, REVERSED, FORGED = "\x1b[31mred\x1b]0;t\x07", "gnp\u202exe.\u2066", "a\nerror: forged\r|b"
HOSTILE = [ESCAPE, REVERSED, FORGED, "=cmd|'/c calc'!A1", "<script>alert(1)</script>", "\u009b31m", "\x7f"]
# What a terminal obeys, or what reorders a line. Newlines are looked at one by one.
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
STRINGS = ("algorithm", "backend", "topology", "model", "machine", "label", "skipped", "dtype", "op", "collective", "color", "family")


class Names(program.ProgramTest):
    def check(self, *words, files=(), codes=(0, 1, 2, 3)):
        done = subprocess.run(self.command(*words), cwd=self.folder, env=program.ALONE, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120, check=False)
        self.assertIn(done.returncode, codes, done.stderr)
        texts = {"stdout": done.stdout, "stderr": done.stderr, **{name: (self.folder / name).read_bytes() for name in files
                                                                    if (self.folder / name).exists()}}
        for name, data in texts.items():
            text = data.decode("utf-8")  # strictly
            found = HARMFUL.search(text)
            self.assertIsNone(found, f"{words}: {name}: {text[max(0, found.start() - 60):found.end() + 60]!r}" if found else "")
            self.assertEqual([line for line in text.splitlines() if line.startswith("error: forged")], [], f"{words}: {name}")
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def records(self, kind_words):
        self.arlab(*kind_words, "--json", "good.jsonl")
        return [json.loads(line) for line in self.read("good.jsonl").splitlines()]

    def test_records(self):
        for words in (["simulate", "ring,tree", "-p", "2", "-s", "1K"], ["run", "ring", "-p", "2", "-s", "1K", "--runs", "3"]):
            good = self.records(words)
            for turn, name in enumerate(HOSTILE):
                for number, key in enumerate(STRINGS):
                    if key != STRINGS[0] and (turn + number) % 6 != 0:
                        continue
                    lines = copy.deepcopy(good)
                    for line in lines[1:]:
                        if isinstance(line.get(key, 0), (str, type(None))) and key in line:
                            line[key] = name
                    (self.folder / "bad.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
                    if number % 2:
                        self.check("compare", "bad.jsonl", "bad.jsonl")
                    self.check("compare", "good.jsonl", "bad.jsonl")
                    if key == STRINGS[0] and turn % 3 == 1:
                        code, _, _ = self.check("report", "bad.jsonl", "-o", "page.html")
                        if code == 0:
                            self.assertNotIn("<script>alert", self.read("page.html"))
                            self.assertIsNone(HARMFUL.search(self.read("page.html")))

    def test_arguments(self):
        """Every command that takes a name, or a file, gets a hostile one."""
        for turn, name in enumerate([*HOSTILE, "\udcff\udcfe"]):
            for number, words in enumerate((["simulate", name, "-p", "2"], ["simulate", "ring", "-p", "2", "--network", name], ["show", name, "-p", "2"],
                          ["show", "topology", name], ["verify", name, "-p", "2"], ["count", name, "-p", "2"], ["run", name],
                          ["run", "ring", "-b", name], ["bound", name], ["validate", name], ["calibrate", "-b", name], ["tune", "--open-mpi", f"{name}:check=on"],
                          ["train", "-m", name], ["train", "-m", "mlp", "-b", name], ["plan", "-m", name], ["plan", "-m", f"profile:{name}"],
                          ["compare", name, name], ["report", name], ["export", name, "-p", "2"], ["list", name], [name],
                          ["simulate", "ring", "-p", "2", "--network", name], ["explore", "-o", f"{name}/x/"], ["simulate", f"--{name}"],
                          ["simulate", "ring", "-p", "2", "-s", name], ["report", name, "-o", name])):
                if (turn + number) % 8 == 0:
                    self.check(*words)

    def test_files_with_such_names(self):
        """Notes name files."""
        for number, name in enumerate(HOSTILE[::3]):
            name = name.replace("/", "_") + str(number)
            self.check("simulate", "ring", "-p", "2", "-s", "1K", "--json", name)
            self.check("simulate", "ring", "-p", "2", "-s", "1K", "--json", name)  # keeps the earlier
            self.check("compare", name, name)
            self.check("report", name, "-o", name + ".html", files=[name + ".html"])
            self.check("list", "models", "-o", name + ".txt")
            self.check("export", "ring", "-p", "2", "-o", name + ".json", files=[name + ".json"])
            (self.folder / (name + ".dot")).write_text('graph { a [kind=host]; b [kind=host]; a -- b [bandwidth="1Gbps", latency="1us"]; }',
                                                       encoding="utf-8")
            outputs = ["-o", "t.md", "--json", "t.jsonl", "--csv", "t.csv"]
            self.check("simulate", "ring", "-p", "2", "-s", "1K", "--network", name + ".dot", *outputs, files=["t.md", "t.jsonl", "t.csv"])
            self.check("show", "topology", name + ".dot", "-o", "t.svg", files=["t.svg"])
            self.check("bound", name + ".dot", "--json", "b.jsonl", files=["b.jsonl"])
            for path in self.folder.glob("t.*"):
                path.unlink()

    def test_names_in_topologies(self):
        for name in HOSTILE[::2]:
            quoted = name.replace("\\", "\\\\").replace('"', '\\"')
            (self.folder / "net.dot").write_text(f'graph {{ "{quoted}" [kind=host]; b [kind=host]; "{quoted}" -- b '
                                                 '[bandwidth="1Gbps", latency="1us"]; }', encoding="utf-8")
            for words in (["show", "topology", "net.dot", "--hosts"], ["show", "topology", "net.dot", "-o", "n.svg"],
                          ["simulate", "ring", "-p", "2", "-s", "1M", "--network", "net.dot", "--json", "n.jsonl", "--csv",
                           "n.csv", "--record", "links=2"], ["bound", "net.dot"],
                          ["export", "ring", "-p", "2", "--format", "perfetto", "--network", "net.dot", "-o", "n.json"]):
                self.check(*words, files=["n.svg", "n.jsonl", "n.csv", "n.json"])
                for path in self.folder.glob("n.*"):
                    path.unlink()

    def test_names_in_profiles(self):
        layer = {"name": "x", "tensors": {"w": 1000}, "forward_us": 10, "backward_us": 20}
        for name in HOSTILE[1::2]:
            profile = {"profile": 1, "name": name, "device": name, "batch": 1, "samples": name, "parameters": 1000, "gradient_bytes": 4,
                       "optimizer_ps_per_parameter": 1, "sources": {"parameters": name}, "layers": [{**layer, "name": name}]}
            (self.folder / "p.json").write_text(json.dumps(profile), encoding="utf-8")
            for words in (["plan", "-m", "profile:p.json", "--gpus", "8", "--json", "n.jsonl"],
                          ["plan", "-m", "profile:p.json", "--gpus", "4", "--trace", "n.json"]):
                self.check(*words, files=["n.jsonl", "n.json"])
                for path in self.folder.glob("n.*"):
                    path.unlink()

    def test_cells_are_inert(self):
        for name in ("=cmd", "+1+cmd", "-2+cmd", "@SUM(A1)", "=1;2"):
            (self.folder / f"{name}.dot").write_text('graph { a [kind=host]; b [kind=host]; a -- b [bandwidth="1Gbps", latency="1us"]; }',
                                                     encoding="utf-8")
            self.arlab("simulate", "ring", "-p", "2", "-s", "1K", "--network", f"./{name}.dot", "--csv", f"{name}.csv")
            text = self.read(f"{name}.csv")
            for row in csv.reader(io.StringIO(text)):
                for cell in row:
                    self.assertFalse(cell[:1] in ("=", "@", "\t", "\r") or re.match(r"[+-](?![\d.]+(e[+-]?\d+)?$)", cell), cell)


if __name__ == "__main__":
    unittest.main(verbosity=2)
