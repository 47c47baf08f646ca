#include "training/trainer/checkpointing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "collectives/host/gatherv.hpp"
#include "training/checkpoint/names.hpp"
#include "training/checkpoint/shards.hpp"

namespace arlab::training {
namespace {

Floats copy(std::span<const float> data) { return {data.begin(), data.end()}; }

void fill(std::span<float> into, const Floats& from, const std::string& what,
          const Checkpoint& checkpoint) {
  if (into.size() != from.size())
    fail(Blame::usage, checkpoint.source + " has " + std::to_string(from.size()) + " " + what +
                           ", but this run has " + std::to_string(into.size()) +
                           ": resume with the program and the options that wrote it");
  std::copy(from.begin(), from.end(), into.begin());
}

std::string moments_of(Rank r) { return "optimizer/moments/" + std::to_string(r); }
std::string state_of(Rank r) { return "strategy/" + std::to_string(r); }

// Returns name and bytes of each entry, each preceded by its length.
std::string encoded(const Strategy::State& state) {
  std::string text;
  const auto add = [&](const void* data, std::size_t size) {
    const auto length = static_cast<std::uint64_t>(size);
    text.append(reinterpret_cast<const char*>(&length), sizeof length);
    text.append(static_cast<const char*>(data), size);
  };
  for (const auto& [name, bytes] : state) {
    add(name.data(), name.size());
    add(bytes.data(), bytes.size());
  }
  return text;
}

Strategy::State decoded(std::string_view text) {
  const auto next = [&] {
    std::uint64_t length = 0;
    if (text.size() >= sizeof length) std::memcpy(&length, text.data(), sizeof length);
    if (text.size() < sizeof length || text.size() - sizeof length < length)
      fail(Blame::usage,
           "the strategy's state in the checkpoint is damaged: use another checkpoint");
    const std::string_view part = text.substr(sizeof length, length);
    text.remove_prefix(sizeof length + length);
    return part;
  };
  Strategy::State state;
  while (!text.empty()) {
    const std::string name(next());
    const auto bytes = std::as_bytes(std::span(next()));
    state[name] = {bytes.begin(), bytes.end()};
  }
  return state;
}

// Checkpoints have the digits of a double also for a float: 0.8 is 0.800000011920929 there. Returns
// the text with the numbers as they were given.
std::string as_given(std::string_view text) {
  std::string given;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = from_chars(text.data(), text.data() + text.size(), number);
    const auto length = error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 1;
    const std::string_view part = text.substr(0, length);
    constexpr std::size_t kMostDigits = 9;  // that a float needs
    const bool may_be_float = length > kMostDigits && std::abs(number) < 1e38;
    const auto single = static_cast<float>(may_be_float ? number : 0);
    char digits[32];
    if (may_be_float && part.find('.') != part.npos && double{single} == number)
      given.append(digits, std::to_chars(digits, std::end(digits), single).ptr);
    else
      given += part;
    text.remove_prefix(length);
  }
  return given;
}

void expect_same_run(const std::vector<RunParameter>& run_parameters,
                     const Checkpoint& checkpoint) {
  if (!checkpoint.find("position") || !checkpoint.find("plan"))
    fail(Blame::usage, checkpoint.source +
                           " holds only weights, from which a run cannot resume: use another "
                           "checkpoint folder");
  const Json& plan = checkpoint.json("plan");
  for (const RunParameter& a : run_parameters) {
    if (!a.lasting) continue;
    const auto found = plan.find(a.name);
    const std::string was = found == plan.end() ? "missing" : found->get<std::string>();
    if (was != a.value)
      fail(Blame::usage, checkpoint.source + " belongs to another run: " + a.name + " was " +
                             as_given(was) + " and is now " + as_given(a.value) +
                             ": use the same options or another checkpoint folder");
  }
}

}  // namespace

Checkpointer::Checkpointer(Trainer& trainer, std::string folder, const SavePolicy& policy)
    : trainer_(trainer), path_(std::move(folder)), policy_(policy) {
  if (trainer_.communicator().rank() == 0) folder_.emplace(path_, policy_);
  trainer_.on_settled(policy_.every_steps, [this](const EpochReport* epoch) { settled(epoch); });
  trainer_.on_failure([this] { rescue(); });
}

std::vector<std::string> Checkpointer::resume() {
  std::vector<std::string> notes;
  std::optional<Latest> latest;
  const bool sharded = trainer_.shard().has_value();
  bool in_parts = false;  // each rank has restored its part
  if (keeps())
    if (std::string note = folder_->lock(); !note.empty()) notes.push_back(std::move(note));
  if (keeps())
    latest = latest_checkpoint(path_, [&](const Checkpoint& c) {
      expect_same_run(trainer_.run_parameters(), c);
      in_parts = sharded && c.find("shards");
      return in_parts ? offer(c) : "";
    });
  if (sharded) in_parts = take_offers() || in_parts;
  if (latest) {
    for (const std::string& reason : latest->refused) notes.push_back(reason);
    if (!in_parts) restore(latest->checkpoint);
    notes.push_back("resuming after step " + std::to_string(latest->step) + " from " +
                    latest->path);
  }
  const bool whole = trainer_.communicator().max(latest && !in_parts ? 1 : 0) > 0;
  if (whole) {
    trainer_.share_state();
    scatter_moments(latest ? &latest->checkpoint : nullptr);
    scatter_states(latest ? &latest->checkpoint : nullptr);
  }
  settled_at_ = trainer_.steps_done();
  if (keeps())
    for (const std::string& name : latest ? folder_->begin(*latest) : folder_->begin(Count{0}))
      notes.push_back("kept as " + name +
                      " because it belongs to another run, is newer, or is damaged");
  return notes;
}

// Rank 0: lets all ranks restore their parts. Returns why it is not usable.
std::string Checkpointer::offer(const Checkpoint& from) {
  collectives::share(trainer_.communicator(), from.source + '\n' + encode_checkpoint(from));
  return restore_part(from);
}

// All other ranks: does so, until rank 0, which then also calls it, has no more to offer. Returns
// whether this rank has restored its part of the last one.
bool Checkpointer::take_offers() {
  bool usable = false;
  while (true) {
    const std::string text = collectives::share(trainer_.communicator(), "");
    if (text.empty()) return usable;
    const std::size_t end = text.find('\n');
    usable =
        restore_part(parse_checkpoint(std::string_view(text).substr(end + 1), text.substr(0, end)))
            .empty();
  }
}

// Returns why it is not usable, the same on all ranks.
std::string Checkpointer::restore_part(const Checkpoint& from) {
  std::string reason;
  try {
    fill(trainer_.replica().statistics(), from.floats("weights/statistics"), "statistics", from);
    read_shards(path_, parse_shard_index(from.json("shards"), from.source),
                trainer_.shard()->ranges,
                {trainer_.replica().weights(), trainer_.optimizer().moments()});
    trainer_.optimizer().set_steps(from.count("optimizer/steps"));
    trainer_.set_steps_done(from.count("position"));
  } catch (const Error& error) {
    reason = error.what();
  }
  reason = first_of(reason);
  if (reason.empty()) trainer_.gather_weights();
  return reason;
}

// Returns the reason of the first rank that has one, on all ranks.
std::string Checkpointer::first_of(const std::string& reason) {
  collectives::Communicator& c = trainer_.communicator();
  std::string first;
  for (const std::string& its : collectives::gather(c, reason))
    if (first.empty()) first = its;
  return collectives::share(c, first);
}

// What all ranks have in common, besides the weights.
void Checkpointer::add_position(Checkpoint& to) {
  to.add("weights/statistics", copy(trainer_.replica().statistics()));
  to.add("optimizer/steps", Integers{trainer_.optimizer().steps()});
  to.add("position", Integers{trainer_.steps_done()});
  Json plan = Json::object();
  for (const RunParameter& a : trainer_.run_parameters())
    if (a.lasting) plan[a.name] = a.value;
  to.add("plan", plan);
}

Checkpoint Checkpointer::state() {
  Checkpoint c;
  c.add("weights/parameters", copy(trainer_.replica().weights()));
  add_position(c);
  if (!trainer_.own_moments() && !trainer_.shard())
    c.add("optimizer/moments", copy(trainer_.optimizer().moments()));
  return c;
}

void Checkpointer::restore(const Checkpoint& from) {
  fill(trainer_.replica().weights(), from.floats("weights/parameters"), "weights", from);
  fill(trainer_.replica().statistics(), from.floats("weights/statistics"), "statistics", from);
  if (!trainer_.own_moments()) {
    fill(trainer_.optimizer().moments(), from.floats("optimizer/moments"), "moments", from);
    trainer_.optimizer().set_steps(from.count("optimizer/steps"));
  }
  trainer_.set_steps_done(from.count("position"));
}

void Checkpointer::settled(const EpochReport* epoch) {
  Moment moment{trainer_.steps_done(), epoch != nullptr};
  if (epoch && epoch->validation.samples > 0)
    moment.validation_loss =
        epoch->validation.loss / static_cast<double>(epoch->validation.samples);
  collectives::Communicator& c = trainer_.communicator();
  const bool due = keeps() && is_due(moment);
  settled_at_ = moment.step;
  if (c.max(due ? 1 : 0) == 0) return;
  if (trainer_.shard() && !policy_.weights_only) return save_shards(moment);
  Checkpoint now;
  if (keeps()) now = state();
  if (trainer_.own_moments()) gather_moments(keeps() ? &now : nullptr);
  gather_states(keeps() ? &now : nullptr);
  if (keeps()) folder_->save(std::move(now), moment);
}

// Ranks may settle later than after the steps asked for: then they are due, too.
bool Checkpointer::is_due(const Moment& moment) const {
  Moment asked = moment;
  const Count every = policy_.every_steps;
  if (passes_multiple(settled_at_, moment.step, every)) asked.step -= moment.step % every;
  return folder_->due(asked);
}

// Every rank writes its shard, then rank 0 the checkpoint that names them. If one of them cannot,
// all remove theirs and fail; the previous checkpoint remains.
void Checkpointer::save_shards(const Moment& moment) {
  collectives::Communicator& c = trainer_.communicator();
  if (c.max(keeps() && folder_->wants(moment) ? 1 : 0) == 0) return;
  const Strategy::Shard shard = *trainer_.shard();
  std::string reason, written;
  if (shard.first && !shard.ranges.empty()) try {
      written = to_json(write_shard(path_, moment.step, c.rank(), c.ranks(), shard.ranges,
                                    {trainer_.replica().weights(), trainer_.optimizer().moments()}))
                    .dump();
    } catch (const Error& error) {
      reason = error.what();
    }
  reason = first_of(reason);
  const std::vector<std::string> files = collectives::gather(c, written);
  if (reason.empty() && keeps()) try {
      save_index(files, moment);
    } catch (const Error& error) {
      reason = error.what();
    }
  reason = collectives::share(c, reason);
  if (reason.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(
      std::filesystem::path(path_) / shard_name(moment.step, c.rank(), c.ranks()), ignored);
  c.barrier();  // the first rank that fails ends the others
  fail(Blame::environment, reason);
}

// `files`: an entry of the index from each rank that has written a shard.
void Checkpointer::save_index(const std::vector<std::string>& files, const Moment& moment) {
  const auto elements = static_cast<Count>(trainer_.replica().weights().size());
  const auto moments = static_cast<Count>(trainer_.optimizer().moments().size());
  ShardIndex index{moment.step, elements, elements == 0 ? 0 : moments / elements, {}};
  for (const std::string& file : files) {
    if (file.empty()) continue;
    index.files.push_back(parse_shard_file(*parse_json(file), path_));
    const std::string path = (std::filesystem::path(path_) / index.files.back().name).string();
    open_source(path, "another rank has written it: use a folder that all ranks share");
  }
  Checkpoint now;
  add_position(now);
  now.add("shards", to_json(index));
  folder_->save(std::move(now), moment);
}

void Checkpointer::rescue() {
  if (policy_.best_only || policy_.weights_only || trainer_.steps_done() == 0) return;
  folder_->save(state(), {trainer_.steps_done(), false});
}

// Rank by rank. The optimizer's steps travel as a Count, because a float does not hold large
// integers exactly.
void Checkpointer::gather_moments(Checkpoint* into) {
  collectives::Communicator& c = trainer_.communicator();
  for (Rank r = 0; r < c.ranks(); ++r) {
    Floats moments = copy(trainer_.optimizer().moments());
    const Count steps = c.sum(c.rank() == r ? trainer_.optimizer().steps() : 0);
    collectives::transmit(c, r, 0, std::as_writable_bytes(std::span(moments)));
    if (!into) continue;
    into->add(moments_of(r), std::move(moments));
    into->add(moments_of(r) + "/steps", Integers{steps});
  }
}

// Throws on all ranks unless rank 0's checkpoint has exactly one part per rank.
void Checkpointer::expect_part_of_each(const Checkpoint* from, std::string (*part_of)(Rank)) {
  collectives::Communicator& c = trainer_.communicator();
  const bool enough = !from || (from->find(part_of(c.ranks() - 1)) != nullptr &&
                                from->find(part_of(c.ranks())) == nullptr);
  if (c.max(enough ? 0 : 1) > 0)
    fail(Blame::usage,
         "the checkpoint in " + path_ + " has state for another number of ranks than " +
             std::to_string(c.ranks()) + ": use as many ranks as the run that wrote it");
}

void Checkpointer::gather_states(Checkpoint* into) {
  collectives::Communicator& c = trainer_.communicator();
  const std::string own = encoded(trainer_.strategy_state());
  if (c.sum(static_cast<Count>(own.size())) == 0) return;
  std::vector<std::string> all = collectives::gather(c, own);
  if (!into) return;
  for (Rank r = 0; r < c.ranks(); ++r)
    into->add(state_of(r), std::move(all[static_cast<std::size_t>(r)]));
}

void Checkpointer::scatter_states(const Checkpoint* from) {
  collectives::Communicator& c = trainer_.communicator();
  if (c.max(from && from->find(state_of(0)) ? 1 : 0) == 0) return;
  expect_part_of_each(from, state_of);
  std::vector<std::string> all;
  for (Rank r = 0; from && r < c.ranks(); ++r) all.push_back(from->bytes(state_of(r)));
  trainer_.restore_strategy(decoded(collectives::scatter(c, all)));
}

void Checkpointer::scatter_moments(const Checkpoint* from) {
  if (!trainer_.own_moments()) return;
  collectives::Communicator& c = trainer_.communicator();
  expect_part_of_each(from, moments_of);
  for (Rank r = 0; r < c.ranks(); ++r) {
    Floats moments(trainer_.optimizer().moments().size());
    if (from) fill(moments, from->floats(moments_of(r)), "moments", *from);
    const Count steps = c.sum(from ? from->count(moments_of(r) + "/steps") : 0);
    collectives::transmit(c, 0, r, std::as_writable_bytes(std::span(moments)));
    if (c.rank() != r) continue;
    fill(trainer_.optimizer().moments(), moments, "moments", Checkpoint{});
    trainer_.optimizer().set_steps(steps);
  }
}

}  // namespace arlab::training
