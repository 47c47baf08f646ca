"""Networks of networkx that tests share."""
import pytest


def star_graph():
    """Four hosts on a switch, of 10 GB/s and 1 us; the test is skipped without networkx."""
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_node("s", kind="switch")
    for host in range(4):
        graph.add_node(f"h{host}", kind="host")
        graph.add_edge(f"h{host}", "s", bandwidth="10GB/s", latency="1us")
    return graph
