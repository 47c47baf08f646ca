"""What arlab says about itself: help, version, manual pages, completions, options from a file; and what a terminal shows."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

import program


class About(program.ProgramTest):
    def complete(self, *words):
        return self.arlab("complete", "--", *words)[0].split()

    def test_help_of_a_command_is_its_help(self):
        self.assertEqual(self.arlab("help", "count"), self.arlab("count", "--help"))
        self.assertEqual(self.arlab("count", "--help-all"), self.arlab("count", "--help"))
        _, err = self.arlab("help", "cuont", code=2)
        self.assertIn("did you mean 'count'", err)

    def test_help_of_a_part_of_a_command(self):
        expected = self.arlab("show", "topology", "--help")
        self.assertEqual(self.arlab("help", "show", "topology"), expected)
        self.assertEqual(self.arlab("help", "show topology"), expected)
        self.assertEqual(self.arlab("version", "of", "what"), self.arlab("version"))

    def test_short_help_is_shorter(self):
        short, whole = self.arlab("run", "-h")[0], self.arlab("run", "--help")[0]
        self.assertLess(len(short.splitlines()), 50)
        self.assertNotIn("--start ", short)
        self.assertIn("--start ", whole)

    def test_version_in_three_spellings(self):
        self.assertEqual(self.arlab("version"), self.arlab("--version"))
        self.assertEqual(self.arlab("-V"), self.arlab("--version"))
        self.assertIn("did you mean '--version'", self.arlab("--verison", code=2)[1])

    def test_every_command_has_a_manual_page(self):
        commands = self.complete("")
        self.assertIn("simulate", commands)
        for command in commands[:commands.index("help")]:
            if command == "train" and not program.TRAINS:
                continue
            page = self.arlab("manual", command)[0]
            self.assertTrue(page.startswith(f".TH ARLAB\\-{command} 1 "), command)
            for section in (".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXAMPLES"):
                self.assertIn(section, page, command)
        for name in re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", self.arlab("simulate", "--help")[0], re.MULTILINE):
            self.assertIn(name.replace("-", "\\-"), self.arlab("manual", "simulate")[0])
        self.assertIn("did you mean 'run'", self.arlab("manual", "rnu", code=2)[1])
        self.arlab("manual", code=2)

    def test_words_are_completed(self):
        self.assertEqual(self.complete("simulate", "rin"), ["ring"])
        self.assertEqual(self.complete("simulate", "ring,swi"), ["ring,swing", "ring,swing_whole", "ring,switchml"])
        self.assertEqual(self.complete("simulate", "ring", "--network", "tor"), ["torus"])
        self.assertEqual(self.complete("simulate", "ring", "--network=alpha"), ["--network=alpha_beta"])
        self.assertIn("--columns", self.complete("run", "--col"))
        self.assertEqual(self.complete("run", "ring", "-b", "thr"), ["threads"])
        self.assertEqual(self.complete("run", "ring", "--json", ""), [])
        self.assertEqual(self.complete("si"), ["simulate"])
        self.assertEqual(self.complete("help", "ver"), ["verify"])
        self.assertEqual(self.complete("nothing", "a"), [])
        self.assertEqual(self.complete("show", "to"), ["topology", "torus_bucket"])
        self.assertEqual(self.complete("show", "topology", "fat"), ["fat_tree"])
        self.assertNotIn("ring:", " ".join(self.complete("show", "topology", "")))
        self.assertIn("dragonfly", self.complete("show", "topology", ""))
        self.assertIn("--hosts", self.complete("show", "topology", "torus", "--ho"))
        self.assertEqual(self.complete("help", "show", ""), ["topology"])

    def test_bash_completes(self):
        (self.folder / "arlab").symlink_to(program.ARLAB)
        script = ('source <(./arlab completion bash)\nfor COMP_LINE in "$@"; do\n  COMP_POINT=${#COMP_LINE} COMP_WORDS=(./arlab)\n'
                  '  _arlab\n  echo "${COMPREPLY[@]}"\ndone\n')
        lines = {"simulate ri": "ring", "simulate ring --network=alpha": "alpha_beta", "simulate  ring --network torus:d": "", "run ring -b ": "cuda",
                 "plan -m profile:resnet5": "resnet50", "simulate ring,swing_": "ring,swing_whole", "run ring --json ": ""}

        def replies(breaks):
            done = subprocess.run(["bash", "-c", breaks + script, "bash", *(f"./arlab {line}" for line in lines)], cwd=self.folder,
                                  env=program.ALONE, capture_output=True, text=True, timeout=60, check=True)
            return done.stdout.splitlines()
        for line, wanted, found in zip(lines, lines.values(), replies("")):
            self.assertTrue(found == wanted or wanted and found.split(" ")[0] == wanted, (line, found))
        self.assertIn("profile:resnet50", replies("COMP_WORDBREAKS=' '\n"))
        for shell in ("zsh", "fish"):
            self.assertIn(f"arlab completion {shell}", self.arlab("completion", shell)[0])
        self.assertIn("did you mean 'bash'", self.arlab("completion", "bsh", code=2)[1])

    def test_options_come_from_a_file(self):
        self.write("lab.toml", 'backend = "threads"\n[count]\nranks = [4, 8]\nelements = 1000\n\n[run]\ntime = "1ms"\n')
        out, _ = self.arlab("count", "ring", "--config", "lab.toml")
        self.assertEqual([ranks for (ranks,) in program.columns(out, "ranks")], ["4", "8"])
        out, _ = self.arlab("count", "ring", "--config=lab.toml", "-p", "2")  # the command line wins
        self.assertEqual([ranks for (ranks,) in program.columns(out, "ranks")], ["2"])
        self.assertIn("measured configuration", self.arlab("run", "ring", "-p", "1", "-n", "1", "--config", "lab.toml")[0])
        for text, word in (("[cuont]\n", "did you mean 'count'"), ("[count]\nrnaks = 4\n", "did you mean 'ranks'"), ("[count\n", "bad.toml, line"),
                           ("[count]\nresume = 4\nranks = true\n", "needs a value")):
            self.write("bad.toml", text)
            self.assertIn(word, self.arlab("count", "--config", "bad.toml", code=2)[1])
        self.write("near.toml", 'backend = "threads"\nrnks = 4\np = 3\nsize = "1K"\n')
        out, err = self.arlab("count", "ring", "--config", "near.toml", "-n", "10")  # which says the length, too
        self.assertEqual([ranks for (ranks,) in program.columns(out, "ranks")], ["3"])
        self.assertEqual(err, "note: near.toml: 'rnks' is not an option of count, and has no effect, did you mean 'ranks'?\n")
        self.assertIn("--config is given twice", self.arlab("count", "ring", "--config", "near.toml", "--config=lab.toml", code=2)[1])
        self.arlab("count", "--config", "none.toml", code=3)
        self.write("two.toml", '[compare]\nnew = "new.jsonl"\nold = "old.jsonl"\n')  # in the order of --help, not of the alphabet
        self.assertIn("cannot read old.jsonl", self.arlab("compare", "--config", "two.toml", code=3)[1])
        self.write("new.toml", '[compare]\nnew = "new.jsonl"\n')
        self.assertIn("'new.jsonl' follows an argument of compare that is missing", self.arlab("compare", "--config", "new.toml", code=2)[1])
        self.arlab("count", "--config", code=2)

    def test_a_file_has_the_launches_and_options_of_commands_of_commands(self):
        self.write("three.toml", 'backend = "threads"\n[run]\nlaunches = 3\nruns = 5\n')
        _, err = self.arlab("run", "ring", "-p", "2", "-s", "1K", "--config", "three.toml")
        self.assertEqual([line for line in err.splitlines() if line.startswith("launch ")], [f"launch {n} of 3" for n in (1, 2, 3)])
        plain, hosts = (self.arlab("show", "topology", "crossbar:hosts=2", *more)[0] for more in ((), ("--hosts",)))
        self.assertNotEqual(plain, hosts)
        for text in ("hosts = true\n", "[show.topology]\nhosts = true\n"):
            self.write("hosts.toml", text)
            self.assertEqual(self.arlab("show", "topology", "crossbar:hosts=2", "--config", "hosts.toml")[0], hosts)
        self.write("no.toml", "[show.topolgy]\nhosts = true\n")
        self.assertIn("[show.topolgy] is not a command, did you mean 'topology'?", self.arlab("show", "topology", "ring", "--config", "no.toml", code=2)[1])

    def test_arguments_come_from_a_file_too(self):
        self.write("top.toml", 'algorithms = ["ring", "tree"]\n[count]\nranks = 4\n')
        self.write("own.toml", '[count]\nalgorithms = "ring,tree"\nranks = 4\n')
        for name in ("top.toml", "own.toml"):
            out, _ = self.arlab("count", "--config", name)
            self.assertEqual(program.columns(out, "algorithm", "ranks"), [("ring", "4"), ("tree", "4")])
            for words in (("butterfly",), ("-n", "8", "butterfly"), ("--elements=8", "butterfly"), ("--", "butterfly"), ("-n8", "--", "butterfly")):
                out, _ = self.arlab("count", "--config", name, *words)
                self.assertEqual(program.columns(out, "algorithm", "ranks"), [("butterfly", "4")], words)
        out, _ = self.arlab("count", "-n", "8", "--config", "top.toml")
        self.assertEqual(program.columns(out, "algorithm"), [("ring",), ("tree",)])

    def test_a_topology_on_the_command_line_wins_over_a_network_of_the_file(self):
        self.write("network.toml", 'network = "torus:dims=4x4"\n')
        self.write("topology.toml", '[bound]\ntopology = "torus:dims=4x4"\n')
        for name in ("network.toml", "topology.toml"):
            for words, hosts in ((("ring:hosts=4",), 4), (("--network", "ring:hosts=4"), 4), (("-p", "16"), 16), ((), 16)):
                self.assertIn(f": {hosts} hosts\n", self.arlab("bound", *words, "--config", name)[0])

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def test_a_list_is_json_on_request(self):
        [ring] = [line for line in self.json_lines("list", "algorithms", "--json") if line["algorithm"] == "ring"]
        self.assertEqual(ring["list"], "algorithms")
        self.assertTrue(all(line["list"] == "types" for line in self.json_lines("list", "types", "--json")))
        self.assertGreater(len({line["list"] for line in self.json_lines("list", "--json")}), 6)

    def json_lines(self, *arguments):
        return [json.loads(line) for line in self.arlab(*arguments)[0].splitlines()]


class Terminal(program.ProgramTest):
    def typed(self, columns, *arguments, **variables):
        """What a terminal of this width shows, line by line."""
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        env = {**program.ALONE, "TERM": "xterm", **variables}
        env.pop("COLUMNS", None) if "COLUMNS" not in variables else None
        env.pop("NO_COLOR", None) if "NO_COLOR" not in variables else None
        with subprocess.Popen(self.command(*arguments), cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=there,
                              stderr=subprocess.PIPE) as process:
            os.close(there)
            text = b""
            try:
                while part := os.read(here, 65536):
                    text += part
            except OSError:  # the other end is closed
                pass
            errors = process.stderr.read().decode()
        os.close(here)
        self.assertEqual(process.returncode, 0, errors)
        return text.decode().replace("\r\n", "\n").splitlines()

    def plain(self, lines):
        return [re.sub("\033\\[[0-9;]*m", "", line) for line in lines]

    def test_no_line_is_wider_than_the_terminal(self):
        for columns in (60, 80, 100, 140):
            with self.subTest(columns):
                lines = self.typed(columns, "run", "all", "-p", "4", "-s", "1K,64K", "--time", "1ms")
                self.assertLessEqual(max(map(len, self.plain(lines))), columns)
                self.assertIn("| algorithm", lines[0])
        self.assertTrue(any(line.startswith("Verdict") or "fastest" in line for line in lines))

    def test_columns_of_the_environment_count_on_a_terminal_only(self):
        wide = ("simulate", "ring,tree", "-p", "8", "-s", "1M", "--network", "torus:dims=2x4")
        self.assertLessEqual(max(map(len, self.typed(200, *wide, COLUMNS="70"))), 70)
        piped = subprocess.run(self.command(*wide), cwd=self.folder, env={**program.ALONE, "COLUMNS": "70"}, capture_output=True, text=True,
                               timeout=60, check=True).stdout
        self.assertGreater(max(map(len, piped.splitlines())), 100)

    def test_a_terminal_shows_all_columns_on_request(self):
        few = self.typed(200, "simulate", "ring,tree", "-p", "8")[0]
        self.assertNotIn("messages", few)
        self.assertIn("messages", self.typed(40, "simulate", "ring,tree", "-p", "8", "--columns", "all")[0])
        self.assertEqual(self.typed(40, "simulate", "ring,tree", "-p", "8", "--columns", "time,messages")[0].split(), ["|", "time", "|", "messages", "|"])

    def test_the_baseline_is_marked_and_no_color_is_respected(self):
        command = ("run", "ring", "-p", "2", "-s", "1K", "--time", "1ms", "-b", "threads")
        self.assertNotIn("\033", "".join(self.typed(100, *command, NO_COLOR="1")))
        out, _ = self.arlab(*command)
        self.assertNotIn("\033", out)


if __name__ == "__main__":
    unittest.main()
