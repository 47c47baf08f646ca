#include "bench/formats/schedule_json.hpp"

#include <string_view>

#include "algorithms/round_limit.hpp"

namespace arlab::bench {
namespace {

std::string_view kind_name(ActionKind kind) {
  constexpr std::string_view kNames[] = {"send", "reduce", "replace", "give", "take", "join"};
  return kNames[static_cast<std::size_t>(kind)];
}

// {action, peer or team, chunk, chunks}, and the stride of chunks that are not consecutive.
Json action_json(const Action& a) {
  Json json{{"action", kind_name(a.kind)},
            {a.in_team() ? "team" : "peer", a.peer},
            {"chunk", a.chunks.first},
            {"chunks", a.chunks.count}};
  if (a.chunks.stride != 1) json["stride"] = a.chunks.stride;
  return json;
}

}  // namespace

Json schedule_json(const Config& config) {
  Json lanes = Json::array();
  const std::vector<Lane> all = lanes_of(*config.algorithm, config.problem, config.segments);
  const Rank chunks_per_rank = all.empty() ? 1 : all.front().problem.chunks_per_rank;
  for (const Lane& lane : all) {
    Json ranks = Json::array();
    for (Rank r = 0; r < config.problem.ranks; ++r) {
      Json rounds = Json::array();
      for (LimitedProgram p(*config.algorithm, lane.problem, r); p.next();) {
        Json round = Json::array();
        for (const Action& a : p.round()) round.push_back(action_json(a));
        rounds.push_back(std::move(round));
      }
      ranks.push_back({{"rank", r}, {"rounds", std::move(rounds)}});
    }
    lanes.push_back({{"offset", lane.offset},
                     {"elements", lane.problem.elements},
                     {"ranks", std::move(ranks)}});
    if (lane.problem.chunks_per_rank != chunks_per_rank)
      lanes.back()["chunks_per_rank"] = lane.problem.chunks_per_rank;
    if (lane.turn.waits()) {
      lanes.back()["channel"] = lane.turn.channel;
      lanes.back()["piece"] = lane.turn.piece;
    }
  }
  Json json{{"schema", kSchema},
            {"kind", "schedule"},
            {"algorithm", config.algorithm->name},
            {"collective", name(config.problem.collective)},
            {"ranks", config.problem.ranks},
            {"elements", config.problem.elements},
            {"root", config.problem.root}};
  if (chunks_per_rank > 1) json["chunks_per_rank"] = chunks_per_rank;
  json["lanes"] = std::move(lanes);
  return json;
}

}  // namespace arlab::bench
