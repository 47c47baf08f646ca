"""verify, count, simulate, bound, run, plan, export, and the catalogs. Every option of the command line is a keyword, too."""
import atexit
import os
import re
from typing import Any, Dict, List

from . import _call
from ._errors import CheckError
from ._results import Bound, Counts, Measured, Plan, Proof, Results, Simulated

Record = _call.Record


def list_algorithms() -> List[Record]:
    """The algorithms of the catalog: name, formulas, collectives, parameters, and source of each."""
    return list(_call.catalog("algorithms"))


def list_topologies() -> List[Record]:
    """Kinds of networks, with their parameters."""
    return list(_call.catalog("topologies"))


def list_models() -> List[Record]:
    """Models of networks, with their parameters."""
    return list(_call.catalog("models"))


def list_compressors() -> List[Record]:
    """Compressors of gradients."""
    return list(_call.catalog("compressors"))


def list_schedulers() -> List[Record]:
    """Orders in which gradients are exchanged."""
    return list(_call.catalog("schedulers"))


def list_strategies() -> List[Record]:
    """Ways to train on several workers."""
    return list(_call.catalog("strategies"))


def list_backends() -> List[Record]:
    """What can run algorithms for real, and whether it can here."""
    return list(_call.catalog("backends"))


def list_types() -> List[Record]:
    """Types of elements."""
    return list(_call.catalog("types"))


def list_gpus() -> List[Record]:
    """GPUs: operations and bytes per second of their data sheets, and what training reaches in each precision."""
    return list(_call.catalog("gpus"))


_PLACE = re.compile(r"\n  (.+?):(\d+): ")


def located(error: CheckError) -> CheckError:
    """The same error with the file and line that its text names."""
    found = _PLACE.search(str(error))
    return CheckError(str(error), error.rank, error.round, found.group(1), int(found.group(2))) if found else error


def _swept(command: str, algorithms: Any, options: Dict[str, Any]) -> List[Record]:
    words, own = _call.algorithm_words(algorithms)
    try:
        return _call.command(command, words, options, own)[0]
    except CheckError as error:
        raise located(error) from None


def verify(algorithms: Any = "all", ranks: Any = "2..16", **options: Any) -> "Results[Proof]":
    """Proves algorithms correct, for any data and any number of elements. The result is true if all that were not skipped are right."""
    options["ranks"] = ranks
    proofs = []
    for r in _swept("verify", algorithms, options):
        fault, skipped = str(r["fault"] or ""), r["skipped"] or ""
        line = located(CheckError(fault)).line
        proofs.append(Proof(r["algorithm"], r["collective"], r["ranks"], r["root"], not r["wrong"] and not skipped, fault,
                            bool(r.get("same_on_all_ranks")), r.get("bracketing") or "", line, skipped, r))
    return Results(proofs)


def count(algorithms: Any = "all", ranks: Any = 8, **options: Any) -> "Results[Counts]":
    """Counts messages, elements, and rounds, and compares them with the formula; `elements` is 1000 unless given."""
    rows = []
    for r in _swept("count", algorithms, {"ranks": ranks, **options}):
        claim = (r["claimed"]["messages"], r["claimed"]["elements_sent"], r["claimed"]["rounds"]) if r["claimed"] else None
        rows.append(Counts(r["algorithm"], r["collective"], r["ranks"], r["elements"], r["messages"] or 0, r["elements_sent"] or 0,
                           r["rounds"] or 0, claim, not r["wrong"], r["skipped"] or "", r))
    return Results(rows)


def simulate(algorithms: Any = "all", ranks: Any = 64, size: Any = None, network: Any = None, **options: Any) -> "Results[Simulated]":
    """Predicts times on a network: a rate ("10G"), a model ("loggops:L=5us"), a topology ("rail_pod:nodes=8"), or a Topology."""
    rows = []
    for r in _swept("simulate", algorithms, {"ranks": ranks, "size": size, "network": network, **options}):
        if r["wrong"] and r["skipped"]:  # a wrong algorithm is not timed
            raise located(CheckError(str(r["skipped"])))
        time = r["time_us"]["median"] if r["time_us"] else None
        rows.append(Simulated(r["algorithm"], r["ranks"], r["bytes"], time, r["busbw_gb_per_s"], r["messages"], r["rounds"],
                              r["model"] or "", r["topology"] or "", r.get("bound_us"), r["skipped"] or "", r))
    return Results(rows)


_RANK_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK")
_mpi_is_kept = False


def _keep_mpi() -> None:
    """Under mpirun: MPI runs until this process ends, started by mpi4py or by us."""
    global _mpi_is_kept
    if _mpi_is_kept or not any(name in os.environ for name in _RANK_VARIABLES):
        return
    _call.compiled().keep_mpi()
    atexit.register(_call.compiled().end_mpi)
    _mpi_is_kept = True


def run(algorithms: Any = "all", ranks: Any = None, size: Any = None, **options: Any) -> "Results[Measured]":
    """Runs algorithms for real, checks every result, and times them: on threads, or under mpirun on its processes.

    Of an MPI job, rank 0 gets the rows, and the others none. time="20ms" is how long each is measured.
    """
    _keep_mpi()
    rows = []
    for r in _swept("run", algorithms, {"ranks": ranks, "size": size, **options}):
        time = r["time_us"] or {}
        interval = time.get("ci95")
        rows.append(Measured(r["algorithm"], r["backend"], r["ranks"], r["bytes"], time.get("median"),
                             (interval[0], interval[1]) if interval else None, time.get("n") or 0, r["busbw_gb_per_s"], r["wrong"] or 0, r["skipped"] or "", r))
    return Results(rows)


def bound(network: Any, ranks: Any = None, **options: Any) -> Bound:
    """How fast collectives could be at all on a network, and what limits them."""
    r = _call.command("bound", [], {"network": network, "ranks": ranks, **options})[0][0]
    return Bound(r["topology"], r["hosts"], r["all_gather_gb_per_s"], r["reduce_scatter_gb_per_s"], r["allreduce_gb_per_s"],
                 r["latency_us"], r["reached"], r["cut"], r)


def plan(model: str, gpus: Any, network: Any = None, **options: Any) -> "Results[Plan]":
    """Predicts training: plan("profile:resnet50", gpus=[8, 64], network="10G")."""
    rows = []
    for r in _call.command("plan", [], {"model": model, "gpus": gpus, "network": network, **options})[0]:
        rows.append(Plan(r["model"], r["network"], r["ranks"], r["algorithm"] or "", r["step_us"], r["efficiency"],
                         r["samples_per_s"], r["limit"], r))
    return Results(rows)


def export(algorithm: Any, file: str, ranks: int = 4, format: str = "json", **options: Any) -> None:
    """Writes a schedule as a file: json, msccl, ti, or goal; or a simulated run: perfetto."""
    _swept("export", algorithm, {"ranks": ranks, "format": format, "output": file, **options})
