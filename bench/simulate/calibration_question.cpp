#include "bench/simulate/calibration_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/calibrate/exchanger.hpp"
#include "bench/options/options.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/study/intervals/interval.hpp"
#include "bench/study/intervals/refits.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "collectives/host/gatherv.hpp"
#include "simulator/connections/connections.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {
namespace {

constexpr Bytes kFloatBytes = 4;
constexpr const char* kQuestionExample = "'ring,rabenseifner -p 16 -s 1M'";

// The question's collectives, on machines of one network.
class QuestionTimes {
 public:
  QuestionTimes(const CalibrationQuestion& question, const MachineFile& network)
      : question_(question) {
    TopologyOptions usual;
    usual.placement = network.placement.empty() ? usual.placement : network.placement;
    fabric_ = topology_options(network.topology.empty() ? "crossbar" : network.topology, usual)
                  .fabric(question.ranks);
  }

  // The median over random delays.
  double us(const Algorithm& algorithm, const simulator::Machine& machine) const {
    const Problem problem{.ranks = question_.ranks, .elements = question_.bytes / kFloatBytes};
    std::vector<double> all;
    for (int draw = 0; draw < (is_random(machine) ? simulator::kDriftRuns : 1); ++draw) {
      simulator::Machine drawn = machine;
      drawn.seed += static_cast<std::uint64_t>(draw);
      const auto network = simulator::machine_network(drawn, question_.ranks, fabric_);
      all.push_back(
          microseconds(simulator::simulate(algorithm, problem, kFloatBytes, *network).finish));
    }
    return median_of(std::move(all));
  }

 private:
  const CalibrationQuestion& question_;
  std::shared_ptr<const simulator::Fabric> fabric_;
};

const Algorithm& contender(const std::string& name, const CalibrationQuestion& question,
                           const std::string& what) {
  const Algorithm& found = find_algorithm(name);
  const Problem problem{.ranks = question.ranks, .elements = question.bytes / kFloatBytes};
  if (const std::string why = unsupported(found, problem); !why.empty())
    fail(Blame::usage, fmt::format("{}: {}: {}", what, name, why));
  return found;
}

// What rank 0 shares if there is no plan.
constexpr std::string_view kNoPlan = "error: ";

std::string designed(const CalibrationQuestion& question, const MachineFile& network,
                     const ProbeTimes& pilot, const ProbeOptions& options) {
  const Design d = design_for(question_on(question, network), pilot, options);
  const auto sizes = [](const ProbePlan& plan) {
    return static_cast<Count>(plan.one_way.size() + plan.pairs.size());
  };
  say("For {}: {} of {} sizes of probes narrow its interval as all do; they take about {}, all "
      "about {}.\n",
      question.text(), sizes(d.plan), sizes(d.whole), show_time(1e6 * d.seconds),
      show_time(1e6 * d.whole_seconds));
  return text_of(d.plan);
}

}  // namespace

std::string CalibrationQuestion::text() const {
  return fmt::format("{} against {}, {}, {}", first->name, second->name, show_plural(ranks, "rank"),
                     show_bytes(bytes));
}

CalibrationQuestion parse_question(const std::string& text, const std::string& what) {
  std::istringstream in(text);
  std::string algorithms, word, value;
  in >> algorithms;
  CalibrationQuestion question;
  while (in >> word) {
    const bool ranks = word == "-p" || word == "--ranks", size = word == "-s" || word == "--size";
    if ((!ranks && !size) || !(in >> value))
      fail(Blame::usage,
           fmt::format("{} has '{}': give two algorithms, -p COUNT and -s BYTES, as in {}", what,
                       word, kQuestionExample));
    if (ranks)
      question.ranks = checked_number(parse_count(value, what + " -p"), what + " -p", 2, 4096);
    else
      question.bytes = checked_number(parse_count(value, what + " -s"), what + " -s", 4, 1 << 30);
  }
  const std::vector<std::string> names = split_specs({algorithms});
  if (names.size() != 2 || question.ranks == 0 || question.bytes == 0)
    fail(Blame::usage,
         fmt::format("{} is '{}': give two algorithms, -p COUNT and -s BYTES, as in {}", what, text,
                     kQuestionExample));
  question.first = &contender(names[0], question, what);
  question.second = &contender(names[1], question, what);
  return question;
}

Question question_on(const CalibrationQuestion& question, const MachineFile& network) {
  const auto times = std::make_shared<const QuestionTimes>(question, network);
  return {.least = std::max<Count>(kFloatBytes, question.bytes / question.ranks),
          .most = question.bytes,
          .ratio = [times, &question](const simulator::Machine& machine) {
            simulator::Machine calm = machine;
            calm.drift = calm.drift_long = 0;
            return times->us(*question.first, calm) / times->us(*question.second, calm);
          }};
}

ProbePlan planned_probes(const CalibrationQuestion& question, const MachineFile& network,
                         const ProbeOptions& options, collectives::Communicator& control) {
  ProbeOptions brief = options;
  brief.seconds = 0;
  brief.plan = pilot_plan(options);
  const ProbeTimes pilot = probe(control, brief);
  std::string plan;
  if (control.rank() == 0) try {
      plan = designed(question, network, pilot, options);
    } catch (const Error& e) {  // all ranks end with it
      plan = std::string(kNoPlan) + e.what();
    }
  plan = collectives::share_all(control, plan).front();
  if (plan.starts_with(kNoPlan)) fail(Blame::check, plan.substr(kNoPlan.size()));
  return plan_of(plan);
}

std::vector<std::string> answer_of(const CalibrationQuestion& question, const MachineFile& file) {
  const QuestionTimes times(question, file);
  const auto refitted = [&](const Algorithm& algorithm) {
    RefittedTime time{.us = times.us(algorithm, file.machine)};
    for (const simulator::Machine& refit : file.spread->refits)
      time.by_refit.push_back(times.us(algorithm, refit));
    time.lack = lack_at(*file.spread, question.ranks, static_cast<double>(question.bytes));
    return time;
  };
  const RefittedTime first = refitted(*question.first), second = refitted(*question.second);
  const RatioInterval ratio = ratio_interval(first, second);
  RefittedTime fit_alone = first, other_alone = second;
  fit_alone.lack = other_alone.lack = 0;
  const RatioInterval open = ratio_interval(fit_alone, other_alone);
  return {
      fmt::format("For {}: {} takes {:.3f} times as long as {}, 80% interval {:.3f} to {:.3f}{}; "
                  "by the errors of the measurements alone {:.3f} to {:.3f}.",
                  question.text(), question.first->name, ratio.ratio, question.second->name,
                  ratio.low, ratio.high, ratio.is_tie() ? ", a tie" : "", open.low, open.high)};
}

}  // namespace arlab::bench
