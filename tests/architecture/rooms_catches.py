#!/usr/bin/env python3
"""Rooms catches: the test of rooms complains about each broken rule, and about nothing else."""
import pathlib
import subprocess
import sys
import tempfile

ROOMS = pathlib.Path(__file__).with_name("rooms.py")


def write(root, path, text=""):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def good_tree(root):
    write(root, "algorithms/base/error.hpp", "class Error { virtual ~Error(); };")
    write(root, "algorithms/problem.hpp", '#include "algorithms/base/error.hpp"\n')
    write(root, "collectives/backends/catalog/threads.cpp", "Backend threads() {}\n")
    write(root, "collectives/backends/catalog/mpi_cuda.cpp", "Backend mpi_cuda() {}\n")
    write(root, "bench/main.cpp", '#include "algorithms/problem.hpp"\n// such as "threads"\nsay("no threads");\n')
    write(root, "bench/choose.cpp", 'find_compressor("f3"); list{"f3", "f4"};  // name == "f3"\n')
    write(root, "training/compressors/catalog/more.cpp", 'if (name == "f3") {}\n')
    write(root, "collectives/files/output_file.cpp", "open(path, O_CREAT | O_EXCL);\n")
    write(root, "bench/read.cpp", 'std::ifstream in(path); fopen(path, "rb");  // no std::ofstream\n')
    write(root, "plots/charts/whole_files.py", 'path.write_text("x")\n')
    write(root, "plots/charts/style.py", 'figure.savefig(new, format=kind)\nopen(path, "rb")\n')
    write(root, "bench/sweep/sweep.hpp", '#include "bench/options/options.hpp"\n#include "bench/sweep/output.hpp"\n')
    write(root, "bench/options/options.hpp")
    write(root, "bench/sweep/output.hpp")
    for number in range(26):
        write(root, f"training/data/f{number}.cpp")
    for number in range(40):
        write(root, f"training/compressors/catalog/f{number}.cpp")


def run(root):
    done = subprocess.run([sys.executable, "-B", ROOMS, root], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def expect(expected, *files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        good_tree(root)
        assert run(root)[0] == 0, f"complains about nothing: {run(root)[1]}"
        for path, text in files:
            write(root, path, text)
        code, said = run(root)
        assert code == 1 and expected in said, f"expected '{expected}', got {code}: {said}"


expect("site: code in a folder at the top", ("site/arlab/results.py", ""))
expect("algorithms -> algorithms/base: algorithms/problem.hpp includes algorithms/base/error.hpp",
       ("algorithms/base/error.hpp", '#include "algorithms/problem.hpp"\n'))
expect("simulator -> simulator/models", ("simulator/a.hpp", '#include "simulator/models/b.hpp"\n'),
       ("simulator/models/b.hpp", '#include "simulator/engine/c.hpp"\n'),
       ("simulator/engine/c.hpp", '#include "simulator/a.hpp"\n'))
expect("bench/text/table.cpp includes bench/options/options.hpp, which is not on a lower floor of bench",
       ("bench/text/table.cpp", '#include "bench/options/options.hpp"\n'))
expect("bench/calibrate/fit.cpp includes bench/options/options.hpp",
       ("bench/calibrate/fit.cpp", '#include "bench/options/options.hpp"\n'))
expect("bench/attic: on no floor", ("bench/attic/old.cpp", ""))
expect("training/data: 27 C++ files in one folder, at most 26", ("training/data/more.hpp", ""))
expect('bench/run.cpp:2: tests the backend\'s name "mpi-cuda"', ("bench/run.cpp", '\nif (name == "mpi-cuda") {}\n'))
expect('training/route.cpp:1: tests the backend\'s name "threads"', ("training/route.cpp", 'return name == "threads";'))
expect('bench/plan.cpp:1: tests the name "f3" of a catalog entry', ("bench/plan.cpp", 'if (plan.kind->name == "f3") {}'))
expect('simulator/a.cpp:2: tests the name "f3" of a catalog entry', ("simulator/a.cpp", '\nreturn "f3" != name;'))
for text in ("std::ofstream out(path);", 'std::fopen(path.c_str(), "wb")', 'fopen(path, "ab")', "::open(path, O_RDWR | O_CREAT, 0666)"):
    expect("bench/out.cpp:2:", ("bench/out.cpp", f"\n{text}\n"))
for text in ('Path(name).write_text("x")', "open(name, 'w')", "figure.savefig(path)"):
    expect("plots/charts/lines.py:2: creates a file", ("plots/charts/lines.py", f"\n{text}\n"))
