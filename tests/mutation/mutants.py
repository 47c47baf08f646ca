"""Reads mutants.txt.

    # comment of the next mutant; "# equivalent: reason" marks one that no test can see
    @ algorithms/catalog/ring.cpp
    -for (Count s = 1; s < p.ranks; ++s)
    +for (Count s = 1; s <= p.ranks; ++s)

The `-` line is a whole line of the file without its indentation. If several are equal, `-2 ` means the second one.
"""
import dataclasses
import hashlib
import pathlib
import re


NUMBERS = 1 << 16  # more than mutants


@dataclasses.dataclass
class Mutant:
    file: str
    was: str
    now: str
    nth: int = 1
    equivalent: str = ""
    at: int = 0  # line in the list

    @property
    def key(self):
        return hashlib.sha1(f"{self.file}\n{self.nth}\n{self.was}\n{self.now}".encode()).hexdigest()[:12]

    @property
    def compiled(self):
        return self.file.endswith((".cpp", ".hpp", ".inl", ".inc", ".cu", ".cuh"))

    @property
    def selectable(self):
        """Whether it may share a build with others: the text of an .inc file may lie in a namespace, or in a GPU kernel."""
        return self.compiled and not self.file.endswith(".inc")

    def find(self, lines):
        """The index of the mutated line; raises ValueError if there is none."""
        found = [i for i, line in enumerate(lines) if line.strip() == self.was]
        if len(found) < self.nth:
            raise ValueError(f"mutants.txt:{self.at}: {self.file} has no line '{self.was}': correct the list")
        return found[self.nth - 1]

    def fits(self, root):
        """Whether the mutated line still exists."""
        try:
            return self.find((root / self.file).read_text().split("\n")) >= 0
        except (OSError, ValueError):
            return False

    def replaced(self, line):
        return line[: len(line) - len(line.lstrip())] + self.now


def read(path):
    mutants, file, equivalent, was = [], "", "", None
    for number, line in enumerate(pathlib.Path(path).read_text().split("\n"), 1):
        if line.startswith("@ "):
            file = line[2:].strip()
        elif line.startswith("# equivalent: "):
            equivalent = line[len("# equivalent: "):]
        elif match := re.match(r"-(\d+ )?(.*)", line):
            was = (int(match[1] or 1), match[2].strip())
        elif line.startswith("+") and was:
            mutants.append(Mutant(file, was[1], line[1:].strip(), was[0], equivalent, number))
            was, equivalent = None, ""
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{path}:{number}: '{line}' is neither a file (@), a line (-), a replacement (+), nor a comment (#)")
    keys = {}
    for mutant in mutants:
        if mutant.key in keys:
            raise ValueError(f"{path}:{mutant.at}: the same mutant as in line {keys[mutant.key]}: delete one")
        keys[mutant.key] = mutant.at
    return mutants


def numbers(mutants):
    """A number for each mutant. It hardly depends on the other mutants, so that an addition recompiles one file."""
    given = {}
    for mutant in mutants:
        number = int(mutant.key, 16) % NUMBERS
        while number in given:
            number = (number + 1) % NUMBERS
        given[number] = mutant.key
    return {key: number for number, key in given.items()}
