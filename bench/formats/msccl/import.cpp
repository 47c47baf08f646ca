#include "bench/formats/msccl/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/formats/msccl/chunk_memory.hpp"

namespace arlab::bench {
namespace {

constexpr int kMostLanes = 4096;
constexpr std::size_t kMostClocks = 40'000'000;  // numbers in the clocks of all steps
constexpr std::size_t kMostCells = 1 << 20;      // chunks of all GPUs
constexpr std::size_t kMostUses = 1 << 22;       // of chunks, by all steps

Collective collective_of(const MscclProgram& program, const std::string& path) {
  static constexpr std::pair<std::string_view, Collective> kNames[] = {
      {"allreduce", Collective::allreduce},
      {"allgather", Collective::all_gather},
      {"reduce_scatter", Collective::reduce_scatter},
      {"reducescatter", Collective::reduce_scatter},
      {"reduce", Collective::reduce},
      {"broadcast", Collective::broadcast}};
  std::vector<std::string_view> names;
  for (const auto& [name, collective] : kNames) {
    if (name == program.collective) return collective;
    names.push_back(name);
  }
  fail_unknown("collective in " + path, program.collective, names);
}

// Whether each GPU has a part of the vector that is its own.
bool is_owned(Collective collective) {
  return collective == Collective::all_gather || collective == Collective::reduce_scatter;
}

// The program with the chunks of its vector, if it is small enough to check.
ImportedProgram imported_program(const MscclProgram& program, const std::string& path) {
  ImportedProgram p{program, path, collective_of(program, path), program.chunks, 0};
  if (is_owned(p.collective)) {
    int largest = 0;  // whole vectors, or parts of GPUs
    for (const MscclGpu& gpu : program.gpus) largest = std::max({largest, gpu.input, gpu.output});
    // Some writers count the chunks of the whole vector, some those of one GPU.
    const bool of_all = largest <= program.chunks && program.chunks % p.ranks() == 0;
    p.own = of_all ? program.chunks / p.ranks() : program.chunks;
    if (p.own > kMostLanes) p.wrong(fmt::format("{} chunks per GPU make too many lanes", p.own));
    p.chunks = p.own * p.ranks();
  }
  std::size_t blocks = 0, steps = 0, cells = 0, uses = 0;
  for (const MscclGpu& gpu : program.gpus) {
    cells += static_cast<std::size_t>(p.chunks) + static_cast<std::size_t>(gpu.scratch);
    blocks += gpu.blocks.size();
    for (const MscclBlock& block : gpu.blocks) {
      steps += block.steps.size();
      for (const MscclStep& step : block.steps) uses += static_cast<std::size_t>(step.count);
    }
  }
  if (cells > kMostCells || uses > kMostUses)
    p.wrong(
        fmt::format("{} chunks of memory and {} uses of them are too many to check", cells, uses));
  if (blocks * std::max(blocks, steps) > kMostClocks)
    p.wrong(fmt::format("{} thread blocks with {} steps are too many to check", blocks, steps));
  return p;
}

// The number of each GPU's first block and, last, of all blocks.
std::vector<int> first_blocks_of(const MscclProgram& program) {
  std::vector<int> first{0};
  for (const MscclGpu& gpu : program.gpus)
    first.push_back(first.back() + static_cast<int>(gpu.blocks.size()));
  return first;
}

// Runs the blocks of all GPUs, each as far as it can.
class Importer {
 public:
  Importer(const MscclProgram& program, const std::string& path)
      : imported_(imported_program(program, path)),
        first_blocks_(first_blocks_of(program)),
        clocks_(static_cast<std::size_t>(first_blocks_.back())),
        done_(static_cast<std::size_t>(first_blocks_.back())),
        memory_(imported_, first_blocks_, clocks_, messages_) {}

  Script run() {
    for (bool any = true; any;) {
      any = false;
      for (Rank g = 0; g < imported_.ranks(); ++g)
        for (int b = 0; b < blocks_of(g); ++b)
          while (advance(g, b)) any = true;
    }
    for (Rank g = 0; g < imported_.ranks(); ++g)
      for (int b = 0; b < blocks_of(g); ++b)
        if (done(g, b) < static_cast<int>(block(g, b).steps.size())) {
          imported_.at = {g, b, done(g, b)};
          imported_.wrong("never runs: its peer or an awaited step does not come to it");
        }
    for (const auto& [key, waiting] : queues_)
      if (!waiting.empty())
        imported_.wrong(fmt::format("gpu {} never receives a message of gpu {} on channel {}",
                                    std::get<1>(key), std::get<0>(key), std::get<2>(key)));
    imported_.at = {};
    memory_.expect_results();
    return script();
  }

 private:
  const MscclBlock& block(Rank g, int b) const {
    return imported_.program.gpus[index(g)].blocks[static_cast<std::size_t>(b)];
  }
  int blocks_of(Rank g) const { return first_blocks_[index(g) + 1] - first_blocks_[index(g)]; }
  int number(Rank g, int b) const { return first_blocks_[index(g)] + b; }
  int& done(Rank g, int b) { return done_[static_cast<std::size_t>(number(g, b))]; }

  // Runs the next step of a block if it need not wait.
  bool advance(Rank g, int b) {
    const MscclBlock& tb = block(g, b);
    const int s = done(g, b);
    if (s == static_cast<int>(tb.steps.size())) return false;
    const MscclStep& step = tb.steps[static_cast<std::size_t>(s)];
    if (step.awaited_block >= 0 && done(g, step.awaited_block) <= step.awaited_step) return false;
    auto& incoming = queues_[{tb.receive, g, tb.channel}];
    if (step.receives() && incoming.empty()) return false;
    imported_.at = {g, b, s};
    const int me = number(g, b);
    if (step.awaited_block >= 0)
      clocks_.learn(me, {number(g, step.awaited_block), step.awaited_step});
    int received = -1;
    if (step.receives()) {
      const auto [message, count, sent_by] = incoming.front();
      incoming.pop_front();
      received = message;
      clocks_.learn(me, sent_by);
      if (count != step.count)
        imported_.wrong(fmt::format("receives {} chunks, but gpu {} sends {}", step.count,
                                    messages_[message].from, count));
    }
    clocks_.start({me, s});
    perform(g, tb, step, {me, s}, received);
    clocks_.finish({me, s});
    ++done(g, b);
    return true;
  }

  void perform(Rank g, const MscclBlock& tb, const MscclStep& step, const StepNumber& me,
               int received) {
    using Kind = MscclStep::Kind;
    switch (step.kind) {
      case Kind::nop:
        return;
      case Kind::s:
        return send(g, tb, step, step.source, step.source_at, me);
      case Kind::r:
        return memory_.receive(g, step, me, received, ActionKind::replace);
      case Kind::rcs:
        memory_.receive(g, step, me, received, ActionKind::replace);
        return send(g, tb, step, step.target, step.target_at, me);
      case Kind::rrs:
        memory_.pass_on(g, step, me, received);
        return send(g, tb, step, step.source, step.source_at, me);
      case Kind::rrc:
      case Kind::rrcs:
        memory_.receive(g, step, me, received, ActionKind::reduce);
        if (step.kind == Kind::rrcs) send(g, tb, step, step.target, step.target_at, me);
        return;
      case Kind::cpy:
      case Kind::re:
        return memory_.local(g, step, me);
    }
  }

  void send(Rank g, const MscclBlock& tb, const MscclStep& step, char buffer, int at,
            const StepNumber& me) {
    if (buffer == 's')
      imported_.wrong("sends from scratch memory, which rounds do not have: send from i or o");
    const int message = messages_.add(g, tb.send, imported_.chunk_at(g, buffer, at), step.count);
    memory_.send(g, buffer, at, step.count, message, step.kind == MscclStep::Kind::s, me);
    queues_[{g, tb.send, tb.channel}].push_back({message, step.count, me});
  }

  Script script() {
    if (!messages_.set_levels())
      imported_.wrong("its messages wait for one another in a circle, so they form no rounds");
    const Rank ranks = imported_.ranks();
    const ChunkLayout layout{imported_.chunks, ranks, is_owned(imported_.collective)};
    if (layout.lanes() > kMostLanes)
      imported_.wrong(
          fmt::format("{} chunks on {} GPUs make too many lanes", imported_.chunks, ranks));
    return {.name = "file:" + imported_.path,
            .source = imported_.path,
            .collective = imported_.collective,
            .ranks = ranks,
            .root = imported_.program.root,
            .lanes = messages_.lanes(layout)};
  }

  struct Sent {
    int message = 0, count = 0;
    StepNumber by;
  };

  ImportedProgram imported_;
  const std::vector<int> first_blocks_;
  StepClocks clocks_;
  std::vector<int> done_;
  MessageRounds messages_;
  ChunkMemory memory_;
  std::map<std::tuple<Rank, Rank, int>, std::deque<Sent>> queues_;
};

}  // namespace

Script script_of(const MscclProgram& program, const std::string& path) {
  return Importer(program, path).run();
}

}  // namespace arlab::bench
