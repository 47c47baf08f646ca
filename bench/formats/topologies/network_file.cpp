#include "bench/formats/topologies/network_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "algorithms/base/error.hpp"
#include "bench/text/words.hpp"
#include "simulator/topologies/import/file.hpp"

namespace arlab::bench {
namespace {

enum class Format { graphml, dot, nccl, simgrid, nvidia_smi, astra_dimensions, astra_links, none };

// The name of the first element of XML: after comments, instructions, and document types.
std::string_view first_element(std::string_view text) {
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with("!--")) {
      at = std::min(text.find("-->", at), text.size() - 1);
      continue;
    }
    if (rest.starts_with("?") || rest.starts_with("!")) continue;
    return rest.substr(0, rest.find_first_of(" \t\r\n/>"));
  }
  return {};
}

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// By the first line that says something: a word with a colon, or only whole numbers.
Format of_lines(const NetworkText& text) {
  bool first = true;
  for (const std::string_view line : text.lines()) {
    const auto words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    if (words[0] == "GPU0" && (words.size() == 1 || words[1] != "X")) return Format::nvidia_smi;
    if (first && words[0].find(':') != std::string_view::npos &&
        (std::isalpha(static_cast<unsigned char>(words[0][0])) != 0))
      for (const std::string_view key : {"topology:", "npus_count:", "bandwidth:", "latency:"})
        if (words[0].starts_with(key)) return Format::astra_dimensions;
    if (first && words.size() >= 3 && std::all_of(words.begin(), words.end() - 1, is_number))
      return Format::astra_links;
    first = false;
  }
  return Format::none;
}

Format format_of(const NetworkText& text, std::string_view file) {
  if (file.ends_with(".dot") || file.ends_with(".gv")) return Format::dot;
  if (file.ends_with(".graphml")) return Format::graphml;
  const std::size_t start = text.text().find_first_not_of(" \t\n");
  if (start != std::string::npos && text.text()[start] == '<') {
    const std::string_view element = first_element(text.text());
    return element == "system"     ? Format::nccl
           : element == "platform" ? Format::simgrid
                                   : Format::graphml;
  }
  if (file.ends_with(".xml")) return Format::graphml;
  const Format other = of_lines(text);
  if (other != Format::none || start == std::string::npos) return other;
  const auto words = words_of(std::string_view(text.text()).substr(start, 20));
  const bool dot = words[0] == "graph" || words[0] == "digraph" || words[0] == "strict";
  return dot ? Format::dot : Format::none;
}

simulator::ParsedGraph parse(Format format, const NetworkText& text,
                             simulator::FileSettings& settings) {
  switch (format) {
    case Format::nccl:
      return parse_nccl_machine(text, settings);
    case Format::simgrid:
      return parse_simgrid(text);
    case Format::nvidia_smi:
      return parse_nvidia_smi(text, settings);
    case Format::astra_dimensions:
      return parse_astra_dimensions(text);
    case Format::astra_links:
      return parse_astra_links(text);
    case Format::graphml:
    case Format::dot:
    case Format::none:
      break;
  }
  text.wrong(1,
             "is of no known format: write GraphML, DOT, NCCL's or SimGrid's XML, the matrix of "
             "`nvidia-smi topo -m`, or a network of ASTRA-sim");
}

// Settings of machines' files mean nothing elsewhere.
void check_settings(const simulator::FileSettings& settings, Format format,
                    const std::string& file) {
  const bool nccl = format == Format::nccl, machine = nccl || format == Format::nvidia_smi;
  const char* const name = settings.has_nvlink() && !machine ? "nvlink"
                           : settings.has_pcie() && !machine ? "pcie"
                           : settings.systems != 0 && !nccl  ? "systems"
                                                             : nullptr;
  if (name)
    fail(Blame::usage,
         fmt::format("{}: {} means nothing in a file of this format, but in {}: "
                     "leave it out",
                     file, name, settings.systems != 0 ? "NCCL's" : "NCCL's and nvidia-smi's"));
}

}  // namespace

simulator::Topology read_network(const std::string& text, const std::string& spec) {
  const std::string file(simulator::topology_file(spec));
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  if (text.size() > kMostBytes)
    fail(Blame::usage, file + " has over 64 MiB: give a smaller topology");
  const NetworkText network(text, file);
  const Format format = format_of(network, file);
  simulator::FileSettings settings = simulator::FileSettings::of(spec);
  check_settings(settings, format, file);
  if (format == Format::graphml || format == Format::dot)
    return simulator::parse_topology(text, spec,
                                     format == Format::dot ? simulator::TopologyFormat::dot
                                                           : simulator::TopologyFormat::graphml);
  const simulator::ParsedGraph graph = parse(format, network, settings);
  return simulator::to_topology(graph, spec, std::move(settings));
}

}  // namespace arlab::bench
