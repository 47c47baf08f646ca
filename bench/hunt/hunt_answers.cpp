#include "bench/hunt/hunt_answers.hpp"

#include <fmt/format.h>

#include "bench/hunt/hunt_names.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

std::string finding_sentence(const hunt::Finding& f, const std::vector<std::string>& hosts) {
  return fmt::format("{}: a slow {}, {:.2f} times as long as usual by {}.", place_text(f, hosts),
                     name(f.place), f.times, name(f.quantity));
}

}  // namespace

std::vector<std::string> hunt_answers(const Json& record) {
  const std::string ranks = show_plural(record.at("ranks").get<Count>(), "rank");
  const std::string verdict = record.at("verdict").get<std::string>();
  if (verdict == name(hunt::Verdict::few))
    return {fmt::format("{} cannot tell a slow rank from a slow link.", ranks)};
  if (verdict == name(hunt::Verdict::noisy))
    return {fmt::format("The measurements of {} are too noisy to tell what is slow.", ranks)};
  const auto hosts = record.at("hosts").get<std::vector<std::string>>();
  std::vector<std::string> all;
  for (const hunt::Finding& f : findings_of(record)) all.push_back(finding_sentence(f, hosts));
  if (all.empty()) all.push_back(fmt::format("Nothing is slow among {}.", ranks));
  return all;
}

}  // namespace arlab::bench
