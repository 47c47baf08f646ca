#include "bench/hunt/hunt_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/hunt/heat_map.hpp"
#include "bench/hunt/hunt_names.hpp"
#include "bench/hunt/price.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using hunt::Finding;
using hunt::Outcome;
using hunt::Place;
using hunt::Quantity;
using hunt::Search;

double bytes_per_second(const Hunted& hunted, double us) {
  return us > 0 ? static_cast<double>(hunted.bytes) / us * 1e6 : 0;
}

std::string usual_text(const Hunted& hunted, Quantity quantity, const Outcome& outcome) {
  if (quantity == Quantity::bandwidth)
    return show_bandwidth(bytes_per_second(hunted, outcome.usual_us));
  return show_time(outcome.usual_us);
}

std::string outcome_table(const Hunted& hunted, const Search& found) {
  std::vector<std::vector<std::string>> rows;
  for (const Quantity quantity : hunt::kQuantities) {
    const Outcome& outcome = found[quantity];
    if (!outcome.is_measured) continue;
    const bool tells = !outcome.is_noisy && found.verdict != hunt::Verdict::few;
    rows.push_back(
        {std::string(name(quantity)), usual_text(hunted, quantity, outcome),
         fmt::format("{:.1f}%", 100 * outcome.spread),
         tells ? fmt::format("{:.2f}x", hunt::least_factor(quantity)) : "cannot tell",
         !tells || outcome.least_route == 0 ? "" : fmt::format("{:.2f}x", outcome.least_route)});
  }
  return markdown({"measured", "usual", "spread", "rank is slow from", "pair from"}, rows);
}

std::string direction_text(const Finding& f) {
  if (f.quantity != Quantity::bandwidth) return "";
  return f.sends && f.receives ? "both" : f.sends ? "sends" : "receives";
}

std::string finding_table(const Hunted& hunted, const Search& found) {
  std::vector<std::vector<std::string>> rows;
  for (const Finding& f : found.findings)
    rows.push_back({place_text(f, hunted.hosts), std::string(name(f.place)),
                    std::string(name(f.quantity)), direction_text(f),
                    fmt::format("{:.2f}x", f.times), f.z > 0 ? fmt::format("{:.1f}", f.z) : ""});
  return compact({"slow", "what", "by", "direction", "time", "z"}, rows);
}

// Where ranks are GPUs, which NVLink may join, and which may hand messages on within a node.
std::string next_step_of_gpus(const Finding& f, const Hunted& hunted) {
  const std::string who = place_text(f, hunted.hosts);
  if (f.is_within_group)
    return fmt::format(
        "{} is slow within its node only: check NVLink there: `nvidia-smi nvlink -s` shows its "
        "links, `nvidia-smi topo -m` what joins the GPUs.",
        who);
  if (f.relay < 0) return "";
  const std::string relay = ranks_text({f.relay}, hunted.hosts);
  if (f.place == Place::port)
    return fmt::format(
        "{}: only messages of one node are slow, which leave through the NIC of {} where GPUs "
        "relay: either can be the reason. Check both NICs, cables and switch ports.",
        who, relay);
  return fmt::format(
      "{}: they leave through the NIC of {} where GPUs relay: check that NIC, its cable and switch "
      "port first, then the uplinks.",
      who, relay);
}

std::string next_step(const Finding& f, const Hunted& hunted) {
  const std::string who = place_text(f, hunted.hosts);
  if (hunted.nics > 1 || hunted.is_on_gpus)
    if (std::string step = next_step_of_gpus(f, hunted); !step.empty()) return step;
  if (f.quantity == Quantity::loss)
    return fmt::format(
        "{}: some short messages come 0.1 s late or more, as after lost packets: `ip -s link` and "
        "`ethtool -S` count errors and drops of its NIC; check its cable and switch port.",
        who);
  switch (f.place) {
    case Place::rank:
      return fmt::format(
          "{} is slow without any message: look there for other processes, a low clock rate, or "
          "memory errors.",
          who);
    case Place::port:
      return f.quantity == Quantity::latency
                 ? fmt::format(
                       "{}: short messages are late and long ones flow as usual: compare its "
                       "interrupt settings, power saving and route with another rank's.",
                       who)
                 : fmt::format(
                       "{}: check its NIC, cable and switch port: `ethtool` or `ibstat` shows the "
                       "rate and errors.",
                       who);
    case Place::link:
      return fmt::format(
          "{}: neither is slow with others: check the route between the two, such as one cable "
          "that few pairs use.",
          who);
    case Place::group:
      break;
  }
  return fmt::format(
      "{}: the ranks are fine, what lies between them is not: check the uplinks of their "
      "switches.",
      who);
}

std::string noise_text(const Hunted& hunted, const Search& found) {
  const double spread =
      std::max(found[Quantity::latency].spread, found[Quantity::bandwidth].spread);
  std::string text = fmt::format(
      "Too noisy to tell: the same measurement differs {} from one time "
      "to the next",
      spread_text(spread));
  if (hunted.ranks_per_processor > 1)
    return text + fmt::format(
                      ", as {:.3g} ranks share a processor: start at most as many ranks as "
                      "processors.\n",
                      hunted.ranks_per_processor);
  return text + ": end other work on these hosts.\n";
}

Json finding_json(const Finding& f) {
  return {{"what", name(f.place)}, {"by", name(f.quantity)},
          {"ranks", f.ranks},      {"others", f.others},
          {"sends", f.sends},      {"receives", f.receives},
          {"times", f.times},      {"z", f.z > 0 ? Json(f.z) : Json(nullptr)}};
}

Json scores_json(const std::vector<hunt::RankScore>& scores) {
  Json all = Json::array();
  for (const hunt::RankScore& s : scores) all.push_back(s.times);
  return all;
}

}  // namespace

std::string hunt_text(const Hunted& hunted, const Search& found) {
  std::string text = outcome_table(hunted, found) + "\n";
  if (found.verdict == hunt::Verdict::few)
    return text + fmt::format("{} cannot tell a slow rank from a slow link: start {} or more.\n",
                              show_plural(hunted.ranks, "rank"), hunt::kFewestRanks);
  if (found.verdict == hunt::Verdict::noisy) return text + noise_text(hunted, found);
  if (found.verdict == hunt::Verdict::quiet) return text + "Nothing is slow.\n";
  text += finding_table(hunted, found) + "\n";
  if (const std::string map = heat_map(found, hunted.ranks); !map.empty()) text += map + "\n";
  for (const Finding& f : found.findings)
    if (const std::string step = next_step(f, hunted) + "\n"; !text.ends_with(step)) text += step;
  return text + price_commands(hunted, found);
}

Json hunt_record(const Hunted& hunted, const Search& found) {
  Json findings = Json::array(), pairs = Json::array();
  for (const Finding& f : found.findings) findings.push_back(finding_json(f));
  const auto middle = [](const hunt::Passes& p) { return hunt::median({p.begin(), p.end()}); };
  for (const hunt::PairTimes& p : found.pairs)
    pairs.push_back({p.pair.from, p.pair.to, middle(p.latency),
                     bytes_per_second(hunted, middle(p.there)) / 1e9,
                     bytes_per_second(hunted, middle(p.back)) / 1e9});
  Json measured = Json::object();
  for (const Quantity quantity : hunt::kQuantities)
    if (const Outcome& o = found[quantity]; o.is_measured)
      measured[std::string(name(quantity))] = {{"usual_us", o.usual_us},
                                               {"spread", o.spread},
                                               {"noisy", o.is_noisy},
                                               {"sends", scores_json(o.sends)},
                                               {"receives", scores_json(o.receives)}};
  return {{"schema", kSchema},
          {"kind", "hunt"},
          {"backend", text_or_null(hunted.backend)},
          {"network", text_or_null(hunted.network)},
          {"topology", text_or_null(hunted.topology)},
          {"disturbance", text_or_null(hunted.disturbance)},
          {"ranks", hunted.ranks},
          {"hosts", hunted.hosts},
          {"bytes", hunted.bytes},
          {"rounds", found.rounds},
          {"passes", hunt::kPasses},
          {"verdict", name(found.verdict)},
          {"findings", std::move(findings)},
          {"rates", text_or_null(rates_for(hunted, found))},
          {"measured", std::move(measured)},
          {"pairs", std::move(pairs)},
          {"against", nullptr}};
}

}  // namespace arlab::bench
