"""Networks: of a spec, a file, or a graph of networkx."""
import dataclasses
import html
import json
import os
import tempfile
from typing import Any, Dict, List, Optional, Sequence

from . import _call
from ._errors import UsageError
from ._results import frame_of, html_table, show_time

Record = _call.Record


@dataclasses.dataclass(frozen=True)
class Topology:
    """A network: hosts, switches, and links. Where a function takes a network, it may stand for its spec."""
    spec: str                    # what the command line takes
    name: str                    # with all sizes
    hosts: int
    switches: int
    diameter: int                # links on the longest shortest path
    bisection_gb_per_s: float
    metrics: Record = dataclasses.field(repr=False)
    nodes: List[Record] = dataclasses.field(repr=False)
    links: List[Record] = dataclasses.field(repr=False)  # a cable is two
    svg: Optional[str] = dataclasses.field(default=None, repr=False)

    def __str__(self) -> str:
        return self.spec

    def frame(self) -> Any:
        """The links, as a DataFrame or list of dicts."""
        return frame_of(self.links)

    def graph(self) -> Any:
        """A directed graph of networkx, with bandwidths and latencies."""
        import networkx  # type: ignore[import]
        graph = networkx.MultiDiGraph(name=self.name)
        for node in self.nodes:
            graph.add_node(node["name"], **{key: value for key, value in node.items() if key != "name"})
        for link in self.links:
            graph.add_edge(link["from"], link["to"], bandwidth=f"{link['bandwidth_gb_per_s']:.9g}GB/s",
                           latency=f"{link['latency_us']:.9g}us", tier=link["tier"])
        return graph

    def _repr_html_(self) -> str:
        rows = [["hosts", str(self.hosts)], ["switches", str(self.switches)], ["diameter", f"{self.diameter} links"],
                ["longest latency", show_time(self.metrics["longest_latency_us"])],
                ["bisection bandwidth", f"{self.bisection_gb_per_s:.6g} GB/s"]]
        return f"<p>{html.escape(self.name)}</p>{html_table(['metric', 'value'], rows)}{self.svg or ''}"


def topology(network: Any, ranks: int = 0, placement: str = "block", fault: Sequence[str] = ()) -> Topology:
    """A network of a spec ("fat_tree:k=8"), a file (GraphML, DOT, or of another program), or a graph of networkx.

    Nodes of a graph have `kind` (host or switch) and may have `group`; edges have `bandwidth` ("100Gbps") and `latency` ("1us").
    """
    found: Dict[str, Any] = json.loads(_call.compiled().topology(spec_of(network), ranks, placement, list(fault)))
    metrics = found["metrics"]
    return Topology(found["network"], found["spec"], metrics["hosts"], metrics["switches"], metrics["diameter"], metrics["bisection_gb_per_s"],
                    metrics, found["nodes"], found["links"], found["svg"])


def spec_of(network: Any) -> Any:
    """The spec of whatever says what a network is; None stays."""
    if network is None or isinstance(network, str):
        return network
    if isinstance(network, os.PathLike):
        return os.fspath(network)
    if isinstance(network, Topology):
        return network.spec
    if isinstance(network, (list, tuple)):
        return ",".join(str(spec_of(one)) for one in network)
    if hasattr(network, "nodes") and hasattr(network, "edges"):
        return _file_of(network)
    raise UsageError(f"network is {network!r}: give a spec such as \"torus:dims=4x4\", a file, or a graph of networkx")


_written: Dict[int, Any] = {}  # files of graphs, which live as long as this process


def _file_of(graph: Any) -> str:
    import networkx
    for name, data in graph.nodes(data=True):
        if data.get("kind") not in ("host", "switch"):
            raise UsageError(f"node {name} has the kind {data.get('kind')!r}: set graph.nodes[{name!r}]['kind'] to 'host' or 'switch'")
    folder = _written.setdefault(0, tempfile.TemporaryDirectory(prefix="arlab-"))
    path = os.path.join(folder.name, f"graph{len(os.listdir(folder.name)) + 1}.graphml")
    networkx.write_graphml(graph, path)
    return f"file:{path}"
