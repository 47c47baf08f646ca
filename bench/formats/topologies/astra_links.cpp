// ASTRA-sim's networks for ns-3, which are those of the HPCC simulator, and SimAI's:
//
//   nodes switches links          SimAI: nodes gpus_per_server nvswitches switches links gpu_type
//   the numbers of the switches
//   source target rate delay error_rate      per link, both ways
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/formats/topologies/graph_writer.hpp"
#include "bench/formats/topologies/network_file.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

constexpr long kMostNodes = 1 << 20;

struct Head {
  long nodes = 0, switches = 0, links = 0, gpus_per_server = 0;
};

class LinkReader {
 public:
  explicit LinkReader(const NetworkText& text) : text_(text), lines_(text.lines()) {}

  simulator::ParsedGraph read() {
    const Head head = read_head();
    const std::vector<bool> is_switch = read_switches(head);
    long host = 0;
    for (long n = 0; n < head.nodes; ++n) {
      const std::string name = std::to_string(n);
      if (is_switch[static_cast<std::size_t>(n)])
        writer_.add_switch(name);
      else
        writer_.add_host(
            name, head.gpus_per_server > 0 ? std::to_string(host / head.gpus_per_server) : "");
      host += is_switch[static_cast<std::size_t>(n)] ? 0 : 1;
    }
    for (long l = 0; l < head.links; ++l) read_link(head);
    expect_end(head);
    return writer_.graph();
  }

 private:
  // The words of the next line that has some.
  std::vector<std::string_view> next(std::string_view missing) {
    while (at_ < lines_.size()) {
      const auto words = words_of(lines_[at_++]);
      if (!words.empty()) return words;
    }
    text_.wrong(std::max<std::size_t>(at_, 1),
                fmt::format("the file ends before {}: add the rest of it", missing));
  }

  Head read_head() {
    const auto words = next("its first line");
    const auto whole = [&](std::size_t word, std::string_view what, long least, long most) {
      return text_.whole(words[word], at_, what, least, most);
    };
    Head head;
    head.nodes = whole(0, "the number of nodes", 1, kMostNodes);
    if (words.size() == 3) {
      head.switches = whole(1, "the number of switches", 0, head.nodes - 1);
      head.links = whole(2, "the number of links", 0, simulator::kMostEdges / 2);
    } else if (words.size() == 6) {
      head.gpus_per_server = whole(1, "the number of GPUs per server", 1, head.nodes);
      head.switches = whole(2, "the number of NVSwitches", 0, head.nodes - 1);
      head.switches += whole(3, "the number of switches", 0, head.nodes - 1 - head.switches);
      head.links = whole(4, "the number of links", 0, simulator::kMostEdges / 2);
    } else {
      text_.wrong(at_, fmt::format("the first line has {} words: write nodes, switches and links "
                                   "(SimAI: nodes, GPUs per server, NVSwitches, switches, links "
                                   "and the GPU)",
                                   words.size()));
    }
    return head;
  }

  std::vector<bool> read_switches(const Head& head) {
    std::vector<bool> is_switch(static_cast<std::size_t>(head.nodes));
    if (head.switches == 0) return is_switch;
    const auto words = next("the numbers of the switches");
    if (std::ssize(words) != head.switches)
      text_.wrong(at_, fmt::format("{} switches are listed, but the first line says {}: make them "
                                   "the same",
                                   words.size(), head.switches));
    for (const std::string_view word : words) {
      const long n = text_.whole(word, at_, "a switch", 0, head.nodes - 1);
      if (is_switch[static_cast<std::size_t>(n)])
        text_.wrong(at_, fmt::format("switch {} is listed twice: remove one", n));
      is_switch[static_cast<std::size_t>(n)] = true;
    }
    return is_switch;
  }

  void read_link(const Head& head) {
    const auto words = next("all links");
    if (words.size() != 5)
      text_.wrong(at_, fmt::format("a link has {} words: write source, target, rate, delay and "
                                   "error rate, such as 0 8 100Gbps 1us 0",
                                   words.size()));
    const long from = text_.whole(words[0], at_, "the source", 0, head.nodes - 1),
               to = text_.whole(words[1], at_, "the target", 0, head.nodes - 1);
    if (from == to)
      text_.wrong(at_, fmt::format("the link joins node {} with itself: remove it", from));
    const double rate = quantity(words[2], "the rate", parse_bandwidth),
                 delay = quantity(words[3], "the delay", parse_time);
    if (delay < 0) text_.wrong(at_, "the delay is negative: write one from 0 on");
    if (quantity(words[4], "the error rate", parse_number) != 0)
      text_.wrong(at_, fmt::format("the error rate is {}, but links without errors are simulated: "
                                   "write 0",
                                   in_quotes(words[4])));
    writer_.add_cable(static_cast<std::size_t>(from), static_cast<std::size_t>(to), rate, delay,
                      at_);
  }

  double quantity(std::string_view word, std::string_view what,
                  double (*parse)(std::string_view, std::string_view)) const {
    try {
      return parse(word, what);
    } catch (const Error& error) {
      text_.wrong(at_, error.what());
    }
  }

  // A sixth link of five is not left out; HPCC's files end with an explanation in words.
  void expect_end(const Head& head) {
    for (; at_ < lines_.size(); ++at_) {
      const auto words = words_of(lines_[at_]);
      if (words.empty()) continue;
      if (words.size() == 5 && words[0].find_first_not_of("0123456789") == std::string_view::npos)
        text_.wrong(at_ + 1, fmt::format("a link follows, but the first line says {}: make them "
                                         "the same",
                                         head.links));
      return;
    }
  }

  const NetworkText& text_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;  // the number of the latest line
  GraphWriter writer_;
};

}  // namespace

simulator::ParsedGraph parse_astra_links(const NetworkText& text) {
  return LinkReader(text).read();
}

}  // namespace arlab::bench
