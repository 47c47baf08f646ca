"""Networks as values: a Topology stands for all that made it, and a graph goes wherever a network does."""
import json

import pytest
from graphs import star_graph

import arlab


@pytest.mark.parametrize("about,spec,ranks", [
    ({"network": "torus:dims=3x3", "fault": ["dead=h0--h1"]}, "torus:dims=3x3,dead=h0--h1", 9),
    ({"network": "torus:dims=3x3", "fault": ["slow=h0--h1:4", "dead=h1--h2"]}, "torus:dims=3x3,slow=h0--h1:4,dead=h1--h2", 9),
    ({"network": "torus:dims=4x4", "placement": "random"}, "torus:dims=4x4,placement=random", 16),
    ({"network": "torus:dims=4x4,placement=random,seed=3"}, "torus:dims=4x4,placement=random,seed=3", 16),
    ({"network": "rail_pod:nodes=2", "placement": "cyclic", "fault": ["dead=n0/g0--rail0"]}, "", 16)])
def test_a_topology_keeps_what_made_it(about, spec, ranks):
    if not spec:  # whose links have names of their own
        about["fault"] = ["dead=" + arlab.topology(about["network"]).links[0]["name"]]
        spec = f"rail_pod:nodes=2,placement=cyclic,{about['fault'][0]}"
    made = arlab.topology(**about)
    times = [arlab.simulate("ring", ranks=ranks, size="1M", network=network)[0].picoseconds for network in (made, spec)]
    assert times[0] == times[1] != arlab.simulate("ring", ranks=ranks, size="1M", network=about["network"].split(",")[0])[0].picoseconds
    assert arlab.bound(made) == arlab.bound(spec)
    assert arlab.topology(made).spec == made.spec == str(made)


def test_a_dead_link_costs_time_and_bandwidth():
    made = arlab.topology("torus:dims=3x3", fault=["dead=h0--h1"])
    assert arlab.simulate("ring", ranks=9, size="1M", network=made)[0].time_us == pytest.approx(314.3, abs=0.05)
    assert arlab.bound(made).allreduce_gb_per_s == pytest.approx(26.5625)


def test_a_topology_has_as_many_hosts_as_it_says():
    made = arlab.topology("ring", ranks=8)
    assert made.hosts == 8 and arlab.bound(made).hosts == 8


def test_every_kind_of_topology_is_the_same_by_its_spec():
    for kind in arlab.list_topologies():
        made = arlab.topology(kind["name"], ranks=8)
        again = arlab.topology(made)
        assert (again.name, again.hosts, again.spec) == (made.name, made.hosts, made.spec), kind["name"]


def test_a_graph_goes_wherever_a_network_does(tmp_path):
    graph = star_graph()
    arlab.export("ring", str(tmp_path / "run.json"), ranks=4, format="perfetto", network=graph)
    assert "graph" in json.loads((tmp_path / "run.json").read_text())["otherData"]["topology"]
    broken = arlab.topology(graph, fault=["slow=h0--s:4"])
    assert arlab.simulate("ring", ranks=4, size="1M", network=broken)[0].time_us > arlab.simulate("ring", ranks=4, size="1M", network=graph)[0].time_us
