// Catch2 2 (Debian 12) and 3 (newer systems) under one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

#include <string>

using Catch::Approx;

namespace Catch {  // matchers of texts and vectors, where version 2 has them
using Matchers::EndsWith, Matchers::StartsWith, Matchers::UnorderedEquals;
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif
