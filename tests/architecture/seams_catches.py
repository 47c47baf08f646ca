#!/usr/bin/env python3
"""Seams catches: the test of seams counts virtual functions and units as they are, and complains about each broken rule."""
import pathlib
import tempfile

import seams

TEXT = """
// virtual in a comment
class Wide : public Base {
 public:
  virtual ~Wide() = default;
  virtual int first() const { return 0; }
  struct Inner { virtual void of_inner() = 0; };
  virtual void second(const char* text = "virtual") = 0;
  void third() override;
};
struct Plain { int x = 0; };
class Forward;
"""
assert seams.virtual_functions(TEXT) == {"Wide": 2, "Inner": 1}, seams.virtual_functions(TEXT)


def complaints(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return list(seams.complaints(root))


def interface(name, functions):
    return f"class {name} {{\n" + "virtual void f() = 0;\n" * functions + "};\n"


SEEN = {"collectives/gpu/device.hpp": "", "training/a.hpp": '#include "collectives/gpu/device.hpp"\n'}


def units(count):
    return {f"tests/training/u{n}.cpp": '#include "training/a.hpp"\n' for n in range(count)}


assert not complaints({"simulator/a.hpp": interface("A", seams.MAX_FUNCTIONS), **SEEN, **units(seams.MAX_GPU_UNITS)})
wide = complaints({"simulator/a.hpp": interface("A", seams.MAX_FUNCTIONS + 1)})
assert len(wide) == 1 and wide[0].startswith(f"A: {seams.MAX_FUNCTIONS + 1} virtual functions"), wide
many = complaints({f"simulator/i{n}.hpp": interface(f"I{n}", 1) for n in range(seams.MAX_IN_ALL + 1)})
assert len(many) == 1 and many[0].startswith(f"{seams.MAX_IN_ALL + 1} virtual functions, at most"), many
seen = complaints({**SEEN, **units(seams.MAX_GPU_UNITS + 1)})
assert len(seen) == 1 and seen[0].startswith(f"collectives/gpu/device.hpp: {seams.MAX_GPU_UNITS + 1} units see it"), seen
