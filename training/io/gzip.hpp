// Unpacks files of gzip, with zlib if the build has it.
#pragma once

#include <string>
#include <string_view>

namespace arlab::training {

/// Returns whether the bytes begin as gzip's do.
bool is_gzip(std::string_view bytes);

/// Returns the unpacked bytes. Throws Error(usage) that names `file` for damaged bytes and for more
/// than `most` unpacked bytes, Error(environment) in builds without zlib.
std::string unpack_gzip(std::string_view bytes, const std::string& file,
                        std::size_t most = std::size_t{4} << 30);

}  // namespace arlab::training
