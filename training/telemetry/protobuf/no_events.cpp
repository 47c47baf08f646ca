// Replaces protobuf/events.cpp in builds without protobuf. EventFile's constructor throws there, so
// nothing requests an event.
#include "algorithms/base/error.hpp"
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

}  // namespace arlab::training
