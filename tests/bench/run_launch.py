"""arlab launch: the line of mpirun that it says and becomes."""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import unittest

import program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import open_mpi  # noqa: E402

MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpirun")
FAKE = """#!/bin/sh
if [ "$1" = --version ]; then echo "{version}"; exit 0; fi
printf '%s\\n' "$@" "path=$PYTHONPATH"
exit 7
"""


def passed_on(words):
    """The variables that other hosts get."""
    return [name for option, name in zip(words, words[1:]) if option == "-x"]


class Launch(program.ProgramTest):
    def job(self, *words, version="mpirun (Open MPI) 4.1.4", **variables):
        """Status, words that a stand-in for mpirun got, and stderr."""
        fake = self.folder / "mpirun"
        fake.write_text(FAKE.format(version=version))
        fake.chmod(stat.S_IRWXU)
        environment = {name: program.ALONE[name] for name in ("HOME", "ASAN_OPTIONS") if name in program.ALONE}
        environment |= {"PATH": f"{self.folder}:{os.environ['PATH']}", **variables}
        done = subprocess.run([program.ARLAB, "launch", *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_the_line_is_said_and_its_status_returned(self):
        status, words, err = self.job("-np", "4", "-H", "a:2,b:2", "python3", "train.py", "--config", "x y", HOROVOD_CYCLE_TIME="1", ARLAB_ALGORITHM="ring")
        self.assertEqual(status, 7)
        mine = words[words.index("-np"):-1]
        self.assertEqual(mine, ["-np", "4", "-H", "a:2,b:2", "python3", "train.py", "--config", "x y"])
        self.assertEqual(words[:2], ["--bind-to", "none"])
        self.assertEqual(passed_on(words)[:3], ["ARLAB_ALGORITHM", "HOROVOD_CYCLE_TIME", "PATH"])
        self.assertRegex(err, r"^(PYTHONPATH=\S+ )?mpirun --bind-to none -x .* -np 4 -H a:2,b:2 python3 train.py --config 'x y'\n$")

    def test_what_is_given_is_not_given_twice(self):
        _, words, _ = self.job("--bind-to", "core", "-x", "ARLAB_ALGORITHM=ring", "-x", "PATH", "true", ARLAB_ALGORITHM="tree")
        self.assertEqual(words.count("--bind-to"), 1)
        self.assertEqual([name for name in passed_on(words) if name.startswith(("ARLAB", "PATH"))], ["ARLAB_ALGORITHM=ring", "PATH"])

    def test_other_launchers_get_the_words_only(self):
        _, words, _ = self.job("-np", "2", "true", version="HYDRA build details:")
        self.assertEqual(words[:-1], ["-np", "2", "true"])

    def test_scripts_find_the_package_beside_the_program(self):
        package = pathlib.Path(program.ARLAB).resolve().parent.parent / "python"
        if not (package / "arlab/__init__.py").exists():
            self.skipTest(f"no Python package in {package}")
        for before in ("", "/mine"):
            _, words, _ = self.job("true", PYTHONPATH=before)
            self.assertEqual(words[-1], "path=" + ":".join(filter(None, [before, str(package)])))

    def test_mistakes_say_what_to_do(self):
        _, err = self.arlab("launch", code=2)
        self.assertEqual(err, "error: launch has nothing to start: give options of mpirun and a program, as in `arlab launch -np 2 python3 train.py`\n")
        status, _, err = self.job("true", OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
        self.assertEqual((status, err), (2, "error: launch starts a job: start it once, without mpirun\n"))
        done = subprocess.run([program.ARLAB, "launch", "true"], env={"PATH": "/nowhere"}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("error: launch needs mpirun, which does not start here: apt install openmpi-bin", done.stderr)

    @unittest.skipUnless(MPIEXEC and pathlib.Path(MPIEXEC).name == "mpirun", "mpirun not found")
    def test_a_real_job(self):
        job = program.ALONE | open_mpi.ENVIRONMENT
        done = subprocess.run([program.ARLAB, "launch", "-np", "2", "sh", "-c", "echo rank; exit 5"], env=job, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("rank\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
