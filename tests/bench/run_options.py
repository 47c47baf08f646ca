"""The vocabulary of the command line: every --help is read. Few options, one meaning per name, plain English."""

import collections
import os
import pathlib
import re
import subprocess
import sys
import unittest

import program

MOST = 250  # of all texts together, that of `arlab help` included, which has what commands share; those that -h leaves out, too
ABOUT = ("--help", "--version")
LINES = {"simulate": 50, "run": 45}  # of a help text, at most
PERF = "all_reduce_perf"  # whose options are those of nccl-tests

# What the help of a name begins with, wherever it stands. Others agree in the kind of their values.
MEANINGS = {
    "--seed": "Seed of random numbers",
    "--launcher": "Command that starts",
    "--table": "Tuning table",
    "--runs": "Timed runs per configuration",
    "--network": "Networks",
    "--batch": "",
    "--json": "Write ",
    "--dry-run": "Print the configurations",
    "--warmup": "Untimed runs",
}

# What a native reader stumbles over.
FOREIGN = (r"\b(time|bytes?|seconds?|microseconds?|samples?|bits) an? (byte|message|rank|step|run|host|worker|element|segment|GPU)\b",
           r"\bso many\b", r"\bnobody\b", r"\bwhat it (does|is)\b", r"\brequantise", r"\bof its own\b", r"\bgoes on\b", r"\bbecause of that\b",
           r"\bcolour\b", r"\bbehaviour\b", r"\bto see what that does\b")

OPTION = re.compile(r"  (-\S+)(?: +(.*))?$")


def helped(*words, option="-h"):
    done = subprocess.run([*words, option], env=program.ALONE, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          check=False)
    return done.stdout if done.returncode == 0 else ""


def commands():
    """The words that begin each command line."""
    names, seen = [], False
    for line in helped(program.ARLAB).splitlines():
        seen = seen and line != "" or line == "Subcommands:"
        if seen and (name := re.match(r"  ([a-z]+) ", line)):
            names.append(name[1])
    trains = os.environ.get("ARLAB_TRAINS", "1") == "1"
    return [(name,) for name in names if name != "train" or trains] + [("show", "topology")]


def options(text):
    """(long name, kind of value, description) of each option in a help text."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        found = OPTION.match(line)
        if not found:
            continue
        rest = found[2] or ""
        if value := re.match(r"([A-Z][A-Z:_-]*)(?: \.\.\.)?(?: +|$)", rest):
            rest = rest[value.end():]
        about = rest or (lines[i + 1].strip() if i + 1 < len(lines) else "")
        yield found[1].split(",")[-1], value[1] if value else "", about


def kind(value):
    """COUNTS are several of COUNT."""
    return value[:-3] + "Y" if value.endswith("IES") else value[:-1] if value.endswith("S") else value


class Vocabulary(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.texts = {" ".join(words): helped(program.ARLAB, *words) for words in commands()}
        cls.texts[PERF] = helped(str(pathlib.Path(program.ARLAB).with_name(PERF)))
        cls.whole = {" ".join(words): helped(program.ARLAB, *words, option="--help") for words in commands()}
        cls.whole |= {"arlab": helped(program.ARLAB), PERF: cls.texts[PERF]}

    def test_every_command_has_a_help(self):
        self.assertGreater(len(self.texts), 15)
        self.assertEqual([name for name, text in self.texts.items() if not text], [])

    def test_there_are_few_options(self):
        counts = {name: sum(option not in ABOUT for option, _, _ in options(text)) for name, text in self.whole.items()}
        self.assertLessEqual(sum(counts.values()), MOST, f"make the new option a setting of another one (bench/options/settings.hpp): {counts}")

    def test_the_whole_help_has_what_the_short_one_has(self):
        for name in ("simulate", "run", "train", "plan"):
            shown, whole = ({option for option, _, _ in options(texts.get(name, ""))} for texts in (self.texts, self.whole))
            self.assertLessEqual(shown, whole, name)

    def test_long_helps_are_short(self):
        for name, most in LINES.items():
            self.assertLessEqual(len(self.whole[name].splitlines()), most, f"{name}: shorten its descriptions, or make the option a setting of another")

    def test_rare_options_are_in_the_whole_help_only(self):
        self.assertNotIn("--start ", self.texts["run"])
        for whole in (self.whole["run"], helped(program.ARLAB, "run", option="--help-all")):  # which is its old name
            self.assertIn("Rarely used:", whole)
            self.assertIn("--start ", whole)

    def test_a_name_has_one_meaning(self):
        kinds, abouts = collections.defaultdict(dict), collections.defaultdict(dict)
        for command, text in self.whole.items():
            if command == PERF:
                continue
            for name, value, about in options(text):
                kinds[name].setdefault(kind(value), command)
                abouts[name][command] = about
        wrong = [f"{name} takes values of several types, so rename one: {', '.join(f'{value or chr(45)} ({command})' for value, command in by.items())}"
                 for name, by in kinds.items() if len(by) > 1]
        for name, begin in MEANINGS.items():
            wrong += [f"{name} ({command}): '{about}' does not begin with '{begin}'"
                      for command, about in abouts[name].items() if not about.startswith(begin)]
        self.assertEqual(wrong, [])

    def test_help_is_plain_american_english(self):
        for command, text in self.whole.items():
            for pattern in FOREIGN:
                for line in text.splitlines():
                    self.assertIsNone(re.search(pattern, line), f"{command}: {line.strip()}")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--count":
        Vocabulary.setUpClass()
        for command, help_text in Vocabulary.whole.items():
            print(command, len(help_text.splitlines()), "lines,", sum(name not in ABOUT for name, _, _ in options(help_text)), "options")
    else:
        unittest.main()
