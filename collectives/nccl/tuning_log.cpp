#include "collectives/nccl/tuning_log.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace arlab::collectives {
namespace {

/// The words of a line; braces, commas and such stay in them.
std::string word_after(std::string_view line, std::string_view before) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = line.substr(at + before.size());
  return std::string(rest.substr(0, rest.find_first_of(" \t\r")));
}

std::string plural(int channels) {
  return std::to_string(channels) + (channels == 1 ? " channel" : " channels");
}

// "AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..3}", or, of its newest kernels,
// "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_RSxLD_AGxST nchannels 8 ..."
std::string chosen_in_line(std::string_view line) {
  if (const std::string algorithm = word_after(line, "-> Algo "); !algorithm.empty()) {
    std::string text = algorithm + " " + word_after(line, " proto ");
    int low = 0, high = 0;
    const std::string range = word_after(line, "channel{Lo..Hi}=");
    if (std::sscanf(range.c_str(), "{%d..%d}", &low, &high) == 2)
      text += ", " + plural(high - low + 1);
    return text;
  }
  std::string kernel = word_after(line, "-> Kernel ");
  const std::string channels = word_after(line, "nchannels ");
  if (!kernel.empty() && !channels.empty()) kernel += ", " + plural(std::atoi(channels.c_str()));
  return kernel;
}

}  // namespace

std::string chosen_in_log(std::string_view log, Count bytes) {
  const std::string size = ": " + std::to_string(bytes) + " Bytes -> ";
  std::string chosen;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log = end == std::string_view::npos ? "" : log.substr(end + 1);
    if (line.find("AllReduce") != std::string_view::npos &&
        line.find(size) != std::string_view::npos)
      chosen = chosen_in_line(line);
  }
  return chosen;
}

std::string tuning_log_file(std::string_view name, std::string_view host, int process) {
  std::string path;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char next = name[at] == '%' && at + 1 < name.size() ? name[at + 1] : '\0';
    if (next == 'h')
      path += host.substr(0, host.find('.'));
    else if (next == 'p')
      path += std::to_string(process);
    else
      path += name[at];
    if (next == 'h' || next == 'p' || next == '%') ++at;
  }
  return path;
}

std::string tuning_log() {
  const char* const file = std::getenv("NCCL_DEBUG_FILE");
  if (!file) return "";
  std::array<char, 1024> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"unknown"};
  std::ifstream in(tuning_log_file(file, host.data(), getpid()));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace arlab::collectives
