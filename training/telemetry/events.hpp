// Events as bytes, through protobuf (event.proto); this is all of the program that includes it.
#pragma once

#include <string>
#include <string_view>

#include "training/telemetry/histogram.hpp"

namespace arlab::training {

/// Times are seconds since 1970.
std::string version_event(double time);
std::string scalar_event(std::string_view tag, double value, Count step, double time);
std::string histogram_event(std::string_view tag, const Histogram& histogram, Count step,
                            double time);

}  // namespace arlab::training
