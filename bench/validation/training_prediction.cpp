#include "bench/validation/training_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "algorithms/base/read_number.hpp"
#include "bench/validation/calibrated/robust_fit.hpp"
#include "bench/validation/training_step.hpp"

namespace arlab::bench {
namespace {

using simulator::Prior;
using training::ModelProfile;

// Speeds of training are means over many steps. The fit assumes errors of 8% per row; theirs are
// about a quarter of that, so that priors count less.
constexpr double kLessThanUsual = 4;

// The parameters of a fit, by what they are of.
class Parameters {
 public:
  std::size_t add(const std::string& name, double median, double spread) {
    const auto [known, is_new] = index_.try_emplace(name, priors_.size());
    if (is_new) priors_.push_back({name, median, kLessThanUsual * spread});
    return known->second;
  }
  const std::vector<Prior>& priors() const { return priors_; }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Prior> priors_;
};

/// Predicts the step of one row in us from all parameters.
using PredictRow = std::function<double(std::span<const double>)>;

TrainingValidation fitted(std::vector<PredictedTraining> rows, const Parameters& parameters,
                          const std::vector<PredictRow>& predict) {
  std::vector<std::size_t> used;
  std::vector<double> measured;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (predict[i] && rows[i].row.split == Split::calibrate) {
      used.push_back(i);
      measured.push_back(rows[i].row.step_us());
    }
  std::vector<double> values;
  if (!used.empty())
    values = simulator::robust_fit(
                 parameters.priors(),
                 [&](std::span<const double> p) {
                   std::vector<double> us;
                   for (const std::size_t i : used) us.push_back(predict[i](p));
                   return us;
                 },
                 measured)
                 .parameters;
  else
    for (const Prior& prior : parameters.priors()) values.push_back(prior.median);
  TrainingValidation result;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (predict[i]) rows[i].predicted_us = predict[i](values);
  for (std::size_t i = 0; i < values.size(); ++i)
    result.parameters.push_back({parameters.priors()[i].name, values[i]});
  result.rows = std::move(rows);
  return result;
}

// "10GbE with TCP/IP", "100GbIB with RDMA": a name that begins with Gbit/s. 0 if it does not.
double line_rate(const std::string& network) {
  double rate = 0;
  from_chars(network.data(), network.data() + network.size(), rate);
  return std::clamp(rate / 8, 0.0, 1e4);
}

std::string letters(const std::string& text) {
  std::string all;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      all += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

}  // namespace

std::optional<ModelProfile> built_in_profile(const std::string& model) {
  std::string wanted = letters(model);
  if (wanted == "resnet") wanted = "resnet50";
  if (wanted == "bert") wanted = "bertlarge";
  for (const training::BuiltInProfile& one : training::built_in_profiles())
    if (letters(std::string(one.name)) == wanted)
      return training::load_profile(std::string(one.name));
  return std::nullopt;
}

// A ring runs at the rate of its slowest connection: inside the nodes, or between them. What a
// model does in addition with several GPUs is a part of its step on one.
TrainingValidation predict_schedules(const std::vector<TrainingRow>& rows,
                                     const FindProfile& find) {
  constexpr double kNodeRate = 8, kUsedOfLine = 0.95, kExtra = 0.01;  // PCIe 3.0 x16 moves up to 12
  std::vector<PredictedTraining> all;
  std::vector<PredictRow> predict;
  Parameters parameters;
  const std::size_t node = parameters.add("GB/s inside a node", kNodeRate, 0.5);
  std::map<std::string, std::optional<ModelProfile>> profiles;
  for (const TrainingRow& row : rows) {
    all.push_back({row, std::nullopt, ""});
    predict.emplace_back();
    if (!profiles.contains(row.model)) profiles[row.model] = find(row.model);
    const std::optional<ModelProfile>& profile = profiles[row.model];
    const TrainingMethod method = parse_training_method(row.method);
    if (!profile) {
      all.back().reason = fmt::format("no profile of model {}", row.model);
    } else if (method.scheduler.empty()) {
      all.back().reason = fmt::format("no scheduler of method {}", row.method);
    } else {
      const double line = line_rate(row.network);
      const std::size_t between =
          parameters.add(fmt::format("GB/s of {}", row.network),
                         line > 0 ? kUsedOfLine * line : kNodeRate, line > 0 ? 0.2 : 1.0);
      const std::size_t extra =
          parameters.add(fmt::format("extra time of {}, part of a step", row.model), kExtra, 1.5);
      predict.back() = [=, &profile](std::span<const double> p) {
        const double alone = 1e6 * row.batch_per_gpu / row.one_gpu_samples_per_s;
        return training_step(layers_taking(*profile, alone, p[extra] * alone), method,
                             {p[node], p[between], 4}, row.gpus) /
               1e6;
      };
    }
  }
  return fitted(std::move(all), parameters, predict);
}

// Gradients of two bytes are exchanged after the backward pass. A part of the step does not depend
// on the batch.
TrainingValidation predict_scaling(const std::vector<TrainingRow>& rows, const FindProfile& find) {
  constexpr double kFixed = 0.1, kFixedSpread = 0.3, kNodeRate = 200, kNetworkRate = 20;
  std::vector<PredictedTraining> all;
  std::vector<PredictRow> predict;
  Parameters parameters;
  std::map<std::string, std::optional<ModelProfile>> profiles;
  std::map<std::string, double>
      usual;  // batch, by model and system: of the smallest number of GPUs
  std::map<std::string, Rank> fewest;
  for (const TrainingRow& row : rows) {
    const std::string key = row.model + " on " + row.network;
    if (!fewest.contains(key) || row.gpus < fewest[key]) {
      fewest[key] = row.gpus;
      usual[key] = row.batch_per_gpu;
    }
  }
  for (const TrainingRow& row : rows) {
    all.push_back({row, std::nullopt, ""});
    predict.emplace_back();
    if (!profiles.contains(row.model)) profiles[row.model] = find(row.model);
    std::optional<ModelProfile>& profile = profiles[row.model];
    if (!profile) {
      all.back().reason = fmt::format("no profile of model {}", row.model);
      continue;
    }
    profile->gradient_bytes = 2;
    const std::string key = row.model + " on " + row.network;
    const std::size_t sample = parameters.add(fmt::format("us per sample of {}", key), 1000, 3);
    const std::size_t fixed =
        parameters.add(fmt::format("fixed part of a step of {}", key), kFixed, kFixedSpread);
    const std::size_t node =
        parameters.add(fmt::format("GB/s inside a node of {}", row.network), kNodeRate, 0.3);
    const std::size_t between =
        parameters.add(fmt::format("GB/s between nodes of {}", row.network), kNetworkRate, 1);
    const double reference = usual[key];
    predict.back() = [=, &profile](std::span<const double> p) {
      const double part = std::min(p[fixed], 0.9);
      const double us = p[sample] * (part * reference + (1 - part) * row.batch_per_gpu);
      return training_step(layers_taking(*profile, us, 0), parse_training_method("BSP"),
                           {p[node], p[between], 4}, row.gpus) /
             1e6;
    };
  }
  return fitted(std::move(all), parameters, predict);
}

}  // namespace arlab::bench
