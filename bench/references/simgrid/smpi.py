"""SimGrid's SMPI, set up to know what the fluid model knows, replaying schedules of ours.

The network is the same graph: a SPLITDUPLEX cluster, or a fat tree with SimGrid's own D-mod-k routing. CM02 without
cross-traffic and without a TCP window is max-min sharing plus latency; sends wait for their receives; processors cost
nothing. SMPI adds 16 bytes to each message: `--envelope 16`.
"""

import math
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
from dataclasses import dataclass

BANDWIDTH, LATENCY = "10GB/s", "1us"  # of every link
ENVELOPE = 16  # bytes

OPTIONS = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "smpi/send-is-detached-thresh:0",
           "smpi/os:0:0:0:0:0", "smpi/or:0:0:0:0:0", "smpi/ois:0:0:0:0:0", "smpi/host-speed:1Gf", "smpi/display-timing:yes",
           "surf/precision:1e-12", "contexts/stack-size:128"]


def missing():
    """Why SMPI cannot be asked here; empty if it can."""
    return "" if shutil.which("smpirun") else "SimGrid is not installed: apt install libsimgrid-dev"


def crashes_on_fat_trees():
    """Debian 13's does, as on all its clusters with a topology."""
    said = subprocess.run(["smpirun", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"SimGrid version 4\.0\b", said) is not None


@dataclass(frozen=True)
class Fabric:
    """A network for n ranks, in our words and in SimGrid's."""

    name: str
    topology: str  # what `arlab --network` takes
    cluster: str  # attributes of SimGrid's <cluster>


def crossbar(ranks):
    return Fabric("crossbar", f"crossbar:hosts={ranks},bandwidth={BANDWIDTH},latency={LATENCY}", "")


def fat_tree(ranks, oversubscription):
    """Two levels: about sqrt(ranks) leaves; each has as many links up as hosts, divided by the oversubscription."""
    down = 1 << (int(math.log2(ranks)) + 1) // 2
    leaves, up = ranks // down, down // oversubscription
    shape = f"down={down}x{leaves},up=1x{up},count=1x1"
    return Fabric(f"fat tree {oversubscription}:1", f"fat_tree:{shape},bandwidth={BANDWIDTH},latency={LATENCY}",
                  f'topology="FAT_TREE" topo_parameters="2;{down},{leaves};1,{up};1,1"')


def write_platform(fabric, ranks, path):
    path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="network" prefix="h" suffix="" radical="0-{ranks - 1}" speed="1Gf" {fabric.cluster}
           bw="{BANDWIDTH.replace("B/s", "Bps")}" lat="{LATENCY}" sharing_policy="SPLITDUPLEX"/>
</platform>
""", encoding="utf-8")


@dataclass(frozen=True)
class Replay:
    seconds: float  # simulated
    cpu: float  # seconds of CPU time that the simulation took


def run_for_cpu(command, folder, timeout):
    """What the command printed, and the CPU time it and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as process:
        try:
            text, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # smpirun leaves its simulation running
            raise
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed with {process.returncode}:\n{text}")
    return text, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def replay(trace, hosts, fabric, folder, timeout=600):
    """Runs the trace (a file) with rank r on hosts[r]. The folder is for temporary files."""
    folder = pathlib.Path(folder)
    write_platform(fabric, len(hosts), folder / "platform.xml")
    (folder / "hosts").write_text("\n".join(hosts) + "\n", encoding="utf-8")
    (folder / "traces").write_text(f"{trace}\n", encoding="utf-8")
    command = ["smpirun", "-np", str(len(hosts)), "-platform", "platform.xml", "-hostfile", "hosts", "-replay", "traces",
               *(f"--cfg={option}" for option in OPTIONS)]
    text, cpu = run_for_cpu(command, folder, timeout)
    found = re.search(r"Simulated time: (\S+) seconds", text)
    if not found:
        raise RuntimeError(f"smpirun does not say how long it took in simulated time:\n{text}")
    return Replay(float(found[1]), cpu)
