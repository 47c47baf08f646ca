"""Records of all commands end to end: their schema, and the same as CSV."""

import json
import unittest

import program

SWEEP = ("count", program.SIX, "-p", "2..6+1", "-n", "3,1000")


class Schema(program.ProgramTest):
    """docs/records.schema.json describes the output of every command, and nothing else."""

    @unittest.skipIf(program.jsonschema is None, "needs jsonschema (apt install python3-jsonschema)")
    def test_the_output_of_every_command_is_valid(self):
        for line in (("count", "ring"), ("count", "ring", "-c", "broadcast"), ("verify", "tree", "-p", 4),
                     ("simulate", "ring", "-p", 4), ("simulate", "ring", "-p", 4, "--network", "fluid", "--record", "links=2"),
                     ("bound", "mesh:dims=3x2"), ("bound", "ring:hosts=4,slow=h0-h1:3"),
                     ("run", "ring", "-p", 2, "-s", "1K", "--time", 0)):
            with self.subTest(line=line):
                self.assertTrue(self.records(*line))  # validated by parse()
        for algorithm in ("ring", "pat", "double_tree"):
            program.validate(json.loads(self.arlab("export", algorithm, "-p", 5)[0]))

    @unittest.skipIf(program.jsonschema is None, "needs jsonschema (apt install python3-jsonschema)")
    def test_other_keys_and_types_are_not(self):
        for change in ({"surprise": 1}, {"ranks": "8"}, {"schema": 1}, {"kind": "measure"}, {"claimed": {"messages": 1}}):
            [record] = self.records("count", "ring")
            with self.subTest(change=change), self.assertRaises(AssertionError):
                program.validate({**record, **change})
        [record] = self.records("count", "ring")
        for key in record:
            with self.subTest(missing=key), self.assertRaises((AssertionError, KeyError)):
                program.validate({name: value for name, value in record.items() if name != key})

    def test_a_sweep_of_schema_1_is_resumed(self):
        self.arlab("count", "ring", "-p", "2,3", "--json", "a.jsonl")
        lines = self.read("a.jsonl").replace('"schema":2', '"schema":1').replace("_gb_per_s", "_gbps").splitlines(keepends=True)
        (self.folder / "a.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
        _, err = self.arlab("count", "ring", "-p", "2,3", "--json", "a.jsonl", "--resume", "--csv", "a.csv")
        self.assertIn("the file already held 1 of 2 configurations", err)
        self.assertEqual([json.loads(line)["schema"] for line in self.read("a.jsonl").splitlines()], [1, 1, 2, 2])
        self.assertEqual([row["schema"] for row in program.rows(self.read("a.csv"))], ["2", "2"])
        self.arlab("report", "a.jsonl")


class Csv(program.ProgramTest):
    def test_csv_holds_what_json_holds(self):
        self.arlab("simulate", "all", "-p", "2,3", "-s", "1K", "--network", "loggops", "--disturb", "jitter=1us,runs=2",
                   "--json", "a.jsonl", "--csv", "a.csv")
        records = program.parse(self.read("a.jsonl"))[1]
        table = program.rows(self.read("a.csv"))
        self.assertEqual(len(table), len(records))
        for row, record in zip(table, records):
            self.assertLessEqual(program.flat({key: record[key] for key in program.IDENTITY}).items(), row.items())
            self.assertEqual(row, program.flat(record))

    def test_skipped_records_have_the_same_columns(self):
        self.arlab("count", "tree,ring", "-c", "broadcast", "-p", 4, "--json", "a.jsonl", "--csv", "a.csv")
        table = program.rows(self.read("a.csv"))
        self.assertEqual([row["skipped"] for row in table], ["", "ring has no broadcast form"])
        self.assertEqual(table[0].keys(), table[1].keys())
        self.assertNotIn(None, table[1].keys())

    def test_a_resumed_sweep_writes_all_rows_again(self):
        self.arlab(*SWEEP, "--json", "whole.jsonl", "--csv", "whole.csv")
        lines = self.read("whole.jsonl").splitlines(keepends=True)
        (self.folder / "cut.jsonl").write_text("".join(lines[:8]), encoding="utf-8")
        self.arlab(*SWEEP, "--json", "cut.jsonl", "--resume", "--csv", "cut.csv")
        self.assertEqual(self.read("cut.csv"), self.read("whole.csv"))

    def test_an_earlier_csv_is_kept(self):
        (self.folder / "a.csv").write_text("precious\n", encoding="utf-8")
        _, err = self.arlab("count", "ring", "--csv", "a.csv")
        self.assertIn("kept the earlier a.csv as a.csv.1", err)
        self.assertEqual(self.read("a.csv.1"), "precious\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
