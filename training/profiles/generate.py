#!/usr/bin/env python3
"""Writes the profiles of this folder, and of tests/validation, from the shapes of the models.

    training/profiles/generate.py           # writes them
    training/profiles/generate.py --check   # fails if one differs

Parameters are exact; each total must equal the published number. The time of a step is measured where a public measurement
is known, and computed from FLOPs at a stated rate elsewhere. It is split among the layers by their multiply-adds, and between
forward and backward pass as 1 to 2. Each file names the source of every figure.
"""
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "plots"))
from charts import whole_files  # noqa: E402

SPLIT = "the step's time, split among layers by multiply-adds, forward to backward as 1 to 2"
SGD = "SGD with momentum: 5 accesses of 4 bytes per parameter at 80% of the memory's {} GB/s"
ADAM = "Adam: 7 accesses of 4 bytes per parameter at 80% of the memory's {} GB/s"


class Model:
    """Layers in the order of the forward pass: name, tensors (name, elements), multiply-adds per sample."""

    def __init__(self):
        self.layers = []

    def add(self, name, tensors, work):
        self.layers.append((name, tensors, work))

    def conv(self, name, cin, cout, kernel, out, bias=False, norm=True):
        kh, kw = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        tensors = [("weight", cin * cout * kh * kw)]
        if bias:
            tensors.append(("bias", cout))
        if norm:
            tensors += [("norm.weight", cout), ("norm.bias", cout)]
        self.add(name, tensors, cin * cout * kh * kw * out * out)

    def dense(self, name, cin, cout, rows=1, bias=True):
        self.add(name, [("weight", cin * cout)] + ([("bias", cout)] if bias else []), cin * cout * rows)

    def parameters(self):
        return sum(n for _, tensors, _ in self.layers for _, n in tensors)


def resnet(blocks):
    m = Model()
    m.conv("stem", 3, 64, 7, 112)
    cin, size = 64, 56
    for stage, count in enumerate(blocks):
        width = 64 << stage
        for block in range(count):
            name = f"stage{stage + 1}.{block}"
            stride = 2 if stage > 0 and block == 0 else 1
            m.conv(f"{name}.conv1", cin, width, 1, size)
            size //= stride
            m.conv(f"{name}.conv2", width, width, 3, size)
            m.conv(f"{name}.conv3", width, 4 * width, 1, size)
            if block == 0:
                m.conv(f"{name}.shortcut", cin, 4 * width, 1, size)
            cin = 4 * width
    m.dense("classifier", 2048, 1000)
    return m


def vgg(counts):
    m, cin, size = Model(), 3, 224
    for stage, (count, width) in enumerate(zip(counts, [64, 128, 256, 512, 512])):
        for i in range(count):
            m.conv(f"conv{stage + 1}_{i + 1}", cin, width, 3, size, bias=True, norm=False)
            cin = width
        size //= 2
    m.dense("dense1", 512 * 7 * 7, 4096)
    m.dense("dense2", 4096, 4096)
    m.dense("classifier", 4096, 1000)
    return m


def densenet(growth, blocks):
    """Normalization precedes each convolution."""
    m = Model()
    channels, size = 2 * growth, 56
    m.conv("stem", 3, channels, 7, 112)
    for block, count in enumerate(blocks):
        for i in range(count):
            for name, cin, cout, k in [("conv1", channels, 4 * growth, 1), ("conv2", 4 * growth, growth, 3)]:
                m.add(f"block{block + 1}.{i}.{name}", [("norm.weight", cin), ("norm.bias", cin), ("weight", cin * cout * k * k)],
                      cin * cout * k * k * size * size)
            channels += growth
        if block + 1 < len(blocks):
            m.add(f"transition{block + 1}", [("norm.weight", channels), ("norm.bias", channels), ("weight", channels * channels // 2)],
                  channels * channels // 2 * size * size)
            channels //= 2
            size //= 2
    m.add("norm", [("weight", channels), ("bias", channels)], 0)
    m.dense("classifier", channels, 1000)
    return m


def inception_v4():
    m = Model()
    row, column = (1, 7), (7, 1)

    def convs(name, shapes):
        for i, (cin, cout, kernel, out) in enumerate(shapes):
            m.conv(f"{name}.{i}", cin, cout, kernel, out)

    convs("stem", [(3, 32, 3, 149), (32, 32, 3, 147), (32, 64, 3, 147), (64, 96, 3, 73), (160, 64, 1, 73), (64, 96, 3, 71), (160, 64, 1, 73),
                   (64, 64, row, 73), (64, 64, column, 73), (64, 96, 3, 71), (192, 192, 3, 35)])
    for i in range(4):
        convs(f"a{i}", [(384, 96, 1, 35), (384, 64, 1, 35), (64, 96, 3, 35), (384, 64, 1, 35), (64, 96, 3, 35), (96, 96, 3, 35),
                        (384, 96, 1, 35)])
    convs("reduction_a", [(384, 384, 3, 17), (384, 192, 1, 35), (192, 224, 3, 35), (224, 256, 3, 17)])
    for i in range(7):
        convs(f"b{i}", [(1024, 384, 1, 17), (1024, 192, 1, 17), (192, 224, row, 17), (224, 256, column, 17), (1024, 192, 1, 17),
                        (192, 192, column, 17), (192, 224, row, 17), (224, 224, column, 17), (224, 256, row, 17), (1024, 128, 1, 17)])
    convs("reduction_b", [(1024, 192, 1, 17), (192, 192, 3, 8), (1024, 256, 1, 17), (256, 256, row, 17), (256, 320, column, 17),
                          (320, 320, 3, 8)])
    row, column = (1, 3), (3, 1)
    for i in range(3):
        convs(f"c{i}", [(1536, 256, 1, 8), (1536, 384, 1, 8), (384, 256, row, 8), (384, 256, column, 8), (1536, 384, 1, 8),
                        (384, 448, column, 8), (448, 512, row, 8), (512, 256, row, 8), (512, 256, column, 8), (1536, 256, 1, 8)])
    m.dense("classifier", 1536, 1000)
    return m


def inception_v3():
    m = Model()
    for name, cin, cout, k, out in [("1a", 3, 32, 3, 149), ("2a", 32, 32, 3, 147), ("2b", 32, 64, 3, 147),
                                    ("3b", 64, 80, 1, 73), ("4a", 80, 192, 3, 71)]:
        m.conv(f"stem.{name}", cin, cout, k, out)
    for i, (cin, pool) in enumerate([(192, 32), (256, 64), (288, 64)]):
        for name, a, b, k in [("1x1", cin, 64, 1), ("5x5_1", cin, 48, 1), ("5x5_2", 48, 64, 5), ("double_1", cin, 64, 1),
                              ("double_2", 64, 96, 3), ("double_3", 96, 96, 3), ("pool", cin, pool, 1)]:
            m.conv(f"mixed5{'bcd'[i]}.{name}", a, b, k, 35)
    m.conv("mixed6a.3x3", 288, 384, 3, 17)
    m.conv("mixed6a.double_1", 288, 64, 1, 35)
    m.conv("mixed6a.double_2", 64, 96, 3, 35)
    m.conv("mixed6a.double_3", 96, 96, 3, 17)
    for i, c in enumerate([128, 160, 160, 192]):
        row, column = (1, 7), (7, 1)
        for name, a, b, k in [("1x1", 768, 192, 1), ("7x7_1", 768, c, 1), ("7x7_2", c, c, row), ("7x7_3", c, 192, column),
                              ("double_1", 768, c, 1), ("double_2", c, c, column), ("double_3", c, c, row),
                              ("double_4", c, c, column), ("double_5", c, 192, row), ("pool", 768, 192, 1)]:
            m.conv(f"mixed6{'bcde'[i]}.{name}", a, b, k, 17)
    m.conv("auxiliary.0", 768, 128, 1, 5)
    m.conv("auxiliary.1", 128, 768, 5, 1)
    m.dense("auxiliary.classifier", 768, 1000)
    m.conv("mixed7a.3x3_1", 768, 192, 1, 17)
    m.conv("mixed7a.3x3_2", 192, 320, 3, 8)
    m.conv("mixed7a.7x7_1", 768, 192, 1, 17)
    m.conv("mixed7a.7x7_2", 192, 192, (1, 7), 17)
    m.conv("mixed7a.7x7_3", 192, 192, (7, 1), 17)
    m.conv("mixed7a.7x7_4", 192, 192, 3, 8)
    for i, cin in enumerate([1280, 2048]):
        for name, a, b, k in [("1x1", cin, 320, 1), ("3x3_1", cin, 384, 1), ("3x3_2a", 384, 384, (1, 3)),
                              ("3x3_2b", 384, 384, (3, 1)), ("double_1", cin, 448, 1), ("double_2", 448, 384, 3),
                              ("double_3a", 384, 384, (1, 3)), ("double_3b", 384, 384, (3, 1)), ("pool", cin, 192, 1)]:
            m.conv(f"mixed7{'bc'[i]}.{name}", a, b, k, 8)
    m.dense("classifier", 2048, 1000)
    return m


def bert(layers, width, tokens):
    m = Model()
    m.add("embeddings", [("word", 30522 * width), ("position", 512 * width), ("type", 2 * width), ("norm.weight", width),
                         ("norm.bias", width)], 0)
    for i in range(layers):
        name = f"encoder{i}"
        for part in ("query", "key", "value"):
            m.dense(f"{name}.{part}", width, width, tokens)
        work = width * width * tokens + 2 * tokens * tokens * width  # with the scores and their sums
        m.add(f"{name}.attention", [("weight", width * width), ("bias", width), ("norm.weight", width), ("norm.bias", width)], work)
        m.dense(f"{name}.up", width, 4 * width, tokens)
        m.add(f"{name}.down", [("weight", 4 * width * width), ("bias", width), ("norm.weight", width), ("norm.bias", width)],
              4 * width * width * tokens)
    m.dense("pooler", width, width)
    return m


def gpt2(layers, width, tokens):
    m = Model()
    vocabulary = 50257
    m.add("embeddings", [("word", vocabulary * width), ("position", 1024 * width)], vocabulary * width * tokens)
    for i in range(layers):
        name = f"block{i}"
        m.add(f"{name}.attention", [("norm.weight", width), ("norm.bias", width), ("qkv.weight", 3 * width * width),
                                    ("qkv.bias", 3 * width), ("out.weight", width * width), ("out.bias", width)],
              4 * width * width * tokens + 2 * tokens * tokens * width)
        m.add(f"{name}.mlp", [("norm.weight", width), ("norm.bias", width), ("up.weight", 4 * width * width),
                              ("up.bias", 4 * width), ("down.weight", 4 * width * width), ("down.bias", width)],
              8 * width * width * tokens)
    m.add("norm", [("weight", width), ("bias", width)], 0)
    return m


def llama(layers, width, hidden, vocabulary, tokens):
    m = Model()
    m.add("embeddings", [("weight", vocabulary * width)], 0)
    for i in range(layers):
        name = f"block{i}"
        m.add(f"{name}.attention", [("norm.weight", width)] + [(f"{p}.weight", width * width) for p in ("q", "k", "v", "out")],
              4 * width * width * tokens + 2 * tokens * tokens * width)
        m.add(f"{name}.mlp", [("norm.weight", width)] + [(f"{p}.weight", width * hidden) for p in ("gate", "up", "down")],
              3 * width * hidden * tokens)
    m.add("norm", [("weight", width)], 0)
    m.add("head", [("weight", width * vocabulary)], width * vocabulary * tokens)
    return m


V100, A100 = "NVIDIA V100, float32", "NVIDIA A100 80 GB SXM4, bfloat16"
DDL = "HKBU-HPML/ddl-benchmarks, commit 30de09b"
MG_WFBP = "the authors' plots of the MG-WFBP paper (IEEE TPDS, 2021)"
RATE = "{:.3g} TFLOP/s, {}; "


def total_time(model, batch, measured, rate):
    """Seconds of a step without the optimizer: 6 FLOPs per multiply-add, if it is not measured."""
    if measured:
        return batch / measured
    return 6 * batch * sum(work for _, _, work in model.layers) / rate


def write(folder, name, model, published, source, *, device, batch, samples, bandwidth, adam, measured=None, where=DDL, rate=None, why="",
          gradient_bytes=4):
    assert model.parameters() == published, f"{name}: {model.parameters()} parameters, published {published}"
    per_parameter = (28 if adam else 20) / (0.8 * bandwidth * 1e9) * 1e12  # ps
    step = total_time(model, batch, measured, rate)
    if measured:  # the measurement includes the optimizer
        step -= per_parameter * 1e-12 * published
    work = sum(w for _, _, w in model.layers)
    times = (f"measured on one V100: {measured} samples/s at batch {batch}, {where}; " if measured else RATE.format(rate / 1e12, why)) + SPLIT
    layers = []
    for layer, tensors, own in model.layers:
        forward = step / 3 * own / work * 1e6
        layers.append({"name": layer, "tensors": dict(tensors), "forward_us": round(forward, 3),
                       "backward_us": round(2 * forward, 3)})
    profile = {
        "profile": 1, "name": name, "device": device, "batch": batch, "samples": samples, "parameters": published,
        "gradient_bytes": gradient_bytes, "optimizer_ps_per_parameter": round(per_parameter, 3),
        "sources": {"parameters": source, "forward_us": times, "backward_us": times,
                    "optimizer_ps_per_parameter": (ADAM if adam else SGD).format(bandwidth)},
        "layers": layers,
    }
    head = json.dumps({k: v for k, v in profile.items() if k != "layers"}, indent=1)[:-2]
    body = ",\n".join("  " + json.dumps(layer) for layer in layers)
    whole_files.write_text(folder / f"{name}.json", f'{head},\n "layers": [\n{body}\n ]\n}}\n')


def write_all(folder):
    v100 = dict(device=V100, samples="images", bandwidth=900, adam=False)
    like_resnet = dict(rate=6.2e12, why="what ResNet-50 reaches on a V100 in HKBU-HPML/ddl-benchmarks")
    llm = dict(device=A100, bandwidth=2039, adam=True, rate=140e12, why="45% of the peak of 312, a usual utilization",
               samples="sequences", gradient_bytes=2)
    torchvision = "shapes of torchvision.models.{}, whose documentation gives the total"
    hugging = "shapes of {} in Hugging Face transformers, which give the published total"
    write(folder, "resnet50", resnet([3, 4, 6, 3]), 25557032, torchvision.format("resnet50"), batch=64, measured=253.1, **v100)
    write(folder, "resnet101", resnet([3, 4, 23, 3]), 44549160, torchvision.format("resnet101"), batch=64, **like_resnet, **v100)
    write(folder, "vgg16", vgg([2, 2, 3, 3, 3]), 138357544, torchvision.format("vgg16"), batch=64, **like_resnet, **v100)
    write(folder, "inception_v3", inception_v3(), 27161264, torchvision.format("inception_v3"), batch=64, **like_resnet, **v100)
    bert_on = dict(v100, samples="sequences of 64 tokens", adam=True)
    write(folder, "bert-base", bert(12, 768, 64), 109482240, hugging.format("bert-base-uncased"), batch=64, measured=212.8,
          **bert_on)
    write(folder, "bert-large", bert(24, 1024, 64), 335141888, hugging.format("bert-large-uncased"), batch=32, rate=7e12,
          why="what BERT-Base reaches on a V100 in HKBU-HPML/ddl-benchmarks", **bert_on)
    write(folder, "gpt2-xl", gpt2(48, 1600, 1024), 1557611200, hugging.format("gpt2-xl"), batch=8, **llm)
    write(folder, "llm-7b", llama(32, 4096, 11008, 32000, 4096), 6738415616, hugging.format("Llama-2-7b"), batch=1, **llm)


def write_validation(folder):
    v100 = dict(device=V100, samples="images", bandwidth=900, adam=False)
    torchvision = "shapes of torchvision.models.{}, whose documentation gives the total"
    for name, model, published, source, batch, seconds in (
            ("ResNet-152", resnet([3, 8, 36, 3]), 60192808, torchvision.format("resnet152"), 128, 0.883118444),
            ("DenseNet-161", densenet(48, [6, 12, 36, 24]), 28681000, torchvision.format("densenet161"), 64, 0.47765481),
            ("DenseNet-201", densenet(32, [6, 12, 48, 32]), 20013928, torchvision.format("densenet201"), 64, 0.360877356),
            ("Inception-v4", inception_v4(), 42679816, "shapes of Szegedy et al., arXiv:1602.07261, as in timm, which gives the total", 128,
             0.61082206)):
        write(folder, name, model, published, source, batch=batch, measured=round(batch / seconds, 3), where=MG_WFBP, **v100)
    write(folder, "VGG-19", vgg([2, 2, 4, 4, 4]), 143667240, torchvision.format("vgg19"), batch=64, rate=6.2e12,
          why="what ResNet-50 reaches on a V100 in HKBU-HPML/ddl-benchmarks", **v100)


def main():
    here = pathlib.Path(__file__).parent
    folders = {here: write_all, here.parents[1] / "tests/validation": write_validation}
    if sys.argv[1:] != ["--check"]:
        for folder, writes in folders.items():
            writes(folder)
        return
    names = []
    for folder, writes in folders.items():
        with tempfile.TemporaryDirectory() as scratch:
            writes(pathlib.Path(scratch))
            made = {path.name: path.read_text() for path in pathlib.Path(scratch).iterdir()}
        there = {path.name: path.read_text() for path in folder.glob("*.json")}
        names += sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    if names:
        sys.exit(f"{', '.join(names)}: differ from what generate.py writes: run it")


if __name__ == "__main__":
    main()
