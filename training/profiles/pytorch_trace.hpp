// Profiles from traces of PyTorch's profiler (torch.profiler, export_chrome_trace).
//
// Gradients are complete in the order of the trace's AccumulateGrad events, whose inputs have the
// shapes of the parameters. The work before each is its backward time. A parameter belongs to the
// last operator of the forward pass that takes a tensor of its shape; an operator's forward time
// lasts to the next one with parameters. On GPUs, work is the time of kernels, by the operator that
// launched them; without, that of the operators. Communication is not work, so that a trace of one
// process of several gives the profile of one alone. The last complete step counts.
#pragma once

#include <string>
#include <string_view>

#include "training/profiles/model_profile.hpp"

namespace arlab::training {

/// Returns whether the text is a trace of events, not a profile.
bool is_pytorch_trace(std::string_view json);

/// Throws Error(usage) that names `file`, what the trace lacks, and how to record it: a backward
/// pass, shapes, the batch, the operator of a parameter.
ModelProfile import_pytorch_trace(std::string_view json, const std::string& file);

}  // namespace arlab::training
