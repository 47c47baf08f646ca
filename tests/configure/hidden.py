"""Configuring on machines that lack something: optional dependencies hidden, and all of them in each preset.

    hidden.py SOURCE SCRATCH [Alone|Together]

Together, three are hidden at a time; Alone, each by itself. It succeeds, and the summary says what goes without and how to
get it; what is required is named in the error. What CMake finds out about the compiler is shared.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PRESETS = ("dev", "ci", "release", "demo", "tsan")


def package(name):
    return [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON"]


TORCH = ["-DARLAB_TORCH=AUTO"]  # takes seconds, so only where it matters

# How each is hidden, and the features that are then off. Three in a row are hidden together: without the program, there are no
# micro-benchmarks that could be off.
OPTIONAL = {
    "MPI": (TORCH + package("MPI"), {"MPI executor", "plugin mpi", "plugin torch"}),
    "Gloo": (["-DGLOO_LIBRARY="], {"Gloo rows"}),
    "LibTorch": (TORCH + package("Torch"), {"models", "plugin torch"}),
    "libtorch_python": (TORCH + ["-DARLAB_TORCH_PYTHON="], {"plugin torch"}),
    "pybind11": (TORCH + ["-DARLAB_PYBIND11="], {"plugin torch", "package python"}),
    "protoc": (["-DProtobuf_PROTOC_EXECUTABLE="], {"TensorBoard, Chakra"}),  # Debian's LibTorch brings the library
    "protobuf": (TORCH + package("Protobuf") + package("Torch"), {"TensorBoard, Chakra", "models", "plugin torch"}),
    "CUDA": (["-DARLAB_CUDA=AUTO", "-DARLAB_NVCC="], {"CUDA executor", "NCCL executor"}),
    "clang-16": (["-DARLAB_WASM_COMPILER="], {"explorer"}),
    "lld-16": (["-DARLAB_WASM_LINKER="], {"explorer"}),
    "libraries that link": (["-DARLAB_WASM_COMPILER=/bin/false", "-DARLAB_WASM_LINKS=OFF"], {"explorer"}),
    "CLI11": (package("CLI11"), {"arlab program"}),
    "fmt": (package("fmt"), {"arlab program"}),
    "pugixml": (package("pugixml"), {"arlab program"}),
    "toml++": (package("tomlplusplus"), {"arlab program"}),
    "nlohmann-json": (package("nlohmann_json"), {"training", "plugins", "explorer", "arlab program"}),
    "SimGrid": (["-DARLAB_SMPIRUN="], {"SimGrid tests"}),
    "compiler cache": (["-DARLAB_CCACHE="], set()),
    "Google Benchmark": (package("benchmark"), {"micro-benchmarks"}),
    "Python": (TORCH + ["-DARLAB_PYTHON="], {"plugin torch", "package python"}),
    "fast linkers": (["-DARLAB_LINKER_mold=OFF", "-DARLAB_LINKER_lld=OFF"], set()),
}
REQUIRED = {
    "Boost": (package("Boost"), "apt install libboost-graph-dev"),
    "Catch2": (package("Catch2"), "apt install catch2, or configure with -DARLAB_TESTS=OFF"),
}
REMEDY = re.compile(r"apt install|needs|configure with|is OFF|install CUDA")


def configure(folder, preset, *options):
    """Returns CMake's status and what it said."""
    build = SCRATCH / folder
    shutil.rmtree(build, ignore_errors=True)
    known, compiles = SCRATCH / "known", []
    if known.exists():
        shutil.copytree(known, build / "CMakeFiles")
        compiles = (SCRATCH / "compiles").read_text(encoding="utf-8").split()
    done = subprocess.run(["cmake", "--preset", preset, "-B", build, "-DARLAB_CUDA=OFF", "-DARLAB_TORCH=OFF", *compiles, *options], cwd=SOURCE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode == 0 and not known.exists():
        version = next(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).parent
        shutil.copytree(version, known / version.name)
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        found = re.findall(r"^((?:ARLAB_LINKER_|ARLAB_KNOWS_|ARLAB_WASM_L|ARLAB_MPICH|MPI_RESULT_|CMAKE_HAVE_LIBC_)\w*:INTERNAL=\w*)$", cache, re.MULTILINE)
        (SCRATCH / "compiles").write_text("\n".join(f"-D{line}" for line in found), encoding="utf-8")
    shutil.rmtree(build, ignore_errors=True)
    return done.returncode, done.stdout


def features(said):
    """Returns the lines of the summary: {feature: (whether it is on, text)}."""
    rows = re.findall(r"^  (\S.*?) +(on |off)  (.*)$", said[said.index("-- Allreduce Lab "):], re.MULTILINE)
    return {name: (word == "on ", text) for name, word, text in rows}


class Hidden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(SCRATCH, ignore_errors=True)
        cls.off_here = []  # without and with LibTorch
        for options in ([], TORCH):
            status, said = configure("complete", "ci", *options)
            assert status == 0, said
            cls.off_here.append({feature for feature, (on, _) in features(said).items() if not on})

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(SCRATCH, ignore_errors=True)

    def check(self, names, said, how, off):
        """What is hidden is off, with a remedy, and all else is as it is on this machine."""
        found = features(said)
        here = self.off_here[TORCH[0] in how]
        self.assertEqual({feature for feature, (on, _) in found.items() if not on} - here, off - here, f"{names}\n{said}")
        for feature, (on, text) in found.items():
            self.assertRegex(text, r"\S" if on else REMEDY, f"{names}: {feature}")

    def check_hidden(self, groups):
        """Configures once for each group of names, all of which are hidden."""
        hows = [[option for name in names for option in OPTIONAL[name][0]] for names in groups]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(configure, f"lacks {i}", "ci", *how) for i, how in enumerate(hows)]
        for names, how, run in zip(groups, hows, runs):
            with self.subTest(lacks=names):
                status, said = run.result()
                self.assertEqual(status, 0, said)
                self.check(names, said, how, set().union(*(OPTIONAL[name][1] for name in names)))


class Alone(Hidden):
    def test_each(self):
        self.check_hidden([[name] for name in OPTIONAL])


class Together(Hidden):
    def test_three_at_a_time(self):
        names = list(OPTIONAL)
        self.check_hidden([names[first:first + 3] for first in range(0, len(names), 3)])

    def test_all_at_once_in_each_preset(self):
        how = [option for hidden, _ in OPTIONAL.values() for option in hidden]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = {preset: pool.submit(configure, preset, preset, *how) for preset in PRESETS}
        for preset, run in runs.items():
            with self.subTest(preset=preset):
                status, said = run.result()
                self.assertEqual(status, 0, said)
                self.assertEqual([name for name, (on, _) in features(said).items() if on], ["topologies"], said)

    def test_what_is_required_is_named(self):
        for name, (how, words) in REQUIRED.items():
            with self.subTest(lacks=name):
                status, said = configure("required", "ci", *how)
                self.assertNotEqual(status, 0, said)
                self.assertIn(words, " ".join(said.split()))

    def test_a_semicolon_splits_no_text(self):
        """The summary itself, with names and texts of which a list would make several elements."""
        script = SCRATCH / "summary.cmake"
        script.write_text(f'''include({SOURCE}/cmake/summary.cmake)
arlab_feature("one" ON "a; b")
arlab_feature("two;three" OFF ";")
arlab_feature("four" OFF "[c; d")
arlab_print_summary()
''', encoding="utf-8")
        said = subprocess.run(["cmake", "-P", script], text=True, capture_output=True, check=True).stdout
        self.assertEqual(said.splitlines()[1:], ["  one       on   a; b", "  two;three off  ;", "  four      off  [c; d"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
