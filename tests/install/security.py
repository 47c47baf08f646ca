"""What is built and installed loads no library from the current folder, and optimized programs are hardened.

    security.py BUILD SOURCE SCRATCH COMPILER GENERATOR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BUILD, SOURCE, SCRATCH = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
COMPILER, GENERATOR = sys.argv[4:6]


def readelf(path, *words):
    return subprocess.run(["readelf", "-W", *words, path], text=True, capture_output=True, check=True).stdout


def programs(folder):
    """Returns the programs and shared libraries in a folder that CMake's own trials did not make."""
    found = []
    of_this_test = {SCRATCH} - set(folder.parents)
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file() or "CMakeFiles" in path.parts or of_this_test & set(path.parents):
            continue
        with path.open("rb") as file:
            head = file.read(18)
        if head[:4] == b"\x7fELF" and head[16] in (2, 3):  # neither objects nor cores
            found.append(path)
    return found


def searched(path):
    """Returns the folders in which a program looks for its libraries."""
    return [folder for element in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", readelf(path, "-d")) for folder in element.split(":")]


def weaknesses(path):
    """Returns what a hardened program does not have."""
    dynamic, segments = readelf(path, "-d"), readelf(path, "-l")
    symbols = readelf(path, "--dyn-syms")
    has = {
        "RELRO": "GNU_RELRO" in segments,
        "binding at the start": "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*NOW", dynamic),
        "a stack that does not execute": re.search(r"GNU_STACK.*RW ", segments),
        "a position-independent program": "PIE" in dynamic or path.suffix == ".so",
        "stack protector": "__stack_chk_fail" in symbols,
        "fortified functions": re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")),
    }
    return [what for what, there in has.items() if not there]


class Libraries(unittest.TestCase):
    def check_folders(self, paths):
        self.assertIn("arlab", [path.name for path in paths])
        for path in paths:
            for folder in searched(path):
                self.assertRegex(folder, r"^(/|\$ORIGIN)", f"{path} looks for libraries in '{folder}', relative to the current folder")

    def test_of_what_is_built(self):
        self.check_folders(programs(BUILD))

    def test_of_what_is_installed(self):
        prefix = SCRATCH / "prefix"
        shutil.rmtree(prefix, ignore_errors=True)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        self.addCleanup(shutil.rmtree, prefix)
        paths = programs(prefix)
        self.check_folders(paths)
        for path in paths:
            self.assertEqual([folder for folder in searched(path) if folder.startswith(str(BUILD))], [], path)

    def test_libraries_fit_into_shared_modules(self):
        """The linker of Ubuntu 24.04 makes no shared module of what runs before libraries are initialized."""
        for path in BUILD.rglob("libarlab*.a"):
            self.assertNotIn(".preinit_array", readelf(path, "-S"), path)

    def test_none_is_loaded_from_the_current_folder(self):
        """As the loader sees it: it asks for no library there."""
        place = SCRATCH / "elsewhere"
        place.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([BUILD / "bench" / "arlab", "--version"], cwd=place, env={"LD_DEBUG": "libs", "PATH": "/usr/bin:/bin"},
                              text=True, capture_output=True, check=False)
        paths = re.findall(r"search path=(\S*)", done.stderr) + re.findall(r"trying file=(\S*)", done.stderr)
        self.assertGreater(len(paths), 1)
        for path in paths:
            self.assertTrue(all(folder.startswith("/") for folder in path.split(":")), path)


class Hardened(unittest.TestCase):
    def small(self, *options):
        """Returns the weaknesses of a small program that cmake/harden.cmake builds with these options."""
        build = SCRATCH / "hardened"
        shutil.rmtree(build, ignore_errors=True)
        source = SOURCE / "tests" / "install" / "hardened"
        subprocess.run(["cmake", "-G", GENERATOR, "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={COMPILER}", *options],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", build], check=True, stdout=subprocess.DEVNULL)
        return weaknesses(build / "copies")

    def test_optimized_programs(self):
        self.assertEqual(self.small("-DCMAKE_BUILD_TYPE=Release"), [])
        self.assertEqual(self.small("-DCMAKE_BUILD_TYPE=RelWithDebInfo"), [])

    def test_it_can_be_switched_off(self):
        macros = subprocess.run([COMPILER, "-O2", "-dM", "-E", "-x", "c++", "/dev/null"], check=True, capture_output=True, text=True).stdout
        if "_FORTIFY_SOURCE" in macros:
            self.skipTest("this compiler fortifies functions unasked")
        self.assertIn("fortified functions", self.small("-DCMAKE_BUILD_TYPE=Release", "-DARLAB_HARDEN=OFF"))

    def test_the_programs_of_this_build(self):
        cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
        if not re.search(r"^ARLAB_HARDEN:BOOL=ON$", cache, re.MULTILINE) or not re.search(r"^ARLAB_SANITIZE:STRING=$", cache, re.MULTILINE) \
                or re.search(r"^CMAKE_BUILD_TYPE:\w+=Debug$", cache, re.MULTILINE):
            self.skipTest("this build is not optimized")
        for path in programs(BUILD / "bench"):
            self.assertEqual(weaknesses(path), [], path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:], verbosity=2)
