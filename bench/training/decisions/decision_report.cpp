#include "bench/training/decisions/decision_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/options/network_spec.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr double kPicosecondsPerMicrosecond = 1e6;

std::string whole_percent(double part) { return fmt::format("{:.0f}%", 100 * part); }

void append(std::string& list, const std::string& one, std::string_view between = ", ") {
  if (!list.empty()) list += between;
  list += one;
}

// Three digits, or all of a whole number.
std::string gigabits(double rate) {
  return rate < 1e12 ? fmt::format("{:.3g} Gbit/s", rate / 1e9)
                     : fmt::format("{:.0f} Gbit/s", rate / 1e9);
}

// "int8 pays below 40 Gbit/s, fp16 at any rate; topk does not pay"
std::string payoffs_by_rate(const std::vector<Payoff>& payoffs) {
  std::string pays, does_not;
  for (const Payoff& one : payoffs) {
    if (!one.pays_below) {
      append(does_not, one.compressor);
      continue;
    }
    append(pays, one.compressor + (pays.empty() ? " pays " : " ") +
                     (*one.pays_below >= kMostRate ? "at any rate"
                                                   : "below " + gigabits(*one.pays_below)));
  }
  if (does_not.empty()) return pays;
  const bool several = does_not.find(", ") != std::string::npos;
  append(pays, does_not + (several ? " do not pay at any rate" : " does not pay at any rate"),
         "; ");
  return pays;
}

// "a step is 25% shorter with int8, 12% with fp16"
std::string savings(const std::vector<Payoff>& payoffs) {
  std::string shorter;
  for (const Payoff& one : payoffs)
    if (one.saves >= kWorthwhile)
      append(shorter, fmt::format("{}{} with {}", whole_percent(one.saves),
                                  shorter.empty() ? " shorter" : "", one.compressor));
  return shorter.empty() ? "no compressor makes a step 1% shorter" : "a step is " + shorter;
}

// "On 10G: limited by bandwidth; a step is 25% shorter with int8; 5% with ..."
std::string on_network(const Decision& decision) {
  std::string parts;
  if (!decision.limit.empty()) append(parts, "limited by " + decision.limit);
  if (!decision.payoffs.empty()) append(parts, savings(decision.payoffs), "; ");
  if (!decision.scheduler.empty() && decision.scheduler_saves >= kWorthwhile)
    append(parts,
           fmt::format("the best buckets save {} (--scheduler {})",
                       whole_percent(decision.scheduler_saves), decision.scheduler),
           "; ");
  return parts.empty() ? "" : fmt::format(" On {}: {}.", decision.network, parts);
}

// Of the ports on which rates were asked.
std::string latency(const Decision& decision) {
  const Time time = latency_of(parse_port(decision.network));
  return show_time(picoseconds(time) / kPicosecondsPerMicrosecond);
}

bool is_of_one(const Decision& a, const Decision& b) {
  return a.model == b.model && a.device == b.device && a.gpus == b.gpus;
}

// Of one model on one device, on all networks.
std::string verdict(std::span<const Decision> decisions) {
  const Decision& first = decisions.front();
  std::string text =
      fmt::format("{} on {} of {}:", first.model, show_plural(first.gpus, "GPU"), first.device);
  const auto knows = [](const Decision& one) { return one.knows_rates && !one.payoffs.empty(); };
  const bool several = std::ranges::count_if(decisions, knows) > 1;
  for (const Decision& one : decisions)
    if (knows(one))
      text += fmt::format(" {}{}.", several ? "At a latency of " + latency(one) + ", " : "",
                          payoffs_by_rate(one.payoffs));
  for (const Decision& one : decisions) text += on_network(one);
  return text;
}

}  // namespace

std::vector<std::string> explain(std::span<const Decision> decisions, bool codes_by_bytes) {
  std::vector<std::string> sentences;
  for (auto first = decisions.begin(); first != decisions.end();) {
    const auto end = std::find_if_not(first, decisions.end(),
                                      [&](const Decision& one) { return is_of_one(one, *first); });
    if (std::string text = verdict({first, end}); text.back() != ':')
      sentences.push_back("Verdict: " + text);
    first = end;
  }
  const bool compress =
      std::ranges::any_of(decisions, [](const Decision& one) { return !one.payoffs.empty(); });
  if (compress)
    sentences.push_back(fmt::format(
        "A plan does not know what compression does to accuracy.{}",
        codes_by_bytes ? " Codes take at least the time of their bytes in the GPU's memory." : ""));
  return sentences;
}

Json to_json(const Decision& decision) {
  const auto us = [](double picoseconds) { return picoseconds / kPicosecondsPerMicrosecond; };
  Json payoffs = Json::array();
  for (const Payoff& one : decision.payoffs)
    payoffs.push_back(
        {{"compressor", one.compressor},
         {"step_us", us(one.step)},
         {"saves_fraction", one.saves},
         {"pays_below_gbit_per_s", one.pays_below ? Json(*one.pays_below / 1e9) : Json(nullptr)}});
  return {{"schema", kSchema},
          {"kind", "plan_decision"},
          {"model", decision.model},
          {"device", decision.device},
          {"network", decision.network},
          {"ranks", decision.gpus},
          {"limit", decision.limit},
          {"step_us", us(decision.step)},
          {"payoffs", std::move(payoffs)},
          {"rates_asked", decision.knows_rates},
          {"best_scheduler", text_or_null(decision.scheduler)},
          {"best_scheduler_saves_fraction", decision.scheduler_saves}};
}

std::vector<Decision> decisions_of(std::span<const Json> records) {
  std::vector<Decision> all;
  for (const Json& record : records) {
    if (record.value("kind", Json()) != "plan_decision") continue;
    Decision one{.model = record.at("model"),
                 .device = record.at("device"),
                 .network = record.at("network"),
                 .gpus = record.at("ranks"),
                 .limit = record.at("limit"),
                 .step = record.at("step_us").get<double>() * kPicosecondsPerMicrosecond,
                 .knows_rates = record.at("rates_asked"),
                 .scheduler_saves = record.at("best_scheduler_saves_fraction")};
    if (const Json& best = record.at("best_scheduler"); !best.is_null()) one.scheduler = best;
    for (const Json& payoff : record.at("payoffs")) {
      one.payoffs.push_back(
          {.compressor = payoff.at("compressor"),
           .step = payoff.at("step_us").get<double>() * kPicosecondsPerMicrosecond,
           .saves = payoff.at("saves_fraction")});
      if (const Json& rate = payoff.at("pays_below_gbit_per_s"); !rate.is_null())
        one.payoffs.back().pays_below = rate.get<double>() * 1e9;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace arlab::bench
