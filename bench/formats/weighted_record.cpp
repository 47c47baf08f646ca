#include "bench/formats/weighted_record.hpp"

#include <fmt/format.h>

#include "bench/formats/hunt_file.hpp"

namespace arlab::bench {

std::shared_ptr<const Algorithm> weighted_by_record(const std::string& path) {
  const Json hunt = read_hunt(path).record;
  const Json& rates = hunt.at("rates");  // null: none differ
  const auto hunted = hunt.at("ranks").get<Rank>();
  const std::string text = rates.is_string() ? rates.get<std::string>() : "1";
  auto made = std::make_shared<Algorithm>(find_algorithm("weighted:rates=" + text));
  made->unsupported_reason = [path, hunted, usual = made->unsupported_reason](const Problem& p) {
    if (p.ranks != hunted)
      return fmt::format(
          "the hunt in {} is of {} ranks, not {}: hunt with as many, or give "
          "weighted:rates",
          path, hunted, p.ranks);
    return usual(p);
  };
  return made;
}

}  // namespace arlab::bench
