// Networks of NCCL, nvidia-smi, SimGrid and ASTRA-sim: routes, rates and latencies by hand.
#include "bench/formats/topologies/network_file.hpp"

#include <algorithm>

#include "simulator/topologies/routing/routing.hpp"
#include "tests/bench/formats/topologies/files.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::bench;
using namespace arlab::simulator;

namespace {

Topology network(const std::string& file, const std::string& settings = "") {
  return read_network(network_text(file), file + settings);
}

std::string refusal(const std::string& text, const std::string& spec) {
  return error_text(Blame::usage, [&] { read_network(text, spec); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// The least rate on the way, in GB/s, its latency in us, and its links.
struct Way {
  double rate = 0, latency = 0;
  std::size_t links = 0;
};

Way path(const Topology& topology, Rank from, Rank to) {
  Router router(topology);
  const auto route = router.route(from, to);
  Way made{1e9, microseconds(router.latency(route)), route.size()};
  for (const LinkId link : route)
    made.rate = std::min(made.rate, topology.link(link).bandwidth / 1e9);
  return made;
}

void expect(const Way& is, double rate, double latency, std::size_t links) {
  CHECK(is.rate == Approx(rate));
  CHECK(is.latency == Approx(latency));
  CHECK(is.links == links);
}

Rank host(const Topology& topology, const std::string& name) {
  for (Rank h = 0; h < topology.hosts(); ++h)
    if (topology.node(h).name == name) return h;
  FAIL("no host " << name);
  return 0;
}

}  // namespace

TEST_CASE("ASTRA-sim: a switch of 8 has 400 GiB/s and 936.25 ns on each link") {
  const Topology t = network("astra_h100.yml");
  CHECK(t.hosts() == 8);
  CHECK(t.links().size() == 16);
  expect(path(t, 0, 5), 400 * 1.073741824, 2 * 0.93625, 2);
}

TEST_CASE("ASTRA-sim: rings of 2 in meshes of 8 under switches of 4") {
  const Topology t = network("astra_three.yml");
  CHECK(t.hosts() == 64);
  CHECK(t.nodes() == 64 + 16);
  CHECK(t.links().size() == 32 * 2 + 8 * (8 * 7 / 2) * 2 + 64 * 2);
  CHECK(t.groups() == 32);
  CHECK(t.group_of(0) == t.group_of(1));
  expect(path(t, 0, 1), 200 * 1.073741824, 0.05, 1);
  expect(path(t, 0, 14), 100 * 1.073741824, 0.5, 1);  // 7 places on in the second dimension
  expect(path(t, 0, 48), 50 * 1.073741824, 4, 2);     // 3 in the third, through its switch
  expect(path(t, 0, 63), 50 * 1.073741824, 4.55, 4);  // one way in each dimension
}

TEST_CASE("ASTRA-sim: numbers that are missing, twice, or no numbers are named with their line") {
  const std::string text = network_text("astra_three.yml");
  CHECK(refusal(replaced(text, "200.0, ", ""), "n.yml") ==
        "n.yml:8: bandwidth has 2 values, but topology has 3: give one per dimension");
  CHECK(refusal(replaced(text, "Switch ]", "Torus ]"), "n.yml") ==
        "n.yml:2: a dimension is 'Torus': write Ring, FullyConnected or Switch");
  CHECK(refusal(replaced(text, "50.0 ]  # GB", "-50 ]  # GB"), "n.yml") ==
        "n.yml:8: bandwidth is '-50': write a number above zero");
  CHECK(refusal(replaced(text, "2, 8, 4", "2, 8 4"), "n.yml") ==
        "n.yml:5: no comma before '4': add it");
  CHECK(refusal(text + "links-count: [ 2 ]\n", "n.yml") ==
        "n.yml:12: the key 'links-count' is not read, only topology, npus_count, bandwidth, "
        "latency: remove it");
  CHECK(refusal(replaced(text, "latency: [ 50.0, 500.0, 2000.0 ]", ""), "n.yml") ==
        "n.yml:1: the network has no latency: add it");
  CHECK(read_network(replaced(text, "[ 2, 8, 4 ]", "[\n  2,\n  8, 4\n]"), "n.yml").hosts() == 64);
}

TEST_CASE("ASTRA-sim's ns-3 and SimAI's networks: links in both directions") {
  const Topology star = network("astra_star.txt");
  CHECK(star.hosts() == 8);
  expect(path(star, 0, 7), 50, 1, 2);
  const Topology servers = network("simai_two_servers.txt");
  CHECK(servers.hosts() == 4);
  CHECK(servers.groups() == 2);
  CHECK(servers.group_of(1) == 0);
  CHECK(servers.group_of(2) == 1);
  expect(path(servers, 0, 3), 25, 1, 2);
  const std::string text = network_text("astra_star.txt");
  CHECK(refusal(replaced(text, "3 8 400Gbps", "3 3 400Gbps"), "n.txt") ==
        "n.txt:6: the link joins node 3 with itself: remove it");
  CHECK(refusal(replaced(text, "0.0005ms 0", "0.0005ms 0.1"), "n.txt") ==
        "n.txt:3: the error rate is '0.1', but links without errors are simulated: write 0");
  CHECK(refusal(replaced(text, "9 1 8", "9 1 7"), "n.txt") ==
        "n.txt:10: a link follows, but the first line says 7: make them the same");
  CHECK(refusal(replaced(text, "400Gbps", "400"), "n.txt").find("n.txt:3: the rate '400'") == 0);
}

TEST_CASE("NCCL: NVSwitches are one, and its links have 20.6 GB/s on H100 and H200") {
  const Topology t = network("nccl_h200.xml", ":latency=1us");
  CHECK(t.hosts() == 3);
  CHECK(t.node(0).name == "gpu0");
  expect(path(t, 0, 2), 18 * 20.6, 2, 2);
  expect(path(network("nccl_h200.xml", ":latency=1us,nvlink=25GB/s"), 0, 2), 450, 2, 2);
  CHECK(refusal(network_text("nccl_h200.xml"), "t.xml") ==
        "t.xml:3: link 'cpu0-0000:16:00.0' has no latency: add latency=1us, there or after the "
        "file's name, as in NAME:latency=1us");
}

TEST_CASE("NCCL: machines on a switch send through the NICs beside their GPUs") {
  const Topology t = network("nccl_h200.xml", ":latency=1us,systems=4");
  CHECK(t.hosts() == 12);
  CHECK(t.groups() == 4);
  // GPU, its device, the PCI switch, the NIC's device, its port, the network, and back.
  const Way far = path(t, 0, 3);
  expect(far, 48, 6, 10);  // PCIe 5, 16 lanes; ways into a device and a port are free
  Router router(t);
  std::string names;
  for (const LinkId link : router.route(1, 5)) names += t.link(link).name + " ";
  CHECK(names.find("s0-mlx5_1") != std::string::npos);
  CHECK(names.find("s1-mlx5_2") != std::string::npos);
}

TEST_CASE("NCCL: GPUs of a DGX-1 without an NVLink between them relay over a third") {
  const Topology t = network("nccl_dgx1.xml", ":latency=1us");
  CHECK(t.hosts() == 8);
  expect(path(t, 0, 1), 20, 1, 1);
  expect(path(t, 0, 3), 40, 1, 1);
  const Way relayed = path(t, 0, 5);
  CHECK(relayed.links == 2);
  CHECK(relayed.rate >= 20);
  const std::string text = network_text("nccl_dgx1.xml");
  CHECK(refusal(replaced(text, "target=\"0000:07:00.0\" count=\"1\"",
                         "target=\"0000:07:00.0\" count=\"2\""),
                "t.xml:latency=1us")
            .find("2 NVLinks lead to the GPU of line") != std::string::npos);
  CHECK(refusal(replaced(text, "target=\"0000:07:00.0\"", "target=\"0000:7:00.0\""),
                "t.xml:latency=1us")
            .find("t.xml:6: an NVLink leads to '0000:7:00.0' of class '0x030200'") == 0);
  CHECK(refusal(replaced(text, "<pci busid=\"0000:04:00.0\"", "<pcie busid=\"0000:04:00.0\""),
                "t.xml")
            .find("the XML is broken") != std::string::npos);
}

TEST_CASE("NCCL: links between PCI switches are passed over") {
  const std::string text = network_text("nccl_h200.xml");
  const std::string linked =
      replaced(text, "<pci busid=\"0000:18:00.0\"",
               "<pcilink target=\"0000:27:00.0\"/><pci busid=\"0000:18:00.0\"");
  const std::string spec = "t.xml:latency=1us";
  CHECK(listed(read_network(linked, spec)) == listed(read_network(text, spec)));
}

TEST_CASE("rocm-smi: its topology is named and refused") {
  const std::string text =
      "============================ ROCm System Management Interface ============================\n"
      "=============================== Link Type between two GPUs ===============================\n"
      "       GPU0         GPU1         \n"
      "GPU0   0            XGMI         \n"
      "GPU1   XGMI         0            \n";
  CHECK(refusal(text, "r.txt:nvlink=50GB/s") ==
        "r.txt:1: this is of rocm-smi, which is not read: write the network as GraphML");
  CHECK(refusal(text.substr(text.find("       GPU0")), "r.txt:nvlink=50GB/s").find("rocm-smi") !=
        std::string::npos);
}

TEST_CASE("nvidia-smi: NVSwitches where links would be too many, meshes else, PCIe where needed") {
  const Topology h100 = network("smi_h100.txt", ":nvlink=25GB/s,latency=1us");
  CHECK(h100.hosts() == 8);
  expect(path(h100, 0, 7), 450, 2, 2);
  const Topology v100 = network("smi_v100.txt", ":nvlink=25GB/s,latency=1us");
  expect(path(v100, 0, 4), 50, 1, 1);
  CHECK(path(v100, 0, 5).links == 2);
  const Topology pcie = network("smi_pcie.txt", ":pcie=25GB/s,latency=1us");
  expect(path(pcie, 0, 1), 25, 2, 4);  // both devices, and their switch
  expect(path(pcie, 0, 2), 25, 4, 6);
  expect(path(pcie, 0, 7), 25, 6, 8);
  CHECK(refusal(network_text("smi_v100.txt"), "m.txt:latency=1us") ==
        "m.txt:2: the matrix does not say how fast an NVLink is: name it after the file, as in "
        "m.txt:nvlink=25GB/s (V100, A100, H100; B200: 50GB/s)");
  CHECK(refusal(network_text("smi_pcie.txt"), "m.txt:latency=1us").find("m.txt:pcie=25GB/s") !=
        std::string::npos);
  CHECK(refusal(replaced(network_text("smi_v100.txt"), "NV2     SYS", "NV1     SYS"), "m.txt")
            .find("m.txt:6: what joins GPU4 and GPU0 is another in line 2") == 0);
}

TEST_CASE("SimGrid: a cluster's hosts share the backbone") {
  const Topology t = network("simgrid_cluster.xml");
  CHECK(t.hosts() == 16);
  CHECK(t.node(3).name == "node-3.acme.org");
  expect(path(t, 0, 9), 0.125, 600, 3);
  const Topology wide = read_network(
      replaced(network_text("simgrid_cluster.xml"), " bb_bw=\"2.25GBps\" bb_lat=\"500us\"", ""),
      "n.xml");
  expect(path(wide, 0, 9), 0.125, 100, 2);
}

TEST_CASE("SimGrid: routes between zones pass both clusters and the link between them") {
  const Topology t = network("simgrid_cabinets.xml");
  CHECK(t.hosts() == 60);
  CHECK(t.groups() == 2);
  CHECK(t.node(29).name == "griffon-58.nancy");
  CHECK(path(t, 0, 1).latency == Approx(48));
  const Way far = path(t, 0, host(t, "griffon-30.nancy"));
  CHECK(far.latency == Approx(24 + 24 + 24));
  CHECK(far.rate == Approx(0.125));
}

TEST_CASE("SimGrid: a link of several routes is one, in tables and in shortest ways") {
  const Topology bone = network("simgrid_dogbone.xml");
  CHECK(path(bone, host(bone, "S1"), host(bone, "C2")).latency == Approx(30'000));
  CHECK(path(bone, host(bone, "S1"), host(bone, "S2")).latency == Approx(20'000));
  const Topology ring = network("simgrid_ring.xml");
  expect(path(ring, 0, 1), 1.25, 1, 1);
  expect(path(ring, 0, 2), 1.25, 2, 2);
}

TEST_CASE("SimGrid: what is not understood is refused by name and line") {
  const std::string bone = network_text("simgrid_dogbone.xml"),
                    cluster = network_text("simgrid_cluster.xml");
  CHECK(refusal(replaced(bone,
                         "<route src=\"S1\" dst=\"S2\"><link_ctn id=\"1\"/><link_ctn "
                         "id=\"4\"/></route>",
                         ""),
                "n.xml") ==
        "n.xml:3: zone 'AS0' has no route from 'S1' to 'S2': add it, or write routing=\"Floyd\"");
  CHECK(refusal(replaced(bone, "routing=\"Full\"", "routing=\"Vivaldi\""), "n.xml") ==
        "n.xml:3: the routing 'Vivaldi' is not read: write Full, Floyd or Dijkstra");
  CHECK(refusal(
            replaced(bone, "<host id=\"S1\" speed=\"1Gf\"/>", "<host id=\"S1\"/><peer id=\"p\"/>"),
            "n.xml")
            .find("n.xml:4: <peer> in <zone> is not read: remove it") == 0);
  CHECK(refusal(replaced(cluster, "speed=", "topology=\"TORUS\" topo_parameters=\"4,4\" speed="),
                "n.xml")
            .find("n.xml:4: a cluster of topology 'TORUS' is not read: use torus") == 0);
  CHECK(refusal(replaced(cluster, "125MBps", "125MB"), "n.xml") ==
        "n.xml:4: bw of <cluster> has the unit 'MB': write Bps or bps, with k, M, G, T, Ki, Mi, Gi "
        "or Ti before it");
  // A detour that is not the shortest way.
  CHECK(refusal(
            replaced(bone, "<route src=\"S1\" dst=\"S2\"><link_ctn id=\"1\"/><link_ctn id=\"4\"/>",
                     "<route src=\"S1\" dst=\"S2\"><link_ctn id=\"1\"/><link_ctn id=\"2\"/>"
                     "<link_ctn id=\"5\"/><link_ctn id=\"4\"/>"),
            "n.xml")
            .find("is not the shortest") != std::string::npos);
}

TEST_CASE("formats are recognized by content, and settings of other formats are refused") {
  const std::string text = network_text("nccl_h200.xml");
  CHECK(read_network(text, "file:a/topo:latency=1us").hosts() == 3);
  CHECK(read_network(
            "strict graph { node [kind=host]; edge [bandwidth=\"1Gbps\", latency=0]; a -- b }",
            "file:a/topo")
            .hosts() == 2);
  CHECK(refusal("text\n", "n.txt").find("n.txt:1: is of no known format") == 0);
  CHECK(refusal("", "n.txt").find("n.txt:1: is of no known format") == 0);
  CHECK(refusal(network_text("astra_h100.yml"), "n.yml:nvlink=25GB/s") ==
        "n.yml: nvlink means nothing in a file of this format, but in NCCL's and nvidia-smi's: "
        "leave it out");
  CHECK(refusal(network_text("smi_h100.txt"), "n.txt:systems=2,nvlink=1GB/s,latency=0") ==
        "n.txt: systems means nothing in a file of this format, but in NCCL's: leave it out");
}

TEST_CASE("settings of machines that no link of the file needs are refused") {
  const std::string joined = network_text("smi_v100.txt");  // by NVLinks alone
  CHECK(read_network(joined, "m.txt:nvlink=25GB/s,latency=1us").hosts() == 8);
  CHECK(refusal(joined, "m.txt:nvlink=25GB/s,latency=1us,pcie=1GB/s") ==
        "m.txt: pcie has no effect, because the file has no such links that carry messages: leave "
        "it out");
  const std::string pcie = network_text("smi_pcie.txt");
  CHECK(refusal(pcie, "m.txt:pcie=25GB/s,latency=1us,nvlink=25GB/s").find("m.txt: nvlink has no") ==
        0);
  CHECK(refusal(network_text("nccl_h200.xml"), "m.xml:latency=1us,bandwidth=1GB/s")
            .find("m.xml: bandwidth has no effect") == 0);
}

TEST_CASE("NCCL: NVLinks to the CPU lead to the GPU's own, and to no NVSwitch") {
  const Topology t = network("nccl_power9.xml", ":latency=1us");
  for (NodeId n = 0; n < t.nodes(); ++n)
    CHECK(t.node(n).name.find("nvswitch") == std::string::npos);
  expect(path(t, 0, 1), 60, 1, 1);  // three NVLinks
  expect(path(t, 0, 2), 32, 3, 3);  // to the CPU, to the other one, and down
  CHECK(
      refusal(replaced(network_text("nccl_power9.xml"), "0x068001", "0x060400"), "n.xml:latency=0")
          .find("neither a GPU of the file, an NVSwitch (0x068000), nor a CPU (0x068001)") !=
      std::string::npos);
}

TEST_CASE("SimGrid: a FATPIPE is read where another link limits each message, and else refused") {
  const std::string cluster = network_text("simgrid_cluster.xml"),
                    host = "bw=\"125MBps\" lat=\"50us\"", backbone = "bb_lat=\"500us\"";
  const std::string fat_backbone =
      replaced(cluster, backbone, backbone + " bb_sharing_policy=\"FATPIPE\"");
  expect(path(read_network(fat_backbone, "n.xml"), 0, 9), 0.125, 600, 3);
  const std::string fat_hosts = replaced(cluster, host, host + " sharing_policy=\"FATPIPE\"");
  CHECK(refusal(replaced(fat_hosts, " bb_bw=\"2.25GBps\" bb_lat=\"500us\"", ""), "n.xml") ==
        "n.xml:4: only FATPIPEs join 'node-0.acme.org' and 'node-1.acme.org', which limits each "
        "message by itself and is not simulated: write SHARED or SPLITDUPLEX");
  CHECK(refusal(replaced(fat_backbone, host, host + " sharing_policy=\"FATPIPE\""), "n.xml")
            .find("only FATPIPEs join") != std::string::npos);
  const auto three = [](const std::string& of_route) {
    return "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n"
           "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>\n"
           "<link id=\"f\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"FATPIPE\"/>\n"
           "<link id=\"s\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"
           "<route src=\"a\" dst=\"b\">" +
           of_route + "</route>\n</zone></platform>\n";
  };
  const std::string fat = "<link_ctn id=\"f\"/>", shared = "<link_ctn id=\"s\"/>";
  CHECK(path(read_network(three(fat + shared), "n.xml"), 0, 1).rate == Approx(1));
  CHECK(refusal(three(fat), "n.xml").find("n.xml:3: only FATPIPEs join 'a' and 'b'") == 0);
}
