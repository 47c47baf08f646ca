// Fuzzes lists of counts: "64", "2..1024", "2..1024*4", "1..64+1". A range must start at its first
// number, go up by its rule, and stop where the next number would be beyond its last.
#include <cstdint>
#include <string>
#include <vector>

#include "bench/text/units.hpp"
#include "tests/fuzz/fuzz.hpp"

void arlab::fuzz::ranges(std::string_view input) {
  const std::string text(input);
  accepted([&] {
    const std::vector<std::int64_t> list = bench::parse_counts({text}, "sizes");
    demand(!list.empty() && list.size() <= 1'000'000, "an empty or endless list");
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) return demand(list.size() == 1, "a number is not a list");
    demand(list[0] == parse_count(text.substr(0, dots), "first"), "starts elsewhere");
    const std::size_t by = text.find_first_of("*+", dots);
    const std::int64_t last = parse_count(text.substr(dots + 2, by - dots - 2), "last");
    const bool adds = by != std::string::npos && text[by] == '+';
    const auto stride = static_cast<__int128>(
        by == std::string::npos ? 2 : parse_count(text.substr(by + 1), "stride"));
    __int128 wanted = list[0];
    for (const std::int64_t x : list) {
      demand(x == wanted, "another number than the rule says");
      wanted = adds ? wanted + stride : wanted * stride;
    }
    demand(list.back() <= last && wanted > last, "ends elsewhere");
  });
}
