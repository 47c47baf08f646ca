"""The list of mutants fits the sources, and mutants that share a build leave the original as it was."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutants  # noqa: E402
import schemata  # noqa: E402


def form(was, now, before="", after=""):
    return schemata.select(was, now, 7, "m", before, after)


class List(unittest.TestCase):
    every = mutants.read(ROOT / "tests" / "mutation" / "mutants.txt")

    def test_it_is_long_and_spread_over_all_folders(self):
        self.assertGreaterEqual(len(self.every), 150)
        for folder in ("algorithms", "simulator", "collectives", "training", "bench", "plots"):
            self.assertGreaterEqual(sum(m.file.startswith(folder + "/") for m in self.every), 10, folder)

    def test_all_mutants_fit_the_sources(self):
        self.assertEqual([f"{m.at}: {m.file}: {m.was}" for m in self.every if not m.fits(ROOT)], [])

    def test_sources_of_every_kind_are_built(self):
        for name in ("a.cpp", "a.hpp", "a.inl", "a.inc", "a.cu", "a.cuh"):
            self.assertTrue(mutants.Mutant(name, "x", "y").compiled, name)
        self.assertEqual([m.file for m in self.every if not m.compiled and not m.file.endswith((".py", ".js", ".html"))], [])

    def test_included_text_is_built_alone(self):
        self.assertTrue(mutants.Mutant("a.inl", "x", "y").selectable)
        for name in ("a.inc", "a.py"):
            self.assertFalse(mutants.Mutant(name, "x", "y").selectable, name)

    def test_each_changes_its_line_and_has_its_own_number(self):
        self.assertEqual([m.at for m in self.every if m.was == m.now], [])
        numbers = mutants.numbers(self.every)
        self.assertEqual(len(set(numbers.values())), len(self.every))


class Forms(unittest.TestCase):
    def test_an_expression_is_as_small_as_its_operators_allow(self):
        self.assertEqual(form("  if (a < b && c) return;", "  if (a <= b && c) return;"),
                         "  if ((m(7) ? (a <= b) : (a < b)) && c) return;")
        self.assertEqual(form("return a && b;", "return a || b;"), "return (m(7) ? (a || b) : (a && b));")
        self.assertEqual(form("f(x, y + 1);", "f(x, y);"), "f(x, (m(7) ? (y) : (y + 1)));")
        self.assertEqual(form("for (int i = 0; i < n; ++i)", "for (int i = 1; i < n; ++i)"),
                         "for (int i = (m(7) ? (1) : (0)); i < n; ++i)")

    def test_assignments_and_deleted_calls_are_statements(self):
        self.assertEqual(form("  x += y;", "  x = y;"), "  { if (m(7)) { x = y; } else { x += y; } }")
        self.assertEqual(form("f(x);", ";"), "{ if (m(7)) { ; } else { f(x); } }")

    def test_what_parentheses_would_change_is_compiled_alone(self):
        self.assertIsNone(form("a + b;", "a - b;", before="x *"))
        self.assertIsNone(form("} else {", "} else if (x) {"))

    def test_strings_and_comments_are_not_code(self):
        self.assertEqual(schemata.masked('f("a;b", \'(\');  // g('), 'f("xxx", \'x\');' + " " * 7)
        self.assertEqual(form('f("a, b" + x);  // why', 'f("a, b");'), 'f((m(7) ? ("a, b") : ("a, b" + x)));')


if __name__ == "__main__":
    unittest.main(verbosity=2)
