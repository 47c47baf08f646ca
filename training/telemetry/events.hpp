// Encodes events as bytes through protobuf (event.proto); only its source includes protobuf.
#pragma once

#include <string>
#include <string_view>

#include "training/replica/model_graph.hpp"
#include "training/telemetry/histogram.hpp"

namespace arlab::training {

/// `time` is in seconds since 1970.
std::string version_event(double time);
std::string scalar_event(std::string_view tag, double value, Count step, double time);
std::string histogram_event(std::string_view tag, const Histogram& histogram, Count step,
                            double time);
std::string graph_event(const ModelGraph& graph, double time);

}  // namespace arlab::training
