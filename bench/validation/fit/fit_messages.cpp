#include "bench/validation/fit/fit_messages.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/validation/published/implementation.hpp"

namespace arlab::bench {
namespace {

using simulator::MessageCase;
using simulator::MessageModel;

std::string asked_of(const PublishedTime& row) { return row.algorithm + " of " + row.library; }

}  // namespace

MessageCase FittedMessages::case_of(const PublishedTime& row, bool by_default) const {
  MessageCase one =
      by_default ? by_default_rule(row) : std::get<MessageCase>(implementation_of(row).model);
  const auto state = row.split == Split::calibrate ? state_of_.find(job_of(row)) : state_of_.end();
  one.state = state == state_of_.end() ? -1 : state->second;
  return one;
}

// A job's rows of one algorithm are the default rule if that explains them much better than the
// algorithm.
std::vector<bool> FittedMessages::find_default_rows(const std::vector<PublishedTime>& rows) {
  constexpr double kExplained = 0.15;  // mean error, as a logarithm
  const MessageModel model(states_);
  std::vector<MessageCase> own, by_rule;
  for (const PublishedTime& row : rows) {
    own.push_back(case_of(row, false));
    by_rule.push_back(case_of(row, true));
  }
  const std::vector<double> own_us = model.predict(own, fit_.parameters);
  const std::vector<double> rule_us = model.predict(by_rule, fit_.parameters);
  struct DefaultErrors {
    double own = 0, rule = 0;
    int rows = 0;
    bool by_default() const { return own > kExplained * rows && rule < own / 2; }
  };
  std::map<std::pair<std::string, std::string>, DefaultErrors> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!implementation_of(rows[i]).library_chose) continue;
    DefaultErrors& e = errors[{asked_of(rows[i]), job_of(rows[i])}];
    e.own += std::abs(std::log(own_us[i] / rows[i].median_us));
    e.rule += std::abs(std::log(rule_us[i] / rows[i].median_us));
    ++e.rows;
  }
  for (const auto& [key, e] : errors) {
    ++votes_[key.first].states;
    if (e.by_default()) ++votes_[key.first].by_default;
  }
  std::vector<bool> by_default;
  for (const PublishedTime& row : rows) {
    const auto at = errors.find({asked_of(row), job_of(row)});
    by_default.push_back(at != errors.end() && at->second.by_default());
  }
  return by_default;
}

FittedMessages::FittedMessages(const std::vector<PublishedTime>& rows,
                               std::span<const double> start) {
  for (const PublishedTime& row : rows)
    state_of_.try_emplace(job_of(row), static_cast<int>(state_of_.size()));
  states_ = static_cast<int>(state_of_.size());
  const MessageModel model(states_);
  priors_.assign(model.parameters().begin(), model.parameters().end());
  const std::vector<double> us = measured_us(rows);
  const auto cases = [&](const std::vector<bool>& by_default) {
    std::vector<MessageCase> all;
    for (std::size_t i = 0; i < rows.size(); ++i) all.push_back(case_of(rows[i], by_default[i]));
    return all;
  };
  const std::vector<bool> none(rows.size(), false);
  fit_ = model.fit(cases(none), us, start);
  const std::vector<bool> by_default = find_default_rows(rows);
  if (by_default != none) fit_ = model.fit(cases(by_default), us, start);
}

simulator::PredictRows FittedMessages::predictor(const std::vector<PublishedTime>& rows) const {
  std::vector<MessageCase> cases;
  for (const PublishedTime& row : rows) {
    const auto votes = votes_.find(asked_of(row));
    const bool voted = votes != votes_.end() && votes->second.chosen();
    const std::optional<bool> obeyed = library_obeyed(row);
    cases.push_back(
        case_of(row, implementation_of(row).library_chose && (obeyed ? !*obeyed : voted)));
    cases.back().state = -1;
  }
  return MessageModel(states_).predictor(cases);
}

std::vector<std::string> FittedMessages::notes() const {
  std::vector<std::string> all;
  for (const auto& [asked, votes] : votes_)
    if (votes.by_default > 0)
      all.push_back(fmt::format("{}: the default rule explains {} of {} jobs; {}", asked,
                                votes.by_default, votes.states,
                                votes.chosen() ? "jobs without a date are predicted by that rule"
                                               : "predicted as named"));
  return all;
}

}  // namespace arlab::bench
