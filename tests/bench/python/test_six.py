"""The six algorithms in Python are those in C++: proofs, counts, and times to the picosecond."""
import itertools

import pytest
from six_algorithms import SIX

import arlab

RANKS = range(1, 34)
NETWORKS = ("alpha_beta:gamma=0.1ns", "loggops", "torus", "packet:topology=leaf_spine")


def pairs(name, results):
    """The rows of the catalog's and of Python's algorithm, of the same problem."""
    theirs = [row for row in results if row.algorithm == name]
    ours = [row for row in results if row.algorithm == "py_" + name]
    assert len(theirs) == len(ours) > 0
    return zip(theirs, ours)


@pytest.mark.parametrize("name", SIX)
def test_each_is_proved_on_every_number_of_ranks(name):
    proofs = arlab.verify(f"{name} + py_{name}", ranks=RANKS)
    assert proofs and len(proofs) == 2 * len(RANKS)
    for theirs, ours in pairs(name, proofs):
        assert (ours.ranks, ours.bracketing, ours.same_on_all_ranks) == (theirs.ranks, theirs.bracketing, theirs.same_on_all_ranks)


@pytest.mark.parametrize("name", SIX)
def test_counts_are_equal_for_uneven_vectors_too(name):
    counts = arlab.count(f"{name} + py_{name}", ranks=RANKS, elements=[1, 31, 1000])
    for theirs, ours in pairs(name, counts):
        assert (ours.ranks, ours.elements, ours.messages, ours.elements_sent, ours.rounds) == \
            (theirs.ranks, theirs.elements, theirs.messages, theirs.elements_sent, theirs.rounds)
    assert counts, "a formula in Python is wrong"


@pytest.mark.parametrize("name", SIX)
def test_no_elements_send_nothing(name):
    assert [row.messages for row in arlab.count(f"py_{name}", ranks=[1, 5], elements=0)] == [0, 0]


@pytest.mark.parametrize("network", NETWORKS)
def test_simulated_times_are_equal_to_the_picosecond(network):
    names = list(itertools.chain.from_iterable((name, "py_" + name) for name in SIX))
    ranks = RANKS if network.startswith(("alpha", "log")) else (2, 5, 8, 16, 33)
    times = arlab.simulate(names, ranks=ranks, elements=[7, 1001], network=network)
    for name in SIX:
        for theirs, ours in pairs(name, times):
            assert ours.picoseconds == theirs.picoseconds, (name, ours.ranks, ours.bytes)
            assert ours.messages == theirs.messages


@pytest.mark.parametrize("name,collective", [("ring", "reduce_scatter"), ("ring", "all_gather"), ("tree", "reduce"),
                                             ("tree", "broadcast"), ("round_robin", "all_gather"), ("master_worker", "reduce")])
def test_other_collectives(name, collective):
    both = f"{name} + py_{name}"
    assert arlab.verify(both, ranks=[1, 2, 6, 7], collective=collective)
    times = arlab.simulate(both, ranks=[2, 6, 7], elements=1001, collective=collective, network="loggops")
    assert all(ours.picoseconds == theirs.picoseconds for theirs, ours in pairs(name, times))


def test_a_root_other_than_0():
    assert arlab.verify("py_tree + py_master_worker", ranks=[6, 7], root=[0, 2, 5])
    times = arlab.simulate("tree + py_tree", ranks=7, root=3, elements=1001)
    assert times[0].picoseconds == times[1].picoseconds


def test_segments_pipeline_a_program():
    times = arlab.simulate("ring + py_ring", ranks=6, size="64K", segments=[1, 4], network="torus")
    assert [row.picoseconds for row in times[::2]] == [row.picoseconds for row in times[1::2]]


def test_threads_run_it_and_check_every_element():
    rows = arlab.run("py_ring + py_tree", ranks=3, elements=[5, 1000], time="5ms")
    assert len(rows) >= 4 and all(row.wrong == 0 and row.time_us > 0 and not row.skipped for row in rows if row.algorithm.startswith("py_"))
