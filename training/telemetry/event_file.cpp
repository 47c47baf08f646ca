#include "training/telemetry/event_file.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "collectives/files/output_file.hpp"
#include "training/io/crc32c.hpp"
#include "training/io/protobuf.hpp"
#include "training/telemetry/events.hpp"

namespace arlab::training {
namespace {

namespace fs = std::filesystem;

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Returns a masked checksum, which may itself be checksummed.
std::string masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  const std::uint32_t masked = (crc >> 15 | crc << 17) + 0xa282ead8u;
  std::string text(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) text[i] = static_cast<char>(masked >> 8 * i);
  return text;
}

std::string record(const std::string& event) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(event.size() >> 8 * i);
  return length + masked_crc(length) + event + masked_crc(event);
}

// Returns events.out.tfevents.<seconds>.<host>.<process>.<number>, the scheme of TensorFlow.
std::string new_name(const fs::path& folder) {
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  const std::string start = "events.out.tfevents." +
                            std::to_string(static_cast<std::int64_t>(now())) + '.' + host + '.' +
                            std::to_string(::getpid()) + '.';
  for (int i = 0;; ++i)
    if (fs::path path = folder / (start + std::to_string(i)); !fs::exists(path))
      return path.string();
}

}  // namespace

EventFile::EventFile(const std::string& folder) {
  require_protobuf("");
  path_ = new_name(folder);
  collectives::make_folder_of(path_);
  const int fd = collectives::open_to_append(path_, true);
  if (fd < 0) collectives::cannot_write(path_);
  file_.reset(::fdopen(fd, "ab"));
  write(version_event(now()));
}

void EventFile::write(const std::string& event) {
  const std::string bytes = record(event);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() ||
      std::fflush(file_.get()) != 0)
    collectives::cannot_write(path_);
}

void EventFile::scalar(std::string_view tag, double value, Count step) {
  write(scalar_event(tag, value, step, now()));
}

void EventFile::graph(const ModelGraph& graph) { write(graph_event(graph, now())); }

void EventFile::histogram(std::string_view tag, std::span<const float> values, Count step) {
  const Histogram h = make_histogram(values);
  write(histogram_event(tag, h, step, now()));
  if (h.not_finite > 0)
    scalar(std::string(tag) + "/not_finite", static_cast<double>(h.not_finite), step);
}

}  // namespace arlab::training
