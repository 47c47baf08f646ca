"""The scripts of a fresh machine, with stand-ins for apt, dpkg, CMake, and the programs, which write slowly and much.

    test_lab.py [SOURCE]
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def engine(llvm):
    return {f"clang-{llvm}", f"lld-{llvm}", f"libc++-{llvm}-dev-wasm32", f"libc++abi-{llvm}-dev-wasm32", f"libclang-rt-{llvm}-dev-wasm32", "wasi-libc"}


ENGINE = engine(16)
FAKES = {
    "id": "echo 0",
    "dpkg-query": "sleep 0.01; exit 1",
    # More than a pipe holds: whoever stops reading ends it by SIGPIPE.
    "apt-cache": """case " $LACKS " in *" $2 "*) echo "E: No packages found" >&2; exit 100 ;; esac
echo "Package: $2"; sleep 0.05; i=0; while [ $i -lt 3000 ]; do echo "Description: a line of many, as packages have them"; i=$((i + 1)); done""",
    "apt-get": """[ "$1" != update ] || exit 0
case " $* " in *" $SLOW "*) sleep "$APT_SECONDS" ;; esac
case " $* " in *" $APT_FAILS "*) exit 100 ;; esac
echo "installed $*" >>"$LOG\"""",
    "cmake": """echo "cmake $*" >>"$LOG"
case " $* " in *" $CMAKE_FAILS "*) exit 1 ;; esac
mkdir -p build/release/bench && echo "Torch_DIR:PATH=/torch" >build/release/CMakeCache.txt
printf '#!/bin/sh\\necho "arlab $*" >>"$LOG"\\n' >build/release/bench/arlab && chmod +x build/release/bench/arlab""",
    "ctest": 'echo "ctest $*" >>"$LOG"; exit "$CTEST_STATUS"',
    "mpirun": 'shift 2; exec "$@"',
    "debootstrap": 'echo "debootstrap $*" >>"$LOG"; mkdir -p "$3/etc/apt/apt.conf.d" "$3/tmp" && echo 12 >"$3/etc/debian_version" && exit "$MADE"',
    "dpkg-deb": 'basename "$2" | cut -d _ -f 1',
    "chown": "exit 0",
    "apt-config": "echo 'Acquire::Retries \"3\";'",
    "git": 'mkdir -p "$4"',
    "mount": "exit 0",
    "umount": 'echo "umount $*" >>"$LOG"; exit "$UNMOUNTED"',
    "chroot": """echo "chroot $*" >>"$LOG"
case "$*" in *"command -v"*) exit "$COMPILER" ;; *mpirun*) echo "$MPI_SAYS" ;; esac
exit "$LAB_STATUS\"""",
}


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="arlab-lab-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for script in ("lab", "tests/fresh_machine.sh", "tests/release_machine.sh", "tests/support/fresh_root.sh"):
            (self.folder / script).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / script, self.folder / script)
        (self.folder / "bin").mkdir()
        for name, lines in FAKES.items():
            path = self.folder / "bin" / name
            path.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
            path.chmod(0o755)
        (self.folder / "plots").mkdir()
        (self.folder / "plots" / "charts").write_text("", encoding="utf-8")

    def run_script(self, *words, code=0, **variables):
        """Returns what it said, and the lines that the stand-ins noted."""
        log = self.folder / "log"
        log.write_text("", encoding="utf-8")
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "LOG": str(log), "LACKS": "", "APT_FAILS": "-",
                       "CMAKE_FAILS": "-", "CTEST_STATUS": "0", "APT_SECONDS": "0", "SLOW": "libtorch-dev", "MADE": "0", "UNMOUNTED": "0", "LAB_STATUS": "0",
                       "COMPILER": "1", "MPI_SAYS": "arlab: 1 of 1 calls of MPI_Allreduce ran by arlab",
                       **variables}
        done = subprocess.run(words, cwd=self.folder, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout, log.read_text(encoding="utf-8").splitlines()


def asked_for(log):
    """The packages that apt-get was told to install."""
    return {word for line in log if line.startswith("installed") for word in line.split()[1:]}


class Lab(ScriptTest):
    def test_everything_that_the_system_offers_is_installed(self):
        said, log = self.run_script("./lab", "test")
        self.assertLessEqual(ENGINE | {"g++", "libtorch-dev", "python3-torch", "libgloo-dev", "catch2"}, asked_for(log), said)
        self.assertNotIn("does not have the package", said)
        self.assertIn("ctest --preset ci", log)

    def test_what_only_tests_run_is_installed_while_the_compiler_runs(self):
        said, log = self.run_script("./lab", "test", APT_SECONDS="1", SLOW="hpcc")
        order = [next(i for i, line in enumerate(log) if re.search(what, line)) for what in (
            "installed .* g.. .*libtorch-dev.* catch2", "cmake --build --preset ci", "installed .* hpcc .* chromium", "ctest --preset ci")]
        self.assertEqual(order, sorted(order), log)
        for failing in ("g++", "hpcc"):
            said, log = self.run_script("./lab", "test", code=3, APT_FAILS=failing)
            self.assertIn("apt-get could not install", said)
            self.assertFalse([line for line in log if line.startswith("ctest")])
        said, log = self.run_script("./lab", "test", code=3, CMAKE_FAILS="--build", APT_SECONDS="1", SLOW="hpcc")
        self.assertIn("the tests did not build", said)
        self.assertTrue(log[-1].startswith("installed"), "the installation ended, too")

    def test_packages_builds_nothing(self):
        said, log = self.run_script("./lab", "packages")
        self.assertLessEqual(ENGINE | {"g++", "catch2", "mkdocs-material"}, asked_for(log), said)
        self.assertFalse([line for line in log if line.startswith(("cmake", "ctest"))])

    def test_the_long_tests_run_when_asked_for(self):
        _, log = self.run_script("./lab", "test", "all")
        self.assertIn("ctest --preset ci-all", log)
        said, log = self.run_script("./lab", "test", "everything", code=2)
        self.assertIn("unknown tests 'everything': use all, or nothing", said)

    def test_what_it_does_not_offer_is_left_out_and_said(self):
        said, log = self.run_script("./lab", "test", LACKS="wasi-libc libgloo-dev libtorch-dev")
        self.assertFalse(asked_for(log) & (ENGINE | {"libgloo-dev", "libtorch-dev"}))
        self.assertIn("python3-torch", asked_for(log))
        self.assertIn("explorer: with precomputed runs only, since this system does not have the package wasi-libc", said)
        self.assertIn("rows of Gloo: none, since this system does not have the package libgloo-dev", said)

    def test_the_engine_is_built_by_the_llvm_that_the_system_offers(self):
        said, log = self.run_script("./lab", "test", LACKS="clang-16")  # Debian 13
        self.assertLessEqual(engine(19), asked_for(log), said)
        self.assertNotIn("does not have the package", said)
        said, log = self.run_script("./lab", "test", LACKS="clang-16 clang-19")
        self.assertFalse(asked_for(log) & (engine(16) | engine(19)))
        self.assertIn("since this system does not have the package clang-19", said)

    def test_a_test_that_fails_fails_the_script(self):
        self.run_script("./lab", "test", code=8, CTEST_STATUS="8")

    def test_the_demo_answers_while_libtorch_is_being_installed(self):
        said, log = self.run_script("./lab", "demo", APT_SECONDS="3")
        self.assertLessEqual(ENGINE | {"libtorch-dev", "openmpi-bin"}, asked_for(log))
        order = [next(i for i, line in enumerate(log) if re.search(what, line)) for what in (
            "installed .* g.. .* libprotobuf-dev protobuf-compiler", "cmake --build .* arlab$", "arlab verify", "arlab simulate", "installed .* libtorch-dev",
            "cmake --build .* arlab_programs$", "arlab run", "arlab train", "arlab report", "arlab explore -o results/explore.html")]
        self.assertEqual(order, sorted(order), log)
        self.assertRegex(said, r"installed packages in \d+ s, compiled in \d+ s, ran in \d+ s")

    def test_the_demo_fails_with_the_packages_or_the_compiler(self):
        for failing in ("g++", "libtorch-dev"):
            said, _ = self.run_script("./lab", "demo", code=3, APT_FAILS=failing)
            self.assertIn("apt-get could not install", said)
        for failing in ("arlab", "arlab_programs"):
            said, _ = self.run_script("./lab", "demo", code=3, CMAKE_FAILS=failing)
            self.assertIn(f"{failing} did not build", said)


class FreshMachine(ScriptTest):
    def test_its_status_is_that_of_lab(self):
        for status in (0, 1, 3, 7):
            said, log = self.run_script("tests/fresh_machine.sh", "root", "demo", code=status, LAB_STATUS=str(status))
            self.assertIn(f"./lab demo on bookworm: status {status}", said)
            self.assertEqual(sum(line.startswith("umount") for line in log), 3, log)
            self.assertTrue(any(line.endswith("bash demo") for line in log), log)

    def test_half_a_chroot_is_made_again(self):
        self.run_script("tests/fresh_machine.sh", "root", "test", code=1, MADE="1")
        _, log = self.run_script("tests/fresh_machine.sh", "root", "test")
        self.assertTrue(log[0].startswith("debootstrap"), log)
        _, log = self.run_script("tests/fresh_machine.sh", "root", "test")
        self.assertTrue(log[0].startswith("chroot"), log)

    def test_what_stays_mounted_is_said(self):
        said, _ = self.run_script("tests/fresh_machine.sh", "root", "test", code=4, UNMOUNTED="1")
        self.assertIn("root/proc before you delete", said)


class ReleaseMachine(ScriptTest):
    ARCHIVE = "arlab-1.2.3-Linux-x86_64-portable.tar.gz"
    PACKAGES = ("arlab_1_amd64.deb", "arlab-plugins_1_amd64.deb", "libarlab-dev_1_amd64.deb", "python3-arlab_1_amd64.deb")

    def use(self, *files, **more):
        for file in files:
            (self.folder / file).write_text("", encoding="utf-8")
        return self.run_script("tests/release_machine.sh", "root", "bookworm", *files, **more)

    def test_a_user_without_rights_uses_the_archive(self):
        said, log = self.use(self.ARCHIVE)
        self.assertRegex(said, rf"{self.ARCHIVE} on bookworm: unpacked and used in \d+ ms")
        self.assertRegex("\n".join(log), rf"(?s)chroot --userspec=1000:1000 [^\n]* HOME=/tmp/user .*\ntar xf .* sh {self.ARCHIVE}")

    def test_one_that_fails_or_takes_long_fails(self):
        self.use(self.ARCHIVE, code=7, LAB_STATUS="7")
        said, _ = self.use(self.ARCHIVE, code=3, COMPILER="0")
        self.assertIn("has a compiler or CMake: name another folder", said)
        clock = self.folder / "bin" / "date"  # each time, 11 s later
        clock.write_text('#!/bin/sh\necho x >>clock; echo $(($(wc -l <clock) * 11000000000))\n', encoding="utf-8")
        clock.chmod(0o755)
        said, _ = self.use(self.ARCHIVE, code=1)
        self.assertIn("that is more than 10000 ms", said)

    def test_packages_are_installed_together_used_and_removed(self):
        said, log = self.use(*self.PACKAGES)
        for package in self.PACKAGES:
            self.assertIn(f"{package.partition('_')[0]} on bookworm: installed and used", said)
        self.assertEqual(len([line for line in log if "apt-get install" in line and "packages/*.deb" in line]), 1)
        self.assertTrue(any("apt-get purge" in line for line in log))
        said, _ = self.use(*self.PACKAGES, code=1, MPI_SAYS="arlab: 0 of 1 calls of MPI_Allreduce ran by arlab")
        self.assertIn("libarlab_mpi.so ran no MPI_Allreduce", said)

    def test_other_files_are_refused(self):
        self.assertIn("unknown file 'README.md'", self.use("README.md", code=2)[0])
        self.assertIn("no file none.deb", self.run_script("tests/release_machine.sh", "root", "bookworm", "none.deb", code=2)[0])


class Pipes(unittest.TestCase):
    """Under pipefail, a command whose reader ends early fails by SIGPIPE, now and then."""

    EARLY = re.compile(r"(?<!\|)\|&?\s*(grep\s+(-\w*[qm]|--quiet|--max-count)|head\b|sed\s+(-\w+\s+)*['\"]?(\d+|/[^/]*/)?\s*\{?q|awk\b[^|]*\bexit\b|read\b)")

    def early_readers(self, text):
        return [line for line in text.splitlines() if not line.lstrip().startswith("#") and self.EARLY.search(line)]

    def test_no_script_reads_early(self):
        scripts = [SOURCE / "lab", *SOURCE.glob(".ci/*"), *SOURCE.glob("bench/cluster/*"), *SOURCE.glob("tests/**/*.sh"),
                   *SOURCE.glob("bench/**/*.sh")]
        checked = 0
        for script in scripts:
            text = script.read_text(encoding="utf-8")
            if re.match(r"#!.*sh\b", text):
                checked += 1
                self.assertEqual(self.early_readers(text), [], script)
        self.assertGreater(checked, 10)

    def test_early_readers_are_recognized(self):
        for line in ("a | grep -q x", "a|grep -Fxq x", "a 2>/dev/null | head -n 1", "a | sed 3q", "a | awk '{ print; exit }'", "a | read -r b",
                     "a | grep -m1 x"):
            self.assertEqual(self.early_readers(line), [line])
        for line in ("a | grep x", "a || grep -q x b", "grep -q x <<<\"$a\"", "# a | head", "a | awk '{ print }'", "a | sed s/q/p/"):
            self.assertEqual(self.early_readers(line), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
