#include "training/profiles/model_profile.hpp"

#include <algorithm>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "training/io/files.hpp"
#include "training/io/gzip.hpp"
#include "training/profiles/chakra_trace.hpp"
#include "training/profiles/pytorch_trace.hpp"

namespace arlab::training {

Count ModelProfile::parameters() const {
  Count all = 0;
  for (const Part& part : layers)
    for (const Tensor& tensor : part.tensors) all += tensor.elements;
  return all;
}

Time ModelProfile::step() const {
  Time all{};
  for (const Layer& layer : tensors()) all += layer.forward + layer.backward;
  return all;
}

Profile ModelProfile::tensors() const {
  Profile all;
  for (const Part& part : layers) {
    const std::size_t first = all.size();
    for (const Tensor& tensor : part.tensors)
      all.push_back({part.name + "." + tensor.name,
                     to_time(optimizer * static_cast<double>(tensor.elements)),
                     Time{},
                     (tensor.elements * gradient_bytes + kGradientBytes - 1) / kGradientBytes,
                     {}});
    if (part.tensors.empty()) all.push_back({part.name, Time{}, Time{}, 0, {}});
    all[first].forward += part.forward;
    all.back().backward += part.backward;
  }
  return all;
}

namespace {

// Built-in profiles have no '.' or '/' in their names.
bool is_file(const std::string& name) {
  std::error_code ignored;
  return name.find_first_of("./") != std::string::npos ||
         std::filesystem::is_regular_file(name, ignored);
}

// Formats that look like profiles but are none. Returns what it is and what to give instead, or
// nothing.
std::string other_format(std::string_view text) {
  const std::string_view head = text.substr(0, 1 << 16);
  const auto has = [&](std::string_view word) { return head.find(word) != head.npos; };
  if (has("\"ctrl_deps\"") || (has("\"schema\"") && has("\"nodes\"")))
    return "it is a graph of operators (ExecutionTraceObserver), which has no times: give the "
           "trace "
           "of torch.profiler (export_chrome_trace), or a Chakra trace (.et) made from both";
  for (const char* word : {"HYBRID_", "MICRO", "DATA", "MODEL", "TRANSFORMER", "DLRM"})
    if (head.starts_with(word))
      return "it is a workload of ASTRA-sim or SimAI as text: give a Chakra trace (.et) of it";
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos) return "it is empty";
  return head[first] == '{' || head[first] == '[' ? "" : "it is not JSON";
}

ModelProfile read_profile(const std::string& file) {
  std::string text = read_whole(file, "name a profile, such as resnet50, or a readable file");
  if (is_gzip(text)) text = unpack_gzip(text, file);
  if (file.ends_with(".et") || file.ends_with(".et.gz"))
    return import_chakra_trace(read_chakra(text, file), file);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // byte order mark
  if (is_chakra_json(text)) return import_chakra_trace(read_chakra_json(text, file), file);
  if (is_pytorch_trace(text)) return import_pytorch_trace(text, file);
  if (const std::string other = other_format(text); !other.empty())
    fail(Blame::usage, "profile " + file + ": " + other +
                           ". Profiles are JSON, traces of PyTorch's profiler (.json, .json.gz), "
                           "and Chakra's (.et, .json)");
  return parse_profile(text, file);
}

}  // namespace

ModelProfile load_profile(const std::string& name) {
  if (is_file(name)) return read_profile(name);
  std::vector<std::string_view> names;
  for (const BuiltInProfile& one : built_in_profiles()) {
    if (one.name == name) return parse_profile(one.json, name);
    names.push_back(one.name);
  }
  fail_unknown("profile", name, names, " or a file");
}

}  // namespace arlab::training
