"""show(): an algorithm's steps, and their animation by the explorer's drawing code."""
import html
import json
from typing import Any

from . import _call
from ._errors import CheckError
from ._schedule import Schedule


def show(algorithm: Any, ranks: int = 4, **options: Any) -> Schedule:
    """The rounds of one algorithm, at most 64 ranks: a table, and in a notebook an animation."""
    from ._commands import located
    words, own = _call.algorithm_words(algorithm)
    try:
        records, text = _call.command("show", words, {"ranks": ranks, **options}, own)
    except CheckError as error:
        raise located(error) from None
    record = records[0]
    return Schedule(record["algorithm"], record["collective"], record["ranks"], record["root"], record, text)


def animation_of(schedule: Schedule) -> str:
    """HTML that plays the schedule, without anything from elsewhere; empty where the explorer cannot show it."""
    lanes = schedule.record["lanes"]
    if schedule.collective != "allreduce" or len(lanes) != 1 or schedule.record.get("chunks_per_rank", 1) != 1 or schedule.ranks < 2:
        return ""
    kinds = {"send": 0, "reduce": 1, "replace": 2}
    rounds = [[[[kinds.get(a["action"], -1), a.get("peer", 0), a["chunk"], a["chunks"], a.get("stride", 1)] for a in actions]
               for actions in rank["rounds"]] for rank in lanes[0]["ranks"]]
    if any(action[0] < 0 for rank in rounds for actions in rank for action in actions):
        return ""  # switches that add
    page = _call.compiled().player(json.dumps(rounds), schedule.ranks)
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:44rem;border:0" title="{html.escape(schedule.algorithm)}"></iframe>'
