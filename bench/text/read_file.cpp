#include "bench/text/read_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "algorithms/base/error.hpp"

namespace arlab::bench {

std::string read_file(const std::string& path, const std::string& remedy) {
  const auto refuse = [&](const char* reason) {
    fail(Blame::environment, fmt::format("cannot read {} ({}): {}", path, reason, remedy));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("it is a folder");
  if (std::filesystem::is_character_file(path, ignored)) refuse("it is a device");
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) refuse(std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), file.get()))
    text.append(part.data(), n);
  if (std::ferror(file.get())) refuse(std::strerror(errno));
  return text;
}

}  // namespace arlab::bench
