#include "training/io/gzip.hpp"

#include <algorithm>
#include <limits>

#include "algorithms/base/error.hpp"
#if ARLAB_HAS_ZLIB
#include <zlib.h>
#endif

namespace arlab::training {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

#if ARLAB_HAS_ZLIB
namespace {

struct Inflater {
  Inflater() { ready = inflateInit2(&stream, 15 + 16) == Z_OK; }  // 16: with gzip's header
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
  bool ready = false;
};

}  // namespace

std::string unpack_gzip(std::string_view bytes, const std::string& file, std::size_t most) {
  constexpr std::size_t kPart = std::size_t{1} << 26;  // bytes given to zlib at once
  const auto damaged = [&] {
    fail(Blame::usage, file + " is a damaged gzip file: get it again, or unpack it with gunzip");
  };
  Inflater inflater;
  if (!inflater.ready) fail(Blame::environment, "zlib cannot start: free some memory");
  z_stream& z = inflater.stream;
  std::string text(std::min(most, std::max<std::size_t>(1 << 16, bytes.size() * 8)), '\0');
  std::size_t filled = 0;
  for (bool ended = false; !ended || !bytes.empty();) {
    if (ended) {  // files may be joined
      if (!is_gzip(bytes)) break;
      inflateReset(&z);
    }
    if (filled == text.size()) {
      if (filled >= most)
        fail(Blame::usage, file + " holds over " + std::to_string(most >> 20) +
                               " MiB unpacked: record fewer steps");
      text.resize(std::min(most, text.size() * 2));
    }
    const std::size_t given = std::min(bytes.size(), kPart),
                      room = std::min(text.size() - filled, kPart);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(given);
    z.next_out = reinterpret_cast<Bytef*>(text.data() + filled);
    z.avail_out = static_cast<uInt>(room);
    const int code = inflate(&z, Z_NO_FLUSH);
    bytes.remove_prefix(given - z.avail_in);
    filled += room - z.avail_out;
    ended = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END) damaged();
  }
  text.resize(filled);
  return text;
}
#else
std::string unpack_gzip(std::string_view, const std::string& file, std::size_t) {
  fail(Blame::environment, file +
                               " is packed by gzip, and this build has no zlib: unpack it with "
                               "gunzip, or install zlib1g-dev and build again");
}
#endif

}  // namespace arlab::training
