#include "bench/validation/fit/fitted_transport.hpp"

#include <array>
#include <memory>
#include <variant>

#include "bench/validation/fit/fit_messages.hpp"
#include "bench/validation/published/implementation.hpp"

namespace arlab::bench {
namespace {

using PublishedTimes = std::vector<PublishedTime>;

constexpr std::array<std::string_view, 5> kTransports{"", "messages", "torus ports", "NCCL",
                                                      "GPU nodes"};

template <class Case>
std::vector<Case> cases_of(const PublishedTimes& rows) {
  std::vector<Case> cases;
  for (const PublishedTime& row : rows)
    cases.push_back(std::get<Case>(implementation_of(row).model));
  return cases;
}

// `predictor`: of rows.
template <class Predictor>
FittedTransport fit_plain(const PublishedTimes& rows, std::vector<simulator::Prior> priors,
                          Predictor predictor, std::span<const double> start) {
  FittedTransport fitted;
  fitted.fit = simulator::robust_fit(priors, predictor(rows), measured_us(rows), start);
  fitted.system_parameters = priors.size();
  fitted.priors = std::move(priors);
  fitted.predictor = predictor;
  return fitted;
}

template <class Case, class Times>
auto predictor_of(Times times) {
  return [times](const PublishedTimes& rows) -> simulator::PredictRows {
    return [cases = cases_of<Case>(rows), times](std::span<const double> p) {
      return times(cases, p);
    };
  };
}

FittedTransport fit_message_rows(const PublishedTimes& rows, std::span<const double> start) {
  const auto messages = std::make_shared<FittedMessages>(rows, start);
  FittedTransport fitted;
  fitted.priors = messages->priors();
  fitted.fit = messages->fit();
  fitted.system_parameters = simulator::MessageModel::system_parameters();
  fitted.states = static_cast<std::size_t>(messages->states());
  fitted.notes = messages->notes();
  fitted.predictor = [messages](const PublishedTimes& all) { return messages->predictor(all); };
  return fitted;
}

}  // namespace

std::string_view transport_name(std::size_t transport) { return kTransports.at(transport); }

FittedTransport fit_transport(std::size_t transport, const PublishedTimes& rows,
                              std::span<const double> start) {
  using namespace simulator;
  switch (transport) {
    case 1:
      return fit_message_rows(rows, start);
    case 2:
      return fit_plain(
          rows, torus_priors(),
          [](const PublishedTimes& all) { return torus_predictor(cases_of<TorusCase>(all)); },
          start);
    case 3:
      return fit_plain(rows, nccl_priors(), predictor_of<NcclCase>(nccl_times), start);
    default:
      return fit_plain(rows, gpu_nodes_priors(), predictor_of<GpuNodesCase>(gpu_nodes_times),
                       start);
  }
}

}  // namespace arlab::bench
