"""Arguments of the program, its messages and exit status. Imports matplotlib only to draw."""

import argparse
import sys
from pathlib import Path
from typing import Any, NoReturn, Sequence

from . import selection, winners
from .records import BadRecord, Record, read
from .settings import MEASURED, SIMULATED, label_of, settings
from .text import plain

DESCRIPTION = """Draws charts of result files, each chart if the records hold what it needs. `arlab chart` starts this program.

time_against_size, time_against_ranks   lines with 95% bands, dashed model times, crossovers
bandwidth_against_size                  bus bandwidth, with the rate of a port if the model has one
efficiency_against_ranks                bus bandwidth relative to the fewest ranks, of 2 or more
time_by_network                         simulated times on several networks, side by side
best_map, speedup_map                   sizes x ranks: the fastest and its margin; each against a baseline
predicted_against_measured              measured records that carry a model's time
links_over_time                         utilization of links over time (`simulate --record links=N`)
training_loss, training_step            `arlab train`: loss against seconds and bytes; the exposed part of a step
training_scaling                        images per second against one worker
training_bandwidth                      compressors over bandwidths: a step, time to accuracy, break-even
nccl_choice                             what NCCL takes by its own model, and what is fastest by a model of links
plan_efficiency, plan_step              `arlab plan`: speed per GPU on more of them; what limits a step
plan_bandwidth                          `arlab plan`: compressors over the rate of a port, and their break-even
history                                 `arlab compare` with several files: times by date, host by host
nearness                                how often an algorithm is how near to the fastest (ECDF)
time_table                              times as Markdown, CSV, and LaTeX with booktabs

Each panel shows records that were made in the same way: measured with a backend or simulated with a model. Hosts, days,
versions, and files that measured the same thing have panels of their own; launches in one file are one line.
"""
EXAMPLES = """examples:
  arlab run all -p 4 -s 1K..4M --json results/run.jsonl
  arlab simulate all -p 2..1024 -s 1M --json results/simulate.jsonl
  arlab chart results/*.jsonl -o results/
  arlab chart results/*.jsonl --only speedup_map --baseline MPI_Allreduce
  arlab chart results/run.jsonl --only time_against_size --figure width=3.4in,font=8,title=off
  arlab chart results/*.jsonl --only winners

Each chart is written as .svg, .png and .pdf; a note names the charts that were left out, and why.
Exit status: 0 written, 1 a chart failed, 2 unusable files or arguments, 3 no matplotlib, or the folder cannot be written.
"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as arlab does."""

    def error(self, message: str) -> NoReturn:
        raise BadRecord(f"{message} (`arlab chart --help` lists all options)")


def main(arguments: Sequence[str]) -> int:
    parser = Parser(prog="arlab chart", description=DESCRIPTION, epilog=EXAMPLES, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="result files (JSON Lines), logs, and folders of them")
    parser.add_argument("-o", "--folder", default=".", help="folder to write to (default: here)")
    parser.add_argument("--only", action="append", metavar="CHART", help="draw this chart; can be repeated (default: all)")
    selection.add_options(parser)
    parser.add_argument("--baseline", metavar="LABEL", help="algorithm that lines and maps are compared with (default: a library's own)")
    parser.add_argument("--width", help="width of the figure, such as 3.4in or 86mm (default: for a screen)")
    parser.add_argument("--font", help="size of most texts in points (default 9.5)")
    parser.add_argument("--no-title", action="store_true", help="leave out titles, notes, and the footer, for a figure with a caption")
    parser.add_argument("--share-y", action="store_true", help="one y axis for all panels of a chart")
    parser.add_argument("--winners", action="store_true",
                        help="print the fastest algorithms of simulated records as Markdown instead; needs no matplotlib")
    try:
        options = parser.parse_args(arguments)
        for name in ("folder", "only", "baseline", "width", "font", "no_title", "share_y") if options.winners else ():
            if getattr(options, name) != parser.get_default(name):
                raise BadRecord(f"--{name.replace('_', '-')} has no effect with winners, a table: leave one of them out")
        look = {"width": options.width and selection.inches(options.width), "titles": not options.no_title, "share_y": options.share_y,
                **({"font": selection.points(options.font)} if options.font else {})}
        records = [record for path in options.files for record in read(path)]
        if not records:
            raise BadRecord(f"no records in {', '.join(options.files)}: write some with `arlab ... --json FILE`")
        records = selection.selected(records, options)
        status = winners.report(records) if options.winners else draw(records, options, look)
        sys.stdout.flush()
        return status
    except BadRecord as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if error.filename is None:
            return _without_stdout(error)
        print(f"error: {error.filename}: {error.strerror}; choose another folder with -o", file=sys.stderr)
        return 3


def _without_stdout(error: OSError) -> int:
    if not isinstance(error, BrokenPipeError):  # whose reader has enough
        print(f"error: cannot write to stdout ({error.strerror}): make room where it goes, or send it somewhere else", file=sys.stderr)
    sys.stdout = None  # type: ignore[assignment]  # which would fail again at the end
    return 3


def draw(records: Sequence[Record], options: argparse.Namespace, look: dict[str, Any]) -> int:
    try:
        from . import catalog
    except (ImportError, MemoryError, OSError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "matplotlib":
            print("error: charts need matplotlib: apt install python3-matplotlib", file=sys.stderr)
        else:  # for lack of memory, for example, which numpy explains at length
            why = (str(error).strip() or type(error).__name__).splitlines()[-1]
            print(f"error: matplotlib does not start ({plain(why)}): "
                  "raise the limit of memory (ulimit -v), or install it again: apt install --reinstall python3-matplotlib", file=sys.stderr)
        return 3
    labels = sorted({label_of(record) for record in records})
    if options.baseline is not None and options.baseline not in labels:
        raise BadRecord(f"--baseline {options.baseline!r} is not a label of these records: {', '.join(labels)}")
    for name in options.only or []:
        if name not in catalog.NAMES:
            raise BadRecord(f"--only {name!r} is not a chart: choose from {', '.join([*catalog.NAMES, 'winners'])}")
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    explain(records)
    written, status, said = [], 0, set()
    for name in options.only or catalog.NAMES:
        try:
            written += catalog.write(name, records, folder, options.baseline, catalog.Look(**look))
        except BadRecord as error:  # the other charts may not need that record
            status = max(status, 2)
            if str(error) not in said:
                print(f"error: {error}", file=sys.stderr)
            said.add(str(error))
        except OSError:
            raise
        except Exception as error:  # a fault of ours, which must not cost the other charts
            status = max(status, 1)
            print(f"error: {name} failed: {type(error).__name__}: {plain(str(error))}; the other charts are not affected: "
                  "please report this with the file", file=sys.stderr)
    for path in written:
        print(path)
    if not written and not status:
        print("error: nothing to draw: no measured or simulated records of two sizes or two rank counts, "
              "none of links over time, and none of training", file=sys.stderr)
        return 2
    return status


def explain(records: Sequence[Record]) -> None:
    """Says which records no chart over sizes and ranks shows, and what is drawn apart."""
    timed = [record for record in records if record.get("kind") in (MEASURED, SIMULATED)]
    empty = sum(not record.get("bytes") for record in timed)
    wrong = sum(bool(record.get("wrong")) for record in timed if record.get("kind") == MEASURED)
    if empty:
        print(f"note: records of 0 bytes, which a logarithmic axis cannot show, are left out: {empty} of {len(timed)}", file=sys.stderr)
    if wrong:
        print(f"note: records with wrong results are left out: {wrong} of {len(timed)}", file=sys.stderr)
    origins = {(one.host, one.origin) for one in settings(timed) if one.kind == MEASURED}
    if len(origins) > 1:
        print("note: measurements of several hosts, days, versions, or files are drawn apart; `arlab compare` tests whether two files differ",
              file=sys.stderr)
