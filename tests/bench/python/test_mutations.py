"""Random mutations of right programs are accepted exactly where numpy's execution gives the sum."""
import random

import numpy
import pytest
from six_algorithms import SIX

import arlab
from arlab import Action, Chunks

SEED, CASES = 7, 60


def indices(chunks, parts):
    """The chunks that an action carries."""
    if not isinstance(chunks, tuple):
        return [chunks % parts]
    first, count, stride = chunks
    return [(first + i * stride) % parts for i in range(count)]


def executed(programs, ranks):
    """Runs the rounds of all ranks on vectors of numpy, with sends that wait for their receives. Returns whether all ranks end with
    the sum: each rank contributes a vector of its own, so that a missing or doubled contribution shows."""
    data = [numpy.array([3 ** rank] * ranks, dtype=object) for rank in range(ranks)]
    expected = sum(3 ** rank for rank in range(ranks))
    at = [0] * ranks
    started = [data[rank].copy() for rank in range(ranks)]  # the values at the start of the round
    pending = [list(range(len(program[0]))) if program else [] for program in programs]
    landed = [{} for _ in range(ranks)]
    while True:
        moved = False
        for rank in range(ranks):
            if at[rank] == len(programs[rank]):
                continue
            actions = programs[rank][at[rank]]
            for i in list(pending[rank]):
                if actions[i].kind != arlab._words.SEND:
                    continue
                peer = actions[i].peer
                if at[peer] == len(programs[peer]):
                    continue
                # The first send to a peer matches its first receive from here.
                if any(actions[j].kind == 0 and actions[j].peer == peer for j in pending[rank] if j < i):
                    continue
                theirs = programs[peer][at[peer]]
                receive = next((j for j in pending[peer] if theirs[j].kind != 0 and theirs[j].peer == rank), None)
                if receive is None:
                    continue
                sent, received = indices(actions[i].chunks, ranks), indices(theirs[receive].chunks, ranks)
                if sent != received:
                    return False
                landed[peer][receive] = started[rank][sent]
                pending[rank].remove(i)
                pending[peer].remove(receive)
                moved = True
        for rank in range(ranks):
            if at[rank] < len(programs[rank]) and not pending[rank]:
                for i, action in enumerate(programs[rank][at[rank]]):
                    if action.kind == 0:
                        continue
                    own = indices(action.chunks, ranks)
                    data[rank][own] = data[rank][own] + landed[rank][i] if action.kind == 1 else landed[rank][i]
                at[rank] += 1
                landed[rank], started[rank] = {}, data[rank].copy()
                pending[rank] = list(range(len(programs[rank][at[rank]]))) if at[rank] < len(programs[rank]) else []
                moved = True
        if not moved:
            break
    return all(at[rank] == len(programs[rank]) for rank in range(ranks)) and all((vector == expected).all() for vector in data)


def programs_of(algorithm, ranks):
    problem = algorithm.problem(ranks)
    rounds = [list(algorithm(problem, me)) for me in range(ranks)]
    return [[[item] if isinstance(item, Action) else list(item) for item in rank] for rank in rounds]


def mutated(programs, ranks, chance):
    """One action with another peer, chunk, or kind; or one removed, doubled, or two rounds exchanged."""
    rank = chance.choice([r for r in range(ranks) if programs[r]])
    rounds = programs[rank]
    at = chance.randrange(len(rounds))
    i = chance.randrange(len(rounds[at]))
    action = rounds[at][i]
    what = chance.choice(["peer", "chunk", "kind", "remove", "double", "swap", "both ends"])
    if what == "peer":
        rounds[at][i] = action._replace(peer=chance.choice([p for p in range(ranks) if p != rank]))
    elif what == "chunk":
        rounds[at][i] = action._replace(chunks=Chunks(chance.randrange(ranks)))
    elif what == "kind":
        rounds[at][i] = action._replace(kind=chance.randrange(3))
    elif what == "remove":
        del rounds[at][i]
    elif what == "double":
        rounds[at].append(action)
    elif what == "swap":
        other = chance.randrange(len(rounds))
        rounds[at], rounds[other] = rounds[other], rounds[at]
    else:  # a message that does not change: a send and its receive, in a round of its own, at the end
        peer = chance.choice([p for p in range(ranks) if p != rank])
        chunk = Chunks(chance.randrange(ranks))
        kind = chance.choice([1, 2])
        programs[rank].append([Action(0, peer, chunk)])
        programs[peer].append([Action(kind, rank, chunk)])
    return programs


@pytest.mark.parametrize("name", SIX)
def test_the_verifier_accepts_what_numpy_sums_up(name):
    chance = random.Random(f"{SEED} {name}")
    accepted = refused = 0
    for _ in range(CASES):
        ranks = chance.choice([2, 3, 4, 5, 6])
        programs = mutated(programs_of(SIX[name], ranks), ranks, chance)
        mutant = arlab.Algorithm(lambda p, me, programs=programs: iter([tuple(round) for round in programs[me]]), "mutant")
        try:
            mutant.prove(ranks)
            right = True
        except arlab.CheckError as error:
            right, why = False, str(error)
        summed = executed(programs, ranks)
        if right != summed and not right and "round" in why and ("overwrites" in why or "one round" in why):
            continue  # a hazard: the order of arrival decides, and numpy's happens to be a good one
        assert right == summed, (ranks, programs, None if right else why)
        accepted, refused = accepted + right, refused + (not right)
    assert accepted > 0 and refused > 0


def test_numpy_sums_up_what_is_right():
    for algorithm in SIX.values():
        for ranks in (1, 2, 5, 8):
            assert executed(programs_of(algorithm, ranks), ranks)
