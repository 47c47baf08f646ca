#!/usr/bin/env python3
"""Draws a schedule as an animated SVG: who sends which chunk to whom, and whose numbers are in each sum.

    arlab export ring -p 4 -n 4 | docs/figures/animate.py > docs/figures/ring.svg

A cell is a chunk of a rank, with one strip per rank whose numbers it holds. All ranks take their rounds together.
"""
import json
import sys

COLORS = ("#2a78d6", "#d9822b", "#3f9142", "#a44fa0", "#c0392b", "#5d6d7e", "#1b9e9e", "#8d6e3f")
SECONDS, REST = 1.5, 2.5  # of a step, and at the end
CELL, HIGH = 44, 20


def states(schedule):
    """Per step: the chunks that move, as (sender, receiver, chunk, contributions), and what all ranks hold afterwards."""
    ranks = schedule["ranks"]
    held = [[{rank} for _ in range(ranks)] for rank in range(ranks)]
    yield [], held
    programs = [rank["rounds"] for rank in schedule["lanes"][0]["ranks"]]
    for step in range(len(programs[0])):
        moves = []
        for receiver, rounds in enumerate(programs):
            for action in rounds[step]:
                if action["action"] != "send":
                    moves.append((action["peer"], receiver, action["chunk"], held[action["peer"]][action["chunk"]], action["action"]))
        held = [[set(chunk) for chunk in rank] for rank in held]
        for _, receiver, chunk, sent, action in moves:
            held[receiver][chunk] = held[receiver][chunk] | sent if action == "reduce" else set(sent)
        yield moves, held


def place(rank, chunk):
    return (30 + (rank in (1, 2)) * 300, 50 + (rank > 1) * 170 + chunk * (HIGH + 5))


def strips(x, y, contributions):
    return "".join(f'<rect x="{x + CELL / 2 * rank:g}" y="{y}" width="{CELL / 2:g}" height="{HIGH}" fill="{COLORS[rank]}"/>'
                   for rank in sorted(contributions))


def discrete(from_step, total):
    """Visible from the end of that step on, until the animation begins again."""
    at = from_step * SECONDS / total
    values, times = "0;1", f"0;{at:.4f}"
    return f'<animate attributeName="opacity" calcMode="discrete" values="{values}" keyTimes="{times}" dur="{total}s" repeatCount="indefinite"/>'


def draw(schedule):
    steps = list(states(schedule))
    total = (len(steps) - 1) * SECONDS + REST
    yield ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 400" width="480" height="400" font-family="sans-serif" font-size="13">'
           f'<title>{schedule["algorithm"]} on {schedule["ranks"]} ranks, animated</title><rect width="480" height="400" fill="#fff"/>')
    for rank in range(schedule["ranks"]):
        x, y = place(rank, 0)
        yield f'<text x="{x}" y="{y - 10}" fill="{COLORS[rank]}" font-weight="bold">rank {rank}</text>'
        for chunk in range(schedule["ranks"]):
            x, y = place(rank, chunk)
            yield f'<rect x="{x - 1}" y="{y - 1}" width="{CELL * 2 + 2}" height="{HIGH + 2}" fill="#fff" stroke="#999"/>'
            for contributor in range(schedule["ranks"]):
                since = next(step for step, (_, held) in enumerate(steps) if contributor in held[rank][chunk])
                shown = "" if since == 0 else discrete(since, total)
                yield f'<g opacity="{0 if since else 1}">{strips(x, y, {contributor})}{shown}</g>'
    for step, (moves, _) in enumerate(steps):
        for sender, receiver, chunk, contributions, _ in moves:
            (x0, y0), (x1, y1) = place(sender, chunk), place(receiver, chunk)
            begin, end = (step - 1) * SECONDS / total, (step - 0.2) * SECONDS / total
            times = f"0;{begin:.4f};{end:.4f};1"
            yield (f'<g opacity="0">{strips(x0, y0, contributions)}'
                   f'<rect x="{x0}" y="{y0}" width="{CELL * 2}" height="{HIGH}" fill="none" stroke="#111" stroke-width="2"/>'
                   f'<animate attributeName="opacity" calcMode="discrete" values="0;1;0;0" keyTimes="{times}" dur="{total}s" repeatCount="indefinite"/>'
                   f'<animateTransform attributeName="transform" type="translate" values="0 0;0 0;{x1 - x0} {y1 - y0};{x1 - x0} {y1 - y0}" '
                   f'keyTimes="{times}" dur="{total}s" repeatCount="indefinite"/></g>')
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(draw(json.load(sys.stdin))))
