"""A profile whose replay takes milliseconds."""

import json

LAYERS = [{"name": name, "tensors": {"weight": elements}, "forward_us": 500, "backward_us": 1000.5}
          for name, elements in (("one", 10_000), ("two", 30_000), ("three", 1_001))]
PROFILE = {"profile": 1, "name": "tiny", "device": "none", "batch": 4, "samples": "images", "parameters": 41_001,
           "gradient_bytes": 4, "optimizer_ps_per_parameter": 0, "layers": LAYERS,
           "sources": {"parameters": "-", "forward_us": "-", "backward_us": "-", "optimizer_ps_per_parameter": "-"}}


def write(folder):
    (folder / "tiny.json").write_text(json.dumps(PROFILE), encoding="utf-8")
