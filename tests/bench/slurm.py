"""A Slurm cluster of one node, started for these tests: srun and sbatch run arlab as a job of MPI ranks.

Needs slurm-wlm, munge, and root, without which the tests are skipped, with the reason.
"""

import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import program

NODE = "arlab0"
CONF = """
ClusterName=arlab
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes={node} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def why_not():
    if getpass.getuser() != "root":
        return "needs root: Slurm's daemons start jobs of users"
    for name, package in (("slurmctld", "slurm-wlm"), ("slurmd", "slurm-wlm"), ("srun", "slurm-wlm"), ("munged", "munge")):
        if not shutil.which(name):
            return f"{name} is missing: apt-get install {package}"
    return ""


def free_ports(count):
    """Returns ports that nothing uses now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Three daemons with all their files in one folder."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="arlab-slurm-", dir="/tmp"))
        self.daemons = []
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        self.folder.chmod(0o755)
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o400)
        conf = CONF.format(host=socket.gethostname().split(".")[0], ports=free_ports(2), folder=self.folder, node=NODE)
        (self.folder / "slurm.conf").write_text(conf, encoding="utf-8")
        self.environment = {**program.ALONE, "SLURM_CONF": str(self.folder / "slurm.conf"), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "ASAN_OPTIONS": "detect_leaks=0"}  # Open MPI keeps what it allocates

    def start(self):
        f = self.folder
        self.daemon("munged", "--foreground", "--force", f"--key-file={f}/munge.key", f"--socket={f}/munge.socket",
                    f"--pid-file={f}/munged.pid", f"--log-file={f}/munged.log", f"--seed-file={f}/munge.seed")
        self.wait_for(lambda: (f / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D", "-f", f"{f}/slurm.conf")
        self.daemon("slurmd", "-D", "-f", f"{f}/slurm.conf", "-N", NODE)
        self.wait_for(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "an idle node")

    def daemon(self, *command):
        with open(self.folder / f"{command[0]}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out))

    def ask(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=30, check=False)
        return done.stdout

    def wait_for(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            for daemon in self.daemons:
                if daemon.poll() is not None:
                    raise RuntimeError(f"{daemon.args[0]} ended with {daemon.returncode}:\n{self.logs()}")
            if time.monotonic() > end:
                raise RuntimeError(f"no {what} in {seconds} s:\n{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        names = sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out"))
        return "\n".join(f"{path.name}:\n{path.read_text(encoding='utf-8', errors='replace')[-2000:]}" for path in names)

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Slurm(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = Cluster()
        try:
            cls.cluster.start()
        except RuntimeError as why:
            cls.cluster.stop()
            raise unittest.SkipTest(f"this machine does not run a Slurm cluster: {why}") from why
        types = cls.cluster.ask("srun", "--mpi=list") + subprocess.run(
            ["srun", "--mpi=list"], env=cls.cluster.environment, capture_output=True, text=True, check=False).stderr
        if "pmix" not in types:
            cls.cluster.stop()
            raise unittest.SkipTest(f"this Slurm has no pmix: {types}")

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        super().tearDownClass()

    def run_in(self, *command, code=0, **variables):
        done = subprocess.run(command, env={**self.cluster.environment, **variables}, cwd=self.folder, capture_output=True,
                              text=True, timeout=180, check=False)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}\n{done.stderr}\n{self.cluster.logs()}")
        return done.stdout + done.stderr

    def lines(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def test_srun(self):
        """One job of four ranks, beside MPI_Allreduce, with the step as the launch."""
        said = self.run_in("srun", "--mpi=pmix", "-n", "4", "--overcommit", *self.command("run", "ring,tree", "-n", "400",
                                                                                         "--runs", "8", "--json", "a.jsonl"))
        self.assertIn("MPI_Allreduce", said)
        context, *records = self.lines("a.jsonl")
        self.assertRegex(context["launch"], r"^slurm \d+\.\d+$")
        self.assertEqual({r["algorithm"] for r in records}, {"ring", "tree", "MPI_Allreduce"})
        for record in records:
            self.assertEqual((record["ranks"], record["wrong"], record["backend"]), (4, 0, "mpi"))
            program.validate(record)

    def test_srun_without_mpi(self):
        """Tasks that are not one job are refused, instead of four benchmarks of one rank each."""
        said = self.run_in("srun", "--mpi=none", "-n", "4", "--overcommit", *self.command("run", "ring", "-n", "400"), code=2)
        self.assertIn("srun --mpi=pmix", said)

    def test_launches(self):
        said = self.run_in(*self.command("run", "ring", "-p", "2", "-n", "400", "--runs", "6", "--launches",
                                         "2:launcher=srun --mpi=pmix --overcommit -n {}", "--json", "l.jsonl"))
        self.assertIn("launch 2 of 2", said)
        launches = [line["launch"] for line in self.lines("l.jsonl") if line["kind"] == "context"]
        self.assertEqual(len(set(launches)), 2, launches)

    def test_sbatch(self):
        """The script for clusters, whose records are named after the job."""
        script = pathlib.Path(__file__).parents[2] / "bench/cluster/run.slurm"
        said = self.run_in("sbatch", "--wait", "-N", "1", "--ntasks-per-node=2", "--parsable", str(script), "ring", "-n", "400",
                           "--runs", "6", ARLAB=program.ARLAB)
        job = said.split()[0]
        records = self.lines(f"arlab-run-{job}.jsonl")
        self.assertEqual({r["ranks"] for r in records if r["kind"] == "run"}, {2})
        self.assertEqual(records[0]["launch"], f"slurm {job}.0")

    def test_mpirun_in_an_allocation(self):
        """mpirun starts as many ranks as the allocation has; two launches of one allocation have two names."""
        line = f"mpirun {program.ARLAB} run ring -n 400 --runs 6 --json"
        self.run_in("salloc", "-n", "2", "sh", "-c", f"{line} one.jsonl && {line} two.jsonl")
        one, two = self.lines("one.jsonl"), self.lines("two.jsonl")
        self.assertEqual({r["ranks"] for r in one[1:] + two[1:]}, {2})
        self.assertRegex(one[0]["launch"], r"^slurm \d+\.")
        self.assertNotEqual(one[0]["launch"], two[0]["launch"])

    def test_stopped_rank(self):
        """A rank that stops is named within the timeout, and the step ends."""
        with open(self.folder / "err", "wb") as err:
            job = subprocess.Popen(["srun", "--mpi=pmix", "-n", "3", "--overcommit", "--kill-on-bad-exit=1",
                                    *self.command("run", "ring", "-n", "400,4000", "--start", "late=2:1s", "--runs", "3", "--timeout",
                                                  "1s", "--json", "s.jsonl")],
                                   env=self.cluster.environment, cwd=self.folder, stdout=err, stderr=err)
        end = time.monotonic() + 60
        while not (self.folder / "s.jsonl").exists() or len(self.lines("s.jsonl")) < 2:
            self.assertLess(time.monotonic(), end, (self.folder / "err").read_text(encoding="utf-8"))
            time.sleep(0.1)
        time.sleep(0.5)
        os.kill(self.process_of_rank(2), signal.SIGSTOP)
        self.assertNotEqual(job.wait(timeout=60), 0)
        said = (self.folder / "err").read_text(encoding="utf-8")
        self.assertIn("has not responded for 1 s", said)
        self.assertRegex(said, r"rank 2( stopped before its first round|, round \d: stopped); it owes \d messages?, first: round \d")
        self.assertGreaterEqual(len(self.lines("s.jsonl")), 2)

    def process_of_rank(self, rank):
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                variables = path.read_bytes().split(b"\0")
                name = (path.parent / "comm").read_text(encoding="utf-8")
            except OSError:
                continue
            if (name.startswith("arlab") and f"PMIX_RANK={rank}".encode() in variables
                    and f"SLURM_CONF={self.cluster.environment['SLURM_CONF']}".encode() in variables):
                return int(path.parent.name)
        self.fail(f"no process of rank {rank}")


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}", file=sys.stderr)
        sys.exit(77)
    result = unittest.main(verbosity=2, exit=False).result
    sys.exit(77 if result.testsRun == 0 and result.skipped else not result.wasSuccessful())
