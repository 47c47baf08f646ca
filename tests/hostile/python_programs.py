"""Python files that are no algorithm, or a wrong one: (label, text, whether it must be refused, what the message names)."""

HEAD = "import arlab\nfrom arlab import reduce, replace, send\n\n"


def program(body, about=""):
    """A file with one algorithm."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{HEAD}@arlab.algorithm{about}\ndef mine(p, me):\n{lines}"


RING = ("right, left = p.wrap(me + 1), p.wrap(me - 1)\n"
        "for step in range(1, p.ranks):\n    yield send(right, me - step), reduce(left, me - step - 1)\n"
        "for step in range(p.ranks - 1):\n    yield send(right, me - step), replace(left, me - step - 1)")
RIGHT = program(RING)

# Files that cannot be loaded, or have not one algorithm.
FILES = [
    ("empty", "", ["has no algorithm"]),
    ("none", "import arlab\n", ["has no algorithm"]),
    ("binary", "\0\1\2\udcff", ["FILE"]),
    ("latin", "# \udcff\n", ["FILE"]),
    ("html", "<html>no</html>\n", ["FILE:1"]),
    ("cut", RIGHT[:-20], ["FILE"]),
    ("tabs", HEAD + "if True:\n\tx = 1\n        y = 2\n", ["FILE:6"]),
    ("two", RIGHT + "\n@arlab.algorithm\ndef other(p, me):\n    yield ()\n", ["several algorithms"]),
    ("raises", HEAD + "1 / 0\n", ["FILE:4"]),
    ("imports", "import nosuchmodule\n", ["FILE:1"]),
    ("leaves", "import sys\nsys.exit(7)\n", ["FILE:2"]),
    ("leaves-at-once", "import os\nos._exit(7)\n", ["Python ended early"]),
    ("dies", "import os\nos.kill(os.getpid(), 11)\n", ["Python ended early"]),
    ("recursive", HEAD + "def f():\n    f()\nf()\n", ["FILE:5"]),
    ("name", program(RING, "(name='a b')"), ["a b"]),
    ("name-empty", program(RING, "(name='\\ud800')"), ["name"]),
    ("of-catalog", program(RING, "(name='r' + chr(0))"), ["name"]),
    ("collectives", program(RING, "(collectives=['gather'])"), ["gather"]),
    ("chunks-none", program(RING, "(chunks_per_rank=0)"), ["chunks_per_rank is 0"]),
    ("chunks-many", program(RING, "(chunks_per_rank=10**30)"), ["chunks_per_rank is 1000"]),
    ("chunks-half", program(RING, "(chunks_per_rank=1.5)"), ["chunks_per_rank is 1.5"]),
    ("chunks-text", program(RING, "(chunks_per_rank='x')"), ["chunks_per_rank is 'x'"]),
    ("option", program(RING, "(nosuch=1)"), ["nosuch"]),
]
# Algorithms whose rounds, or what is said about them, are wrong.
WRONG = [
    ("nothing", program("return None"), ["FILE"]),
    ("number", program("yield 7"), ["yields 7"]),
    ("text", program("yield 'x' * 10**6"), ["yields 'xxx"]),
    ("nested", program("yield [[send(1, 0)]]"), ["yields [Action"]),
    ("peer-half", program("yield send(1.5, 0)"), ["the peer is 1.5"]),
    ("peer-none", program("yield send(None, 0)"), ["the peer is None"]),
    ("peer-large", program("yield send(2**32 + 1, 0)"), ["the peer is 4294967297"]),
    ("peer-huge", program("yield send(10**40, 0)"), ["the peer is 1000"]),
    ("peer-nan", program("yield send(float('nan'), 0)"), ["the peer is nan"]),
    ("peer-negative", program("yield send(-1, 0)"), ["FILE", "-1"]),
    ("peer-self", program("yield send(me, 0), reduce(me, 0)"), ["FILE", "itself"]),
    ("peer-none-such", program("yield send(p.ranks, 0)"), ["FILE", "rank"]),
    ("chunk-text", program("yield send(1, 'c')"), ["the chunk is 'c'"]),
    ("chunk-huge", program("yield send(1, 10**40)"), ["the chunk is 1000"]),
    ("chunks-short", program("yield send(1, (0, 1))"), ["as chunks"]),
    ("chunks-long", program("yield send(1, (0, 1, 1, 1))"), ["as chunks"]),
    ("chunks-large", program("yield send(1, (0, 2**31, 1))"), ["a chunk is 2147483648"]),
    ("chunks-many", program("yield send(1, (0, 2**31 - 1, 1))"), ["FILE", "chunk"]),
    ("chunks-negative", program("yield send(1, (-5, -5, -5))"), ["FILE", "chunk"]),
    ("kind", program("yield arlab.Action(9, 1, 0)"), ["FILE", "kind"]),
    ("kind-huge", program("yield arlab.Action(2**32, 1, 0)"), ["the kind is"]),
    ("endless", program("while True:\n    yield ()"), ["does not end"]),
    ("fails", program("yield ()\nraise ValueError('mine')"), ["FILE:7", "mine"]),
    ("fails-later", program("if me == 2: raise KeyError\n" + RING), ["FILE:6", "KeyError"]),
    ("leaves", program("import sys\nsys.exit()\nyield ()"), ["FILE:7", "SystemExit"]),
    ("dies", program("import os\nos._exit(0)\nyield ()"), ["Python ended early"]),
    ("memory", program("raise MemoryError\nyield ()"), ["FILE:6", "MemoryError"]),
    ("misses", program("if me: yield send(0, p.all())\nelse:\n    for r in range(1, p.ranks): yield reduce(r, p.all())"), ["missing"]),
    ("waits", program("yield reduce(p.wrap(me + 1), 0)"), ["FILE", "rank"]),
    ("supports-true", program(RING, "(supports=lambda p: True)"), ["supports()"]),
    ("supports-fails", program(RING, "(supports=lambda p: p.nosuch)"), ["nosuch"]),
]
# Formulas, which only `count` asks for.
COSTS = [
    ("cost-two", program(RING, "(cost=lambda p, n: (1, 2))"), ["cost()"]),
    ("cost-none", program(RING, "(cost=lambda p, n: None)"), ["cost()"]),
    ("cost-text", program(RING, "(cost=lambda p, n: 'abc')"), ["cost()"]),
    ("cost-huge", program(RING, "(cost=lambda p, n: (2**70, 1, 1))"), ["cost()"]),
    ("cost-nan", program(RING, "(cost=lambda p, n: (float('nan'), 1, 1))"), ["cost()"]),
    ("cost-fails", program(RING, "(cost=lambda p, n: 1 // 0)"), ["FILE:4", "ZeroDivisionError"]),
]
# Files that are right, but say or close things that they should not.
ODD = [
    ("prints", "print('x' * 100_000)\n" + RIGHT),
    ("bytes", "import os\nos.write(1, bytes(range(256)))\n" + RIGHT),
    ("summary", program('"\\ud800 \\x1b[31m"\n' + RING)),
    ("threads", "import threading, time\nthreading.Thread(target=time.sleep, args=(0.2,)).start()\n" + RIGHT),
    ("numbers", HEAD + program(RING.replace("me - step", "True * me - step"))[len(HEAD):]),
    ("reads", "import sys\nsys.stdin.read()\n" + RIGHT),
    ("shuts", "import os\nos.close(0)\n" + RIGHT),
    ("closes-all", "import os\nos.closerange(3, 1000)\n" + RIGHT),
    ("closes-output", "import os\nos.close(1)\nos.close(2)\n" + RIGHT),
]
