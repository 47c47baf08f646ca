"""Sweeps in several processes: ranks in the environment, shared sweeps, and what is kept when processes fail."""

import os
import random
import signal
import subprocess
import time
import unittest

import program

SWEEP = ("count", "ring,tree,butterfly,circulant", "-p", "2..24+1", "-n", "3,1000")


class Share(program.ProgramTest):
    def launch(self, rank, ranks, *arguments):
        environment = {**program.ALONE, "SLURM_PROCID": str(rank), "SLURM_NTASKS": str(ranks)}
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process, code=0):
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, f"{out}\n{err}")
        return out, err

    def check_whole(self, name="shared.jsonl"):
        alone = program.parse(self.read("alone.jsonl"))[1]
        contexts, records = program.parse(self.read(name))
        self.assertEqual(records, alone)  # in the same order
        self.assertGreaterEqual(len(contexts), 1)
        self.assertEqual([path.name for path in self.folder.glob(f"{name}.*")], [])

    def setUp(self):
        super().setUp()
        self.arlab(*SWEEP, "--json", "alone.jsonl", "--csv", "alone.csv")

    def test_processes_at_once(self):
        for ranks in (1, 2, 5):
            with self.subTest(ranks=ranks):
                (self.folder / "shared.jsonl").unlink(missing_ok=True)
                processes = [self.launch(r, ranks, *SWEEP, "--json", "shared.jsonl", "--jobs", "share=on") for r in range(ranks)]
                ends = [self.end(process) for process in processes]
                self.assertEqual([out for out, _ in ends], [""] * ranks)
                records = len(program.parse(self.read("alone.jsonl"))[1])
                self.assertEqual(sum(err.count(f"merged {records} records into shared.jsonl") for _, err in ends), 1)
                self.check_whole()

    def test_processes_one_after_the_other_in_any_order(self):
        order = list(range(4))
        random.Random(3).shuffle(order)
        for rank in order:
            self.assertFalse((self.folder / "shared.jsonl").exists())
            self.end(self.launch(rank, 4, *SWEEP, "--json", "shared.jsonl", "--jobs", "share=on", "--csv", "shared.csv"))
        self.check_whole()
        self.assertEqual(self.read("shared.csv"), self.read("alone.csv"))

    def test_more_processes_than_configurations(self):
        processes = [self.launch(r, 5, "verify", "ring", "-p", "2,3", "--json", "shared.jsonl", "--jobs", "share=on") for r in range(5)]
        for process in processes:
            self.end(process)
        self.assertEqual([r["ranks"] for r in program.parse(self.read("shared.jsonl"))[1]], [2, 3])

    def test_a_part_that_failed_is_resumed(self):
        command = (*SWEEP, "--json", "shared.jsonl", "--jobs", "share=on")
        for rank in (0, 2):
            self.end(self.launch(rank, 3, *command))
        part = self.folder / "shared.jsonl.0-of-3"
        whole = part.read_bytes()
        part.write_bytes(whole[:len(whole) * 2 // 3])  # killed while it wrote
        self.end(self.launch(1, 3, *command))
        self.assertFalse((self.folder / "shared.jsonl").exists())
        _, err = self.end(self.launch(0, 3, *command), code=2)
        self.assertIn("shared.jsonl.0-of-3 is left of a sweep that did not end: continue it with --resume", err)
        self.end(self.launch(0, 3, *command, "--resume"))
        self.check_whole()

    def test_a_finished_sweep_is_continued(self):
        command = ("count", "ring", "--json", "shared.jsonl", "--jobs", "share=on")
        for rank in range(2):
            self.end(self.launch(rank, 2, *command, "-p", "2..8+1"))
        for rank in range(3):  # other processes, and other configurations
            self.end(self.launch(rank, 3, *command, "-p", "4..12+1", "--resume"))
        self.assertEqual([r["ranks"] for r in program.parse(self.read("shared.jsonl"))[1]], list(range(2, 13)))
        self.assertEqual([path.name for path in self.folder.glob("shared.jsonl.*")], [])

    def test_a_late_process_leaves_nothing(self):
        command = (*SWEEP, "--json", "shared.jsonl", "--jobs", "share=on")
        self.end(self.launch(1, 2, *command))
        self.end(self.launch(0, 2, *command, "--resume"))  # merges
        _, err = self.end(self.launch(1, 2, *command, "--resume"))
        self.assertIn("rank 1 of 2: shared.jsonl holds all of its records\n", err)
        self.check_whole()

    def test_a_file_that_was_cut_is_continued(self):
        command = (*SWEEP, "--json", "shared.jsonl", "--jobs", "share=on")
        for rank in range(2):
            self.end(self.launch(rank, 2, *command))
        (self.folder / "shared.jsonl").write_text(self.read("shared.jsonl")[:-40], encoding="utf-8")
        for rank in range(2):
            self.end(self.launch(rank, 2, *command, "--resume"))
        self.check_whole()

    def test_killed_at_any_time_nothing_is_lost(self):
        command = ("simulate", "ring,tree,butterfly,all_to_all,swing", "-p", "2..40+1", "-s", "64K", "--json", "killed.jsonl", "--jobs", "share=on")
        self.arlab(*command[:-2])
        expected = program.parse(self.read("killed.jsonl"))[1]
        (self.folder / "killed.jsonl").unlink()
        rounds = random.Random(5)
        for attempt in range(20):
            more = ("--resume",) if attempt else ()
            processes = [self.launch(r, 3, *command, *more) for r in range(3)]
            time.sleep(0.02 + 0.1 * rounds.random())
            if attempt < 4:
                victim = processes[rounds.randrange(3)]
                victim.send_signal(signal.SIGKILL)
            for process in processes:
                process.communicate(timeout=120)
            if (self.folder / "killed.jsonl").exists():
                break
        self.assertEqual(program.parse(self.read("killed.jsonl"))[1], expected)

    def test_an_earlier_file_is_kept(self):
        (self.folder / "shared.jsonl").write_text("earlier\n", encoding="utf-8")
        for rank in range(2):
            self.end(self.launch(rank, 2, *SWEEP, "--json", "shared.jsonl", "--jobs", "share=on"))
        self.assertEqual(self.read("shared.jsonl.1"), "earlier\n")
        (self.folder / "shared.jsonl.1").unlink()
        self.check_whole()

    def test_it_needs_ranks_and_a_file(self):
        _, err = self.arlab(*SWEEP, "--jobs", "share=on", "--json", "shared.jsonl", code=2)
        self.assertIn("--jobs share finds no rank in the environment", err)
        for more in ((), ("--json", "-")):
            _, err = self.end(self.launch(1, 2, *SWEEP, "--jobs", "share=on", *more), code=2)
            self.assertIn("add --json FILE", err)
        _, err = self.end(self.launch(7, 2, *SWEEP, "--jobs", "share=on", "--json", "shared.jsonl"), code=2)
        self.assertIn("SLURM_PROCID is '7' and SLURM_NTASKS is '2'", err)


class Ranks(program.ProgramTest):
    """A rank in the environment changes nothing for a command that does not communicate."""

    def test_every_command_works_in_every_process(self):
        self.arlab("count", "ring", "--json", "a.jsonl")
        commands = (("count", "ring"), ("verify", "ring", "-p", "3"), ("simulate", "ring", "-p", "4"), ("show", "ring", "-p", "3"),
                    ("list", "types"), ("export", "ring", "-p", "3"), ("report", "a.jsonl", "-o", "-"))
        all_alone = {command: self.arlab(*command) for command in commands}
        for variables in ({"SLURM_PROCID": "3", "SLURM_NTASKS": "4"}, {"PMI_RANK": "3", "PMI_SIZE": "4"},
                          {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, {"SLURM_PROCID": "nonsense"}):
            for command in commands:
                with self.subTest(variables=variables, command=command):
                    done = subprocess.run(self.command(*command), cwd=self.folder, env={**program.ALONE, **variables},
                                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
                    alone = all_alone[command]
                    self.assertEqual((done.returncode, done.stderr), (0, alone[1]))
                    if command[0] != "report":  # holds the time
                        self.assertEqual(done.stdout, alone[0])
                    self.assertTrue(done.stdout)

    def test_every_process_that_fails_says_why(self):
        variables = {"SLURM_PROCID": "3", "SLURM_NTASKS": "4"}
        for command in (("run", "rign"), ("train", "--nosuch"), ("count", "ring", "-p", "0"), ("nosuch",)):
            done = subprocess.run(self.command(*command), cwd=self.folder, env={**program.ALONE, **variables},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
            self.assertIn(done.returncode, (2, 3))
            self.assertRegex(done.stderr, "error: rank 3: ")

    @unittest.skipIf(os.name != "posix", "needs file locks")
    def test_two_processes_do_not_write_one_file(self):
        endless = ("run", "ring", "-p", "2", "-s", "16M", "--runs", "1000000", "--json", "a.jsonl")
        path = self.folder / "a.jsonl"
        with self.start(*endless) as process:
            try:
                deadline = time.monotonic() + 60
                while not path.exists() or path.stat().st_size == 0:  # the first line is written under the lock
                    self.assertLess(time.monotonic(), deadline, "nothing came to be in a.jsonl")
                    time.sleep(0.01)
                _, err = self.arlab("count", "ring", "--json", "a.jsonl", code=3)
                self.assertIsNone(process.poll(), "the writer ended first")
            finally:
                process.terminate()
                process.communicate(timeout=120)
        self.assertIn("another process writes a.jsonl", err)
        self.assertNotIn('"kind":"count"', path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
