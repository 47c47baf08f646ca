"""Relations between simulated times."""

from harness import COLLECTIVES, IN_STEP, MODELS, Broken, configuration, expect_same, model_arguments, topology


def units(case):
    """The same sizes, times and bandwidths in other units."""
    r = case.random
    k, us = r.choice((1, 3, 64)), r.randint(1, 20)
    sizes = r.choice(((f"{k * 1024}K", f"{k}M", f"{k * 1024}KiB", str(k << 20), f"{k} MiB", f"{k / 1024}G"),))
    alphas = (f"{us}us", f"{us * 1000}ns", f"{us}e-6s", f"{us / 1000}ms", f"{us * 10**6}ps", f" {us} us ")
    first = case.times("all", "-p", 6, "-s", sizes[0], "--network", f"alpha_beta:alpha={alphas[0]}")
    expect_same(first, case.times("all", "-p", "6", "-s", r.choice(sizes[1:]), "--network", f"alpha_beta:alpha={r.choice(alphas[1:])}"), "units of sizes and times")
    expect_same(first, case.times("all", "-p", "6", "-n", f"{k * 256}K", "--network", f"alpha_beta:alpha={alphas[0]}"), "elements and bytes")
    gigabytes = r.choice((1, 12.5, 50, 100))
    rates = (f"{gigabytes * 8}Gbps", f"{gigabytes}GB/s", f"{gigabytes * 8000} Mbit/s", f"{gigabytes / 1000}TBps", f"{gigabytes * 1e9}B/s")
    network = lambda rate: ("all", "-p", 4, "-s", "64K", "--network", f"ring:hosts=4,bandwidth={rate}")
    expect_same(case.times(*network(rates[0])), case.times(*network(r.choice(rates[1:]))), "units of bandwidths")


def lists(case):
    """A list is one after the other, on every axis, in any order."""
    r = case.random
    names, ranks, sizes = r.sample(IN_STEP + ("tree", "all_to_all", "pat"), 3), r.sample((2, 3, 4, 8, 16), 2), r.sample((0, 1, 100, 4096, 65536), 2)
    rest = model_arguments(case, r.choice(("alpha_beta", "loggops", "fluid")), 16)
    run = lambda a, p, n: case.records("simulate", ",".join(a), "-p", ",".join(map(str, p)), "-n", ",".join(map(str, n)), *rest)
    whole = run(names, ranks, sizes)
    parts = [record for p in ranks for n in sizes for a in names for record in run([a], [p], [n])]
    order = lambda records: sorted(records, key=str)
    if order(whole) != order(parts):
        raise Broken("a list gives other records than its parts")
    if order(whole) != order(run(names[::-1], ranks[::-1], sizes[::-1])):
        raise Broken("the reversed lists give other records")


def scaled_times(case):
    """All times of a model times k: all results times k, to the picosecond."""
    r = case.random
    k, model = r.choice((2, 3, 10)), r.choice(("alpha_beta", "loggops"))
    base = ["all", "-c", r.choice(COLLECTIVES), "-p", r.choice((2, 5, 8, 12)), "-n", r.choice((1, 7, 1000, 65_536))]
    state = r.getstate()
    one = case.times(*base, *model_arguments(case, model, 8))
    r.setstate(state)
    expect_same({key: k * t for key, t in one.items()}, case.times(*base, *model_arguments(case, model, 8, scale=k)), f"times x {k}")


def scaled_network(case):
    """Under fluid: bandwidths / k and latencies x k give times x k; sizes x k and bandwidths x k give the same times."""
    r = case.random
    k, ranks, latency, m = r.choice((2, 4, 5)), r.choice((2, 3, 4, 6, 8)), r.randint(0, 900), r.choice((1, 100, 4000))
    state = r.getstate()

    def times(rate, delay, elements):
        r.setstate(state)
        wires = f"bandwidth={rate * 8}Gbps,latency={delay}ns"
        spec = topology(case, ranks)
        if spec.startswith(("rail_pod", "dragonfly")):  # have several kinds of links
            spec = f"ring:hosts={ranks}"
        return case.times("all", "-p", ranks, "-n", elements, "--network", f"{spec},{wires},placement=random")

    # Each message ends at a whole picosecond, and there are at most some hundred one after the other.
    slack = lambda key: k * (50 + 20 * key[1])
    elements = 12 * ranks * ranks * m  # in whole chunks of every lane
    one = times(20, latency, elements)
    expect_same({key: k * t for key, t in one.items()}, times(20 / k, k * latency, elements), f"network slower by {k}", slack)
    larger = {(a, p, elements, s): t for (a, p, _, s), t in times(20 * k, latency, elements * k).items()}
    for all_times in (one, larger):
        all_times.pop(("forest", ranks, elements, 1), None)  # cuts a larger vector into more pieces
    expect_same(one, larger, f"sizes and bandwidths x {k}", slack)


def engines(case):
    """Every engine gives the same times."""
    arguments = configuration(case, models=("alpha_beta", "loggops", "fluid", "fluid"))
    usual = case.times(*arguments)
    for engine in ("events", "all_ranks"):
        expect_same(usual, case.times(*arguments, "--engine", engine), engine)
    expect_same(usual, case.times(*arguments, "-j", 1), "-j 1")


def coinciding_models(case):
    """Ranks in step: alpha_beta, loggops without processor time, and fluid on a crossbar are one formula."""
    r = case.random
    ranks, m, beta, alpha = r.choice((2, 4, 8, 16)), r.choice((1, 5, 1000)), r.choice((8, 40, 80, 100)), 2 * r.randint(1, 2000)
    gamma, base = f"gamma={r.choice((0, 30))}ps", [",".join(IN_STEP), "-p", ranks, "-n", ranks * m, "--network"]
    one = case.times(*base, f"alpha_beta:alpha={alpha}ns,beta={beta}ps,{gamma}")
    # LogGOPS counts one byte less: n bytes take L + (n - 1) G.
    loggops = case.times(*base, f"loggops:L={alpha * 1000 + beta}ps,o=0,g=0,G={beta}ps,O=0,{gamma}")
    expect_same(one, loggops, "alpha_beta and loggops")
    fluid = case.times(*base, f"fluid:{gamma},topology=crossbar:hosts={ranks},bandwidth={10**12 // beta}B/s,latency={alpha // 2}ns")
    expect_same(one, fluid, "alpha_beta and fluid on a crossbar", lambda key: 4 * key[1])


def larger_is_not_faster(case):
    """A larger vector, or less bandwidth, is not faster for ranks in step on a crossbar."""
    r = case.random
    ranks, model = r.choice((2, 4, 8, 16)), r.choice(MODELS[:4])
    sizes = sorted(ranks * m for m in r.sample(range(1, 3000), 4))
    times = case.times(",".join(IN_STEP), "-p", ranks, "-n", ",".join(map(str, sizes)), *model_arguments(case, model, ranks))
    for (a, p, n, s), t in times.items():
        for size in sizes:
            if size > n and times[a, p, size, s] < t:
                raise Broken(f"{a}: {n} elements take {t} ps, {size} elements {times[a, p, size, s]} ps")
    if case.is_open:
        half, rest = ranks * r.randint(1, 16_000), ["--segments", r.choice((4, 16)), *model_arguments(case, model, ranks)]
        small, large = (case.times("chain,tree,ring,double_tree", "-p", ranks, "-n", n, *rest) for n in (half, 2 * half))
        for (a, p, n, s), t in small.items():
            if large[a, p, 2 * n, s] < t:
                raise Broken(f"{a}: {n} elements take {t} ps, {2 * n} elements {large[a, p, 2 * n, s]} ps")
    rates = sorted(r.sample(range(1, 400), 3))
    network = lambda rate: case.times(",".join(IN_STEP), "-p", ranks, "-n", sizes[0], "--network", f"crossbar:bandwidth={rate}Gbps")
    slower, faster = network(rates[0]), network(rates[-1])
    for key, t in slower.items():
        if faster[key] > t:
            raise Broken(f"{key}: {t} ps at {rates[0]} Gbit/s, {faster[key]} ps at {rates[-1]} Gbit/s")


def relabeled(case):
    """Where all hosts are alike, the root and the placement do not matter."""
    r = case.random
    ranks = r.choice((3, 4, 6, 8))
    # Under loggops, two messages that arrive at once are received by the sender's number, which is another for another root.
    model, names = r.choice((("alpha_beta", "tree,chain"), ("loggops", "chain")))
    parameters = model_arguments(case, model, ranks)
    for collective in ("reduce", "broadcast"):
        roots = [case.times(names, "-c", collective, "-p", ranks, "-n", 1000, "--root", root, *parameters)
                 for root in (0, r.randrange(1, ranks))]
        expect_same(*roots, f"another root of {collective}")
    network = ("all", "-p", ranks, "-n", r.choice((10, 10_000)), "--network", f"crossbar:hosts={ranks}")
    expect_same(case.times(*network), case.times(*network[:-1], f"{network[-1]},placement=random,seed={r.randint(1, 99)}"), "another placement on a crossbar")
    shift = r.randrange(1, ranks)
    case.write("shifted.txt", "".join(f"h{(i + shift) % ranks}\n" for i in range(ranks)))
    ring = ("ring,butterfly,all_to_all,circulant,round_robin,pat", "-p", ranks, "-n", 1000, "--network", f"ring:hosts={ranks}")
    expect_same(case.times(*ring), case.times(*ring[:-1], f"{ring[-1]},placement=./shifted.txt"), "a shifted ring", lambda key: 20 * key[1])


def bounded(case):
    """Rates of a bound grow with the bandwidths, no run is faster, and what the verdict is does not depend on a slow link's factor."""
    r = case.random
    ranks, k = r.choice((4, 6, 8)), r.choice((2, 3, 7))
    spec = r.choice((f"ring:hosts={ranks}", f"torus:dims={ranks // 2}x2", f"full_mesh:hosts={ranks}", f"leaf_spine:leaves=2,hosts={ranks // 2},spines=2", "hypercube:d=3"))
    link = f"slow={'h0--leaf0' if spec.startswith('leaf') else 'h0--h1'}:"
    verdicts = []
    for factor in ("7", "100", f"{r.uniform(1.1, 50):.2f}", repr(r.uniform(2, 9)), repr(r.randint(3, 40) / r.choice((2, 3)))):
        one, more = (case.records("bound", f"{spec},bandwidth={rate}Gbps,{link}{factor}")[0] for rate in (10, 10 * k))
        for key in ("all_gather_gb_per_s", "reduce_scatter_gb_per_s", "allreduce_gb_per_s", "allreduce_equal_shares_gb_per_s"):
            if abs(more[key] - k * one[key]) > 1e-9 * more[key]:
                raise Broken(f"{key}: {one[key]}, and {more[key]} with {k} times the bandwidth")
        verdicts.append((one["allreduce_reached"], one["rounded_up"]))
        for record in case.records("simulate", "all", "-p", one["hosts"], "-s", r.choice(("64", "64K", "4M")), "--network",
                                   f"{spec},bandwidth=10Gbps,{link}{factor}"):
            if (record["optimum_fraction"] or 0) > 1 + 1e-9:
                raise Broken(f"{record['algorithm']} takes {record['modelled_us']} us, the bound is {record['bound_us']} us")
    if set(verdicts) != {(True, 0)}:
        raise Broken(f"one slow cable: {verdicts} instead of the optimum")


RELATIONS = (units, lists, scaled_times, scaled_network, engines, coinciding_models, larger_is_not_faster, relabeled, bounded)
