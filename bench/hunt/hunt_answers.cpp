#include "bench/hunt/hunt_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/hunt/hunt_names.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

hunt::Place place_named(std::string_view text) {
  for (const hunt::Place place : {hunt::Place::rank, hunt::Place::port, hunt::Place::link})
    if (text == name(place)) return place;
  return hunt::Place::group;
}

bool all_have_hosts(const std::vector<Rank>& ranks, const std::vector<std::string>& hosts) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](Rank r) { return r >= 0 && index(r) < hosts.size(); });
}

std::string finding_sentence(const Json& finding, const std::vector<std::string>& hosts) {
  const std::string what = finding.at("what").get<std::string>();
  const hunt::Finding found{.place = place_named(what),
                            .ranks = finding.at("ranks").get<std::vector<Rank>>(),
                            .others = finding.at("others").get<std::vector<Rank>>(),
                            .sends = finding.at("sends").get<bool>(),
                            .receives = finding.at("receives").get<bool>()};
  // A file may have been edited, so the ranks need not have hosts.
  const bool named = all_have_hosts(found.ranks, hosts) && all_have_hosts(found.others, hosts);
  return fmt::format("{}: a slow {}, {:.2f} times as long as usual by {}.",
                     place_text(found, named ? hosts : std::vector<std::string>()), what,
                     finding.at("times").get<double>(), finding.at("by").get<std::string>());
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
  for (const Json& finding : record.at("findings")) all.push_back(finding_sentence(finding, hosts));
  if (all.empty()) all.push_back(fmt::format("Nothing is slow among {}.", ranks));
  return all;
}

}  // namespace arlab::bench
