// The options of gradient exchange: schedulers and compressors by their specs, such as
// "priority:slice=4M" and "topk:ratio=0.01".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "training/exchange/gradient_exchange.hpp"

namespace arlab::bench {

/// Sets the scheduler and its parameters. Throws Error(usage) that names the bad value.
void set_scheduler(training::GradientOptions& options, const std::string& spec);

/// Sets the compressor; "none": dense. Throws Error(usage) that names the bad value.
void set_compressor(training::GradientOptions& options, const std::string& spec);

/// Reads the value of --compute codec, such as "1.2,0.4": nanoseconds to encode and to decode an
/// element; "0": neither takes time. `or_else` ends the advice on a bad value. Throws Error(usage).
training::CodecCost parse_codec_cost(const std::string& text, std::string_view or_else = "");

/// Returns "priority", or "priority:slice=4194304" if parameters were given.
std::string scheduler_text(const training::GradientOptions& options);
/// Returns "none", or the compressor with all its parameters.
std::string compressor_text(const training::GradientOptions& options);
/// Returns the same with the parameters that differ from the default.
std::string compressor_label(const training::GradientOptions& options);

}  // namespace arlab::bench
