// Replaces events.cpp and chakra_nodes.cpp in builds without protobuf. EventFile's constructor throws
// there, so nothing requests an event.
#include "algorithms/base/error.hpp"
#include "training/profiles/chakra_nodes.hpp"
#include "training/telemetry/event_file.hpp"
#include "training/telemetry/events.hpp"

namespace arlab::training {
namespace {

[[noreturn]] std::string none() { fail(Blame::check, "there are no events without protobuf"); }

}  // namespace

bool has_event_files() { return false; }

std::string version_event(double) { none(); }
std::string scalar_event(std::string_view, double, Count, double) { none(); }
std::string histogram_event(std::string_view, const Histogram&, Count, double) { none(); }

bool reads_chakra() { return false; }

std::vector<ChakraNode> read_chakra(std::string_view, const std::string& file) {
  fail(Blame::environment,
       "trace " + file +
           ": this arlab was built without protobuf and cannot read Chakra's traces: "
           "apt install libprotobuf-dev protobuf-compiler, and rebuild with -DARLAB_PROTOBUF=ON");
}

}  // namespace arlab::training
