#include "bench/results/record.hpp"

#include <cmath>

#include "algorithms/groups.hpp"

namespace arlab::bench {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// The least share of the vector that a rank must send and receive, times two ways where there are
// two.
double bus_factor(const Problem& p) {
  const double share = p.ranks < 2 ? 0 : static_cast<double>(p.ranks - 1) / p.ranks;
  switch (p.collective) {
    case Collective::allreduce:
      return 2 * share;
    case Collective::reduce_scatter:
    case Collective::all_gather:
      return share;
    case Collective::reduce:
    case Collective::broadcast:
      return p.ranks < 2 ? 0 : 1;
  }
  return 0;
}

Json to_json(const Summary& s) {
  return {{"n", s.samples},
          {"median", s.median},
          {"ci95", {s.low, s.high}},
          {"min", s.min},
          {"p99", s.p99}};
}

// Shares to three digits: a picture needs no more.
Json to_json(const HotLinks& hot) {
  Json links = Json::array();
  for (const HotLinks::One& one : hot.links) {
    Json j{{"name", one.load.name},
           {"tier", one.load.tier},
           {"bytes", one.load.bytes},
           {"share", one.load.utilization}};
    if (hot.step_us) {
      j["busy"] = Json::array();
      for (const double busy : one.busy) j["busy"].push_back(std::round(busy * 1000) / 1000);
    }
    links.push_back(std::move(j));
  }
  return links;
}

}  // namespace

std::optional<double> Record::algbw() const {
  if (!time_us || time_us->median <= 0) return std::nullopt;
  return static_cast<double>(bytes()) / time_us->median / 1e3;
}

std::optional<double> Record::busbw() const {
  const std::optional<double> gbps = algbw();
  return gbps ? std::optional(*gbps * bus_factor(problem)) : std::nullopt;
}

Json to_json(const Record& r) {
  const auto element = static_cast<Count>(collectives::size_of(r.operand.dtype));
  Json j{{"schema", 1},
         {"kind", r.kind},
         {"backend", or_null(r.backend)},
         {"algorithm", r.algorithm},
         {"collective", name(r.problem.collective)},
         {"ranks", r.problem.ranks},
         {"elements", r.problem.elements},
         {"dtype", name(r.operand.dtype)},
         {"op", name(r.operand.op)},
         {"root", r.problem.root},
         {"groups", r.problem.groups ? Json(r.problem.groups->count()) : Json(nullptr)},
         {"bytes", r.bytes()},
         {"lanes", or_null(r.lanes)},
         {"segments", r.segments},
         {"topology", or_null(r.topology)},
         {"model", or_null(r.model)},
         {"machine", or_null(r.machine)},
         {"compressor", nullptr}};
  j["messages"] = r.sent ? Json(r.sent->messages) : Json(nullptr);
  j["elements_sent"] = r.sent ? Json(r.sent->elements) : Json(nullptr);
  j["bytes_sent"] = r.sent ? Json(r.sent->elements * element) : Json(nullptr);
  j["rounds"] = r.sent ? Json(r.sent->rounds) : Json(nullptr);
  j["claimed"] = nullptr;
  if (r.claimed)
    j["claimed"] = {{"messages", r.claimed->messages},
                    {"elements_sent", r.claimed->elements},
                    {"rounds", r.claimed->rounds}};
  j["time_us"] = r.time_us ? to_json(*r.time_us) : Json(nullptr);
  j["modelled_us"] = or_null(r.modelled_us);
  j["algbw_gbps"] = or_null(r.algbw());
  j["busbw_gbps"] = or_null(r.busbw());
  if (r.kind == "simulate") {
    j["hottest_links"] = r.hottest ? to_json(*r.hottest) : Json(nullptr);
    j["links_as_hot"] = r.hottest ? Json(r.hottest->as_hot) : Json(nullptr);
    j["busy_step_us"] = r.hottest ? or_null(r.hottest->step_us) : Json(nullptr);
  }
  if (r.kind == "run") {
    j["of_copy_limit"] = or_null(r.of_copy_limit);
    j["chosen"] = or_null(r.chosen);
  }
  j["wrong"] = or_null(r.wrong);
  j["skipped"] = or_null(r.skipped);
  if (r.kind == "verify") {
    j["fault"] = or_null(r.fault);
    j["bracketing"] = or_null(r.bracketing);
    j["same_on_all_ranks"] = or_null(r.same_on_all_ranks);
  }
  j["label"] = r.label;
  j["color"] = r.color;
  j["family"] = r.family;
  return j;
}

std::string identity(const Json& record) {
  std::string all;
  for (const char* key :
       {"kind", "backend", "algorithm", "collective", "ranks", "elements", "dtype", "op", "root",
        "groups", "segments", "topology", "model", "machine", "compressor"}) {
    const auto found = record.find(key);
    all += found == record.end() ? "null" : found->dump();
    all += ' ';
  }
  return all;
}

}  // namespace arlab::bench
