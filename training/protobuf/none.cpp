// Replaces events.cpp and chakra_nodes.cpp in builds without protobuf. EventFile's constructor
// throws there, so nothing requests an event.
#include "algorithms/base/error.hpp"
#include "training/io/protobuf.hpp"
#include "training/profiles/chakra_nodes.hpp"
#include "training/telemetry/events.hpp"

namespace arlab::training {
namespace {

[[noreturn]] std::string none() { fail(Blame::check, "there are no events without protobuf"); }

}  // namespace

bool has_protobuf() { return false; }

std::string version_event(double) { none(); }
std::string scalar_event(std::string_view, double, Count, double) { none(); }
std::string histogram_event(std::string_view, const Histogram&, Count, double) { none(); }
std::string graph_event(const ModelGraph&, double) { none(); }

std::vector<ChakraNode> read_chakra(std::string_view, const std::string& file) {
  require_protobuf("trace " + file + ": ");
  return {};
}

}  // namespace arlab::training
