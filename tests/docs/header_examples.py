#!/usr/bin/env python3
"""The examples in the first comment of public headers compile.

    header_examples.py BUILD

An example is the comment lines that begin with '//   '. It becomes the body of a function or a file of its own, and is compiled
with the flags that BUILD/compile_commands.json has for a source that uses it.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77

# header: (source with the flags, text before the example, text after it)
EXAMPLES = {
    "training/distributed_optimizer.hpp": (
        "tests/training/models/torch.cpp",
        '#include <torch/torch.h>\n#include "training/distributed_optimizer.hpp"\n#include "training/models/torch_parameters.hpp"\n'
        "struct Batch { arlab::Count size; };\n"
        "torch::Tensor loss_sum(torch::nn::Module&, const Batch&);\n"
        "void example(arlab::collectives::Communicator& communicator, torch::nn::Module& net,\n"
        "             const std::vector<Batch>& batches, double learning_rate) {\n", "}\n"),
}


def example_of(header):
    lines = []
    for line in (ROOT / header).read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        if line.startswith("//   "):
            lines.append(line[5:])
    return "\n".join(lines) + "\n"


def command_of(commands, source):
    """The compiler's words for that source, without its output and the source itself; none if it is not built."""
    for entry in commands:
        if pathlib.Path(entry["directory"], entry["file"]).resolve() == ROOT / source:
            words = shlex.split(entry["command"])
            words = [word for word in words if word not in ("-c", entry["file"])]
            if "-o" in words:
                at = words.index("-o")
                del words[at:at + 2]
            return words, entry["directory"]
    return None


def main():
    commands = json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text(encoding="utf-8"))
    wrong = compiled = 0
    with tempfile.TemporaryDirectory(prefix="arlab-examples-") as folder:
        for header, (source, before, after) in EXAMPLES.items():
            found = command_of(commands, source)
            if found is None:
                print(f"skipped {header}: {source} is not built")
                continue
            example = example_of(header)
            if not re.search(r";|{", example):
                sys.exit(f"{header} has no example: remove it here")
            file = pathlib.Path(folder) / "example.cpp"
            file.write_text(before + example + after, encoding="utf-8")
            words, where = found
            done = subprocess.run([*words, "-Wno-unused", "-Wno-error", "-fsyntax-only", str(file)], cwd=where, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            compiled += 1
            if done.returncode:
                wrong += 1
                print(f"FAILED {header}\n{before + example + after}\n{done.stdout}")
    print(f"{compiled} examples, {wrong} wrong")
    return 1 if wrong else 0 if compiled else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
