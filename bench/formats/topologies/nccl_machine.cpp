// What NCCL found in a machine: the XML of NCCL_TOPO_DUMP_FILE. CPUs hold PCI switches, which hold
// GPUs with their NVLinks, and NICs.
//
// A GPU is a host behind its PCI device, so that a way over PCIe is longer than one over NVLink,
// which NCCL prefers. All NVSwitches are one, as in NCCL, and NVLinks to CPUs (POWER9) lead to the
// GPU's own. GPUs that have NVLinks to one another forward messages. NICs lead nowhere in one
// machine and are left out; with systems=N, the machine stands N times on one switch.
//
// Rates are those that NCCL 2.27 computes with (src/graph/topo.h and topo.cc): per NVLink by
// compute capability, per PCI lane by generation, between CPUs by vendor and model.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "algorithms/base/error.hpp"
#include "bench/formats/topologies/graph_writer.hpp"
#include "bench/formats/topologies/network_file.hpp"
#include "bench/formats/topologies/xml_text.hpp"

namespace arlab::bench {
namespace {

using Xml = pugi::xml_node;
constexpr double kGigabyte = 1e9;

double nvlink_rate(long sm) {  // bytes per second of one link, each way
  const double rate = sm >= 100 ? 40.1 : sm >= 90 ? 20.6 : sm == 86 ? 12.0 : sm >= 70 ? 20.0 : 18.0;
  return rate * kGigabyte;
}

bool is_called(const Xml& node, std::string_view name) { return node.name() == name; }

// One machine, element by element, into a graph.
class MachineReader {
 public:
  MachineReader(const XmlText& xml, simulator::FileSettings& settings, GraphWriter& writer)
      : xml_(xml), settings_(settings), writer_(writer) {}

  /// Adds the machine. `prefix` goes before the names of its nodes, and `network` is the switch
  /// that its NICs lead to, if any.
  void add(const std::string& prefix, std::optional<GraphWriter::Node> network) {
    prefix_ = prefix;
    network_ = network;
    count_gpus();
    for (const Xml& cpu : xml_.root().children()) {
      if (cpu.type() != pugi::node_element) continue;
      if (!is_called(cpu, "cpu")) xml_.unknown(cpu);
      cpus_.push_back(
          {writer_.add_switch(fmt::format("{}cpu{}", prefix_, cpus_.size()), group_of(cpu)), cpu});
      add_children(cpu, cpus_.back().node);
    }
    add_gpus();
    add_nvlinks();
    join_cpus();
    if (network_ && nics_ == 0)
      xml_.wrong(xml_.root(), "systems is given, but the machine has no <net>: leave it out");
  }

 private:
  struct Cpu {
    GraphWriter::Node node = 0;
    Xml xml;
  };
  struct Gpu {
    Xml xml;
    GraphWriter::Node device = 0, node = 0;
    Cpu* cpu = nullptr;
    long rank = 0;
    double rate = 0;  // of its PCI device
  };

  std::string host_of(const Xml& cpu) const { return cpu.attribute("host_hash").value(); }
  // Of what belongs to a machine, if there are several.
  std::string group_of(const Xml& cpu) const {
    return hashes_.size() > 1 || network_ ? prefix_ + host_of(cpu) : "";
  }

  void count_gpus() {
    for (const Xml& cpu : xml_.root().children()) hashes_.insert(host_of(cpu));
  }

  // A PCI device of this rate and name may be a GPU.
  struct Device {
    double rate = 0;
    std::string bus;
  };

  void add_children(const Xml& parent, GraphWriter::Node above, const Device* device = nullptr) {
    for (const Xml& child : parent.children()) {
      if (child.type() != pugi::node_element) continue;
      if (is_called(child, "pci"))
        add_pci(child, above);
      else if (is_called(child, "nic"))
        add_nic(child, above);
      else if (device && is_called(child, "gpu"))
        add_gpu(child, above, device->rate, device->bus);
      else if (!is_called(child, "pcilink"))  // PCI switches that are linked: NCCL's hint for GDR
        xml_.unknown(child);
    }
  }

  void add_pci(const Xml& pci, GraphWriter::Node above) {
    const std::string bus(xml_.text(pci, "busid"));
    if (!buses_.insert(bus).second)
      xml_.wrong(pci,
                 fmt::format("two <pci> have the busid {}: give each its own", in_quotes(bus)));
    const GraphWriter::Node node = writer_.add_switch(prefix_ + bus, group_of(cpus_.back().xml));
    const Device device{pci_rate(pci), bus};
    writer_.add_cable(above, node, device.rate, std::nullopt, xml_.line_of(pci));
    add_children(pci, node, &device);
  }

  // Width times the rate of a lane, which NCCL takes as 0.75 of what the generation has, in steps.
  // An empty speed, as on virtual machines, is generation 3; an empty width, 16 lanes.
  double pci_rate(const Xml& pci) const {
    if (const auto rate = settings_.pcie()) return *rate;
    static const std::map<std::string, double, std::less<>> kLane{
        {"", 60},    {"2.5", 15},   {"5", 30},   {"5.0", 30},   {"8", 60},     {"8.0", 60},
        {"16", 120}, {"16.0", 120}, {"32", 240}, {"32.0", 240}, {"64.0", 480}, {"64", 480}};
    std::string_view speed = pci.attribute("link_speed").value();
    const std::string_view all = speed;
    if (speed.ends_with(" PCIe")) speed.remove_suffix(5);
    if (speed.ends_with(" GT/s")) speed.remove_suffix(5);
    const auto lane = kLane.find(speed);
    if (lane == kLane.end())
      xml_.wrong(pci, fmt::format("link_speed is {}: write for example \"16.0 GT/s PCIe\"",
                                  in_quotes(all)));
    const Xml& node = pci;
    long width =
        node.attribute("link_width").value()[0] == '\0' ? 0 : xml_.whole(pci, "link_width", 0, 64);
    if (width == 0) width = 16;
    return static_cast<double>(width) * lane->second / 80.0 * kGigabyte;
  }

  void add_gpu(const Xml& gpu, GraphWriter::Node device, double rate, const std::string& bus) {
    const long rank = gpu.attribute("rank") ? xml_.whole(gpu, "rank", -1, 1 << 24) : -1;
    if (!gpu_at_.emplace(bus, gpus_.size()).second)
      xml_.wrong(gpu, "a second <gpu> of this device: give one");
    gpus_.push_back({gpu, device, 0, &cpus_.back(), rank, rate});
  }

  void add_nic(const Xml& nic, GraphWriter::Node above) {
    for (const Xml& net : nic.children()) {
      if (net.type() != pugi::node_element) continue;
      if (!is_called(net, "net")) xml_.unknown(net);
      ++nics_;
      const double megabits = xml_.number(net, "speed", 1, 1e8);  // of 10^6 bits a second
      const std::string name(xml_.text(net, "name"));
      if (!network_) continue;
      const GraphWriter::Node node = writer_.add_switch(prefix_ + name, group_of(cpus_.back().xml));
      const double rate = megabits / 8 * 1e6;
      writer_.add_cable(above, node, rate, 0, xml_.line_of(net));
      writer_.add_cable(node, *network_, rate, std::nullopt, xml_.line_of(net));
    }
  }

  // In the order of NCCL's ranks, if each has one of its own; else in that of the file.
  void add_gpus() {
    if (gpus_.empty()) xml_.wrong(xml_.root(), "the machine has no <gpu>: add one");
    std::set<long> ranks;
    for (const Gpu& gpu : gpus_) ranks.insert(gpu.rank);
    std::vector<std::size_t> order(gpus_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (ranks.size() == gpus_.size())
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return gpus_[a].rank < gpus_[b].rank; });
    std::map<std::string, int> numbers;
    for (const std::size_t i : order) {
      Gpu& gpu = gpus_[i];
      gpu.node = writer_.add_host(name_of(gpu, numbers[host_of(gpu.cpu->xml)]++),
                                  group_of(gpu.cpu->xml), has_neighbors(gpu));
      writer_.add_cable(gpu.node, gpu.device, gpu.rate, 0, xml_.line_of(gpu.xml));
    }
  }

  std::string name_of(const Gpu& gpu, int number) const {
    const std::string hash = hashes_.size() > 1 ? host_of(gpu.cpu->xml) + "-" : "";
    return fmt::format("{}{}gpu{}", prefix_, hash, number);
  }

  bool has_neighbors(const Gpu& gpu) const {
    for (const Xml& link : gpu.xml.children("nvlink"))
      if (gpu_at_.contains(std::string(link.attribute("target").value()))) return true;
    return false;
  }

  void add_nvlinks() {
    std::map<std::pair<std::size_t, std::size_t>, long> between;
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      std::set<std::string> targets;
      long switched = 0;
      for (const Xml& link : gpus_[g].xml.children()) {
        if (link.type() != pugi::node_element) continue;
        if (is_called(link, "c2c"))
          add_c2c(link, gpus_[g]);
        else if (!is_called(link, "nvlink"))
          xml_.unknown(link);
        else
          add_nvlink(link, g, targets, switched, between);
      }
      if (switched > 0) {
        if (!nvswitch_) nvswitch_ = writer_.add_switch(prefix_ + "nvswitch");
        writer_.add_cable(gpus_[g].node, *nvswitch_, rate_of(g) * static_cast<double>(switched),
                          std::nullopt, xml_.line_of(gpus_[g].xml));
      }
    }
    for (const auto& [ends, count] : between) add_pair(ends, count, between);
  }

  void add_nvlink(const Xml& link, std::size_t g, std::set<std::string>& targets, long& switched,
                  std::map<std::pair<std::size_t, std::size_t>, long>& between) {
    const std::string target(xml_.text(link, "target"));
    const long count = xml_.whole(link, "count", 1, 72);
    if (!targets.insert(target).second)
      xml_.wrong(link,
                 fmt::format("NVLinks to {} are listed twice: remove one", in_quotes(target)));
    const std::string_view kind = link.attribute("tclass").value();
    if (const auto other = gpu_at_.find(target); other != gpu_at_.end()) {
      if (other->second == g) xml_.wrong(link, "an NVLink leads to its own GPU: remove it");
      between[{g, other->second}] += count;
    } else if (kind.starts_with("0x068000")) {
      switched += count;
    } else if (kind.starts_with("0x068001")) {  // NVLink to the CPU, as of POWER9
      writer_.add_cable(gpus_[g].node, gpus_[g].cpu->node, rate_of(g) * static_cast<double>(count),
                        std::nullopt, xml_.line_of(link));
    } else {
      xml_.wrong(link, fmt::format("an NVLink leads to {} of class {}, which is neither a GPU of "
                                   "the file, an NVSwitch (0x068000), nor a CPU (0x068001): mend "
                                   "the target",
                                   in_quotes(target), in_quotes(kind)));
    }
  }

  void add_pair(std::pair<std::size_t, std::size_t> ends, long count,
                const std::map<std::pair<std::size_t, std::size_t>, long>& between) {
    const auto back = between.find({ends.second, ends.first});
    if (back == between.end() || back->second != count)
      xml_.wrong(gpus_[ends.first].xml,
                 fmt::format("{} NVLinks lead to the GPU of line {}, but {} back: make them the "
                             "same",
                             count, xml_.line_of(gpus_[ends.second].xml),
                             back == between.end() ? 0 : back->second));
    writer_.add_link(gpus_[ends.first].node, gpus_[ends.second].node,
                     rate_of(ends.first) * static_cast<double>(count), std::nullopt,
                     xml_.line_of(gpus_[ends.first].xml));
  }

  double rate_of(std::size_t g) const {
    if (const auto rate = settings_.nvlink()) return *rate;
    return nvlink_rate(xml_.whole(gpus_[g].xml, "sm", 60, 200));
  }

  // NVLink to the CPU: megabytes per second of each link.
  void add_c2c(const Xml& link, const Gpu& gpu) {
    const double rate = xml_.number(link, "bw", 1, 1e7) * 1e6 *
                        static_cast<double>(xml_.whole(link, "count", 1, 64));
    writer_.add_cable(gpu.device, gpu.cpu->node, rate, std::nullopt, xml_.line_of(link));
  }

  double between_cpus(const Xml& cpu) const {
    const std::string_view arch = cpu.attribute("arch").value(),
                           vendor = cpu.attribute("vendor").value();
    if (arch == "arm64") return 6 * kGigabyte;
    if (arch == "ppc64") return 32 * kGigabyte;
    if (vendor == "AuthenticAMD") return 16 * kGigabyte;
    if (vendor != "GenuineIntel")
      xml_.wrong(cpu, fmt::format("the vendor {} of a CPU is not known: write GenuineIntel or "
                                  "AuthenticAMD, as the nearer one",
                                  in_quotes(vendor)));
    const bool known = cpu.attribute("familyid") && xml_.whole(cpu, "familyid", 0, 1000) == 6;
    const long model = known ? xml_.whole(cpu, "modelid", 0, 1000) : 0;
    return (model >= 0xCF ? 40 : model >= 0x8F ? 22 : model >= 0x55 ? 10 : 6) * kGigabyte;
  }

  void join_cpus() {
    for (std::size_t a = 0; a < cpus_.size(); ++a)
      for (std::size_t b = a + 1; b < cpus_.size(); ++b)
        if (host_of(cpus_[a].xml) == host_of(cpus_[b].xml))
          writer_.add_cable(cpus_[a].node, cpus_[b].node, between_cpus(cpus_[a].xml), std::nullopt,
                            xml_.line_of(cpus_[a].xml));
  }

  const XmlText& xml_;
  simulator::FileSettings& settings_;
  GraphWriter& writer_;
  std::string prefix_;
  std::optional<GraphWriter::Node> network_, nvswitch_;
  std::set<std::string> hashes_, buses_;
  std::deque<Cpu> cpus_;
  std::vector<Gpu> gpus_;
  std::map<std::string, std::size_t> gpu_at_;  // by bus
  int nics_ = 0;
};

}  // namespace

simulator::ParsedGraph parse_nccl_machine(const NetworkText& text,
                                          simulator::FileSettings& settings) {
  const XmlText xml(text);
  if (!is_called(xml.root(), "system"))
    xml.wrong(xml.root(),
              fmt::format("the first element is <{}>: write <system>", xml.root().name()));
  constexpr int kMostSystems = 4096;
  if (settings.systems > kMostSystems)
    text.wrong(
        1, fmt::format("systems={} is too many: give at most {}", settings.systems, kMostSystems));
  GraphWriter writer;
  if (settings.systems <= 1) {
    MachineReader(xml, settings, writer).add("", std::nullopt);
    return writer.graph();
  }
  const GraphWriter::Node network = writer.add_switch("network");
  for (int s = 0; s < settings.systems; ++s)
    MachineReader(xml, settings, writer).add(fmt::format("s{}-", s), network);
  return writer.graph();
}

}  // namespace arlab::bench
