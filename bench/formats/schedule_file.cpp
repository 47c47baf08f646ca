#include "bench/formats/schedule_file.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/formats/msccl/import.hpp"
#include "bench/formats/msccl/xml.hpp"
#include "bench/formats/parse_goal.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

using Value = nlohmann::json;  // sorted: finds each of many keys fast

constexpr Count kMaxRank = std::numeric_limits<Rank>::max();
constexpr Count kMostTurns = 1 << 20;  // channels, and pieces of each

// Reads parts of the file; `where` says which part.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void wrong(const std::string& where, const std::string& what) const {
    fail(Blame::usage, path_ + ": " + (where.empty() ? "" : where + ": ") + what);
  }

  // Names all keys that are missing, so that a file is mended at once.
  void expect(const Value& object, std::initializer_list<const char*> keys,
              const std::string& where) const {
    if (!object.is_object()) wrong(where, "is not an object in braces");
    std::string missing;
    int count = 0;
    for (const char* key : keys)
      if (!object.contains(key)) missing += fmt::format("{}\"{}\"", count++ == 0 ? "" : ", ", key);
    if (count > 0) wrong(where, fmt::format("has no key{} {}", count > 1 ? "s" : "", missing));
  }

  const Value& member(const Value& object, const char* key, const std::string& where) const {
    expect(object, {key}, where);
    return *object.find(key);
  }
  const Value& list(const Value& object, const char* key, const std::string& where) const {
    const Value& found = member(object, key, where);
    if (!found.is_array()) wrong(where, fmt::format("\"{}\" is not a list", key));
    return found;
  }
  Count number(const Value& object, const char* key, Count max, const std::string& where) const {
    const Value& found = member(object, key, where);
    const bool whole =
        found.is_number_integer() &&
        (!found.is_number_unsigned() || found.get<std::uint64_t>() <= std::uint64_t(max));
    if (!whole || found.get<Count>() < 0 || found.get<Count>() > max)
      wrong(where,
            fmt::format("\"{}\" is {}: give a whole number from 0 to {}", key, shown(found), max));
    return found.get<Count>();
  }
  std::string text(const Value& object, const char* key, const std::string& where) const {
    const Value& found = member(object, key, where);
    if (!found.is_string())
      wrong(where, fmt::format("\"{}\" is {}: give a text", key, shown(found)));
    return found.get<std::string>();
  }

  // Texts of structures are not made: those may be nested without end.
  static std::string shown(const Value& found) {
    return found.is_structured()
               ? (found.is_array() ? "a list" : "an object")
               : shortened(found.dump(-1, ' ', true, Value::error_handler_t::replace));
  }

 private:
  static std::string shortened(const std::string& text) {
    return text.size() <= 40 ? text : text.substr(0, 40) + "...";
  }
  std::string path_;
};

Action read_action(const Reader& read, const Value& json, const std::string& where) {
  read.expect(json, {"action", "peer", "chunk", "chunks"}, where);
  Action action;
  const std::string kind = read.text(json, "action", where);
  if (kind == "send")
    action.kind = ActionKind::send;
  else if (kind == "reduce")
    action.kind = ActionKind::reduce;
  else if (kind == "replace")
    action.kind = ActionKind::replace;
  else if (kind == "give" || kind == "take" || kind == "join")
    read.wrong(where, fmt::format("\"action\" is '{}', of a transfer through switches that add, "
                                  "which a file cannot run: use the algorithm's name",
                                  kind));
  else
    read.wrong(where, fmt::format("\"action\" is '{}': use send, reduce or replace", kind));
  action.peer = static_cast<Rank>(read.number(json, "peer", kMaxRank, where));
  action.chunks.first = static_cast<Rank>(read.number(json, "chunk", kMaxRank, where));
  action.chunks.count = static_cast<Rank>(read.number(json, "chunks", kMaxRank, where));
  if (json.contains("stride"))
    action.chunks.stride = static_cast<Rank>(read.number(json, "stride", kMaxRank, where));
  return action;
}

Script::Rounds read_rounds(const Reader& read, const Value& rank, const std::string& where) {
  Script::Rounds rounds;
  for (const Value& round : read.list(rank, "rounds", where)) {
    const std::string here = fmt::format("{}, round {}", where, rounds.size() + 1);
    if (!round.is_array()) read.wrong(here, "is not a list of actions");
    auto& actions = rounds.emplace_back();
    for (const Value& action : round)
      actions.push_back(
          read_action(read, action, fmt::format("{}, action {}", here, actions.size() + 1)));
  }
  return rounds;
}

Turn read_turn(const Reader& read, const Value& lane, const std::string& where) {
  if (!lane.contains("channel") && !lane.contains("piece")) return {};
  const auto part = [&](const char* key) {
    return static_cast<std::int32_t>(read.number(lane, key, kMostTurns, where));
  };
  return {part("channel"), part("piece")};
}

}  // namespace

Script read_schedule(const std::string& path) {
  return parse_schedule(read_file(path, "give a schedule that arlab export wrote"), path);
}

Script parse_schedule(const std::string& content, const std::string& path) {
  const std::size_t first = content.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string::npos && content[first] == '<')
    return script_of(parse_msccl(content, path), path);
  const Reader read(path);
  if (is_goal(content))
    read.wrong("",
               "is a GOAL trace, which says nothing about data: only arlab simulate takes it, as "
               "file:NAME.goal");
  const Value json = Value::parse(content, nullptr, false);
  if (json.is_discarded()) read.wrong("", "is not JSON: give a schedule that arlab export wrote");
  if (!json.contains("kind") || json["kind"] == "schedule")
    read.expect(json, {"kind", "collective", "ranks", "root", "lanes"}, "");
  if (read.text(json, "kind", "") != "schedule")
    read.wrong("", fmt::format("\"kind\" is '{}', not 'schedule'", read.text(json, "kind", "")));
  if (json.contains("schema") && json["schema"] != kSchema)
    read.wrong("",
               fmt::format("\"schema\" is {}, but this program reads schema {}: export it again",
                           Reader::shown(json["schema"]), kSchema));
  if (json.contains("elements"))
    read.number(json, "elements", std::numeric_limits<Count>::max(), "");
  Script script;
  script.name = "file:" + path;
  script.source = path;
  script.collective =
      find_named(kCollectives, read.text(json, "collective", ""), "collective in " + path);
  script.ranks = static_cast<Rank>(read.number(json, "ranks", kMaxRank, ""));
  script.root = static_cast<Rank>(read.number(json, "root", kMaxRank, ""));
  const auto chunks_per_rank = [&](const Value& of, const std::string& where, Rank usual) {
    constexpr const char* kKey = "chunks_per_rank";
    return of.contains(kKey) ? static_cast<Rank>(read.number(of, kKey, kMaxRank, where)) : usual;
  };
  const Rank chunks_of_all = chunks_per_rank(json, "", 1);
  for (const Value& lane : read.list(json, "lanes", "")) {
    const std::string where = fmt::format("lane {}", script.lanes.size());
    read.expect(lane, {"elements", "ranks"}, where);
    Script::ScriptLane& made = script.lanes.emplace_back();
    if (lane.contains("offset"))
      read.number(lane, "offset", std::numeric_limits<Count>::max(), where);
    made.weight = read.number(lane, "elements", std::numeric_limits<Count>::max(), where);
    made.chunks_per_rank = chunks_per_rank(lane, where, chunks_of_all);
    made.turn = read_turn(read, lane, where);
    for (const Value& rank : read.list(lane, "ranks", where)) {
      const std::string here = fmt::format("{}, rank {}", where, made.ranks.size());
      read.expect(rank, {"rank", "rounds"}, here);
      if (read.number(rank, "rank", kMaxRank, here) != static_cast<Count>(made.ranks.size()))
        read.wrong(here, "is out of order: list the ranks from 0 on");
      made.ranks.push_back(read_rounds(read, rank, here));
    }
  }
  return script;
}

}  // namespace arlab::bench
