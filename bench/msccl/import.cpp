#include "bench/msccl/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/spec.hpp"
#include "bench/msccl/message_rounds.hpp"
#include "bench/msccl/step_clocks.hpp"

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

class Importer {
 public:
  Importer(const MscclProgram& program, const std::string& path)
      : program_(program), path_(path), collective_(collective_of(program, path)) {
    const auto ranks = static_cast<int>(program.gpus.size());
    const bool parted =
        collective_ == Collective::all_gather || collective_ == Collective::reduce_scatter;
    if (parted && program.chunks != ranks && program.chunks != 1)
      wrong(fmt::format("nchunksperloop is {}: {} is read with one chunk per GPU", program.chunks,
                        program.collective));
    chunks_ = parted ? ranks : program.chunks;
    std::size_t blocks = 0, steps = 0, cells = 0, uses = 0;
    for (const MscclGpu& gpu : program.gpus) {
      cells += static_cast<std::size_t>(chunks_) + static_cast<std::size_t>(gpu.scratch);
      for (const MscclBlock& block : gpu.blocks)
        for (const MscclStep& step : block.steps) uses += static_cast<std::size_t>(step.count);
    }
    if (cells > kMostCells || uses > kMostUses)
      wrong(fmt::format("{} chunks of memory and {} uses of them are too many to check", cells,
                        uses));
    for (std::size_t g = 0; g < program.gpus.size(); ++g) {
      const MscclGpu& gpu = program.gpus[g];
      first_block_.push_back(static_cast<int>(blocks));
      blocks += gpu.blocks.size();
      for (const MscclBlock& block : gpu.blocks) steps += block.steps.size();
      Memory memory;
      memory.vector.resize(static_cast<std::size_t>(chunks_));
      memory.scratch.resize(static_cast<std::size_t>(gpu.scratch));
      memory_.push_back(std::move(memory));
    }
    if (blocks * std::max(blocks, steps) > kMostClocks)
      wrong(fmt::format("{} thread blocks with {} steps are too many to check", blocks, steps));
    clocks_ = StepClocks(blocks);
    done_.resize(blocks);
  }

  Script run() {
    for (bool any = true; any;) {
      any = false;
      for (Rank g = 0; index(g) < program_.gpus.size(); ++g)
        for (int b = 0; b < blocks_of(g); ++b)
          while (advance(g, b)) any = true;
    }
    for (Rank g = 0; index(g) < program_.gpus.size(); ++g)
      for (int b = 0; b < blocks_of(g); ++b)
        if (done(g, b) < static_cast<int>(block(g, b).steps.size())) {
          at_ = {g, b, done(g, b)};
          wrong("never runs: its peer or an awaited step does not come to it");
        }
    for (const auto& [key, waiting] : queues_)
      if (!waiting.empty())
        wrong(fmt::format("gpu {} never receives a message of gpu {} on channel {}",
                          std::get<1>(key), std::get<0>(key), std::get<2>(key)));
    expect_results();
    return script();
  }

 private:
  using Access = StepNumber;
  struct Cell {
    Access writer;
    std::vector<Access> readers;
    // Messages that wrote since the last one that replaced, and that read since the last write.
    std::vector<int> writing, reading;
    bool last_replaced = false;
    bool stale = false;           // a sum was passed on, but not stored
    bool output_written = false;  // if input and output are two buffers
  };
  struct ScratchCell {
    Access writer;
    int message = -1;  // that lies here
    int part = 0;
  };
  struct Memory {
    std::vector<Cell> vector;
    std::vector<ScratchCell> scratch;
  };
  struct Where {
    Rank gpu = -1;
    int block = 0, step = 0;
  };

  [[noreturn]] void wrong(const std::string& what) const {
    const std::string where =
        at_.gpu < 0 ? "" : fmt::format("gpu {}, tb {}, step {}: ", at_.gpu, at_.block, at_.step);
    fail(Blame::usage, fmt::format("{}: {}{}", path_, where, what));
  }

  const MscclBlock& block(Rank g, int b) const {
    return program_.gpus[index(g)].blocks[static_cast<std::size_t>(b)];
  }
  int blocks_of(Rank g) const { return static_cast<int>(program_.gpus[index(g)].blocks.size()); }
  int number(Rank g, int b) const { return first_block_[index(g)] + b; }
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
    at_ = {g, b, s};
    const int me = number(g, b);
    if (step.awaited_block >= 0)
      clocks_.learn(me, {number(g, step.awaited_block), step.awaited_step});
    int received = -1;
    if (step.receives()) {
      const auto [message, sent_by] = incoming.front();
      incoming.pop_front();
      received = message;
      clocks_.learn(me, sent_by);
      const ChunkMessage& m = messages_[message];
      if (m.count != step.count)
        wrong(fmt::format("receives {} chunks, but gpu {} sends {}", step.count, m.from, m.count));
    }
    clocks_.start({me, s});
    perform(g, tb, step, {me, s}, received);
    clocks_.finish({me, s});
    ++done(g, b);
    return true;
  }

  void perform(Rank g, const MscclBlock& tb, const MscclStep& step, Access me, int received) {
    using Kind = MscclStep::Kind;
    switch (step.kind) {
      case Kind::nop:
        return;
      case Kind::s:
        return send(g, tb, step, step.source, step.source_at, me);
      case Kind::r:
        return receive(g, step, me, received, ActionKind::replace);
      case Kind::rcs:
        receive(g, step, me, received, ActionKind::replace);
        return send(g, tb, step, step.target, step.target_at, me);
      case Kind::rrs: {
        MscclStep stored = step;
        stored.target = step.source, stored.target_at = step.source_at;
        receive(g, stored, me, received, ActionKind::reduce, true);
        send(g, tb, step, step.source, step.source_at, me);
        for (int i = 0; i < step.count; ++i) cell(g, step.source, step.source_at + i).stale = true;
        return;
      }
      case Kind::rrc:
      case Kind::rrcs:
        receive(g, step, me, received, ActionKind::reduce);
        if (step.kind == Kind::rrcs) send(g, tb, step, step.target, step.target_at, me);
        return;
      case Kind::cpy:
      case Kind::re:
        return local(g, step, me);
    }
  }

  // The chunk of the vector that a place in a buffer is. In all-gather and reduce-scatter the
  // smaller buffer is the GPU's own part of the larger one.
  int chunk_at(Rank g, char buffer, int at) const {
    const bool part = (collective_ == Collective::all_gather && buffer == 'i') ||
                      (collective_ == Collective::reduce_scatter && buffer == 'o');
    const int chunk = at + (part ? g : 0);
    if (chunk >= chunks_ || (part && at > 0))
      wrong(fmt::format("uses chunk {} of buffer {}, but the vector has {}", at, buffer, chunks_));
    return chunk;
  }
  Cell& cell(Rank g, char buffer, int at) {
    return memory_[index(g)].vector[static_cast<std::size_t>(chunk_at(g, buffer, at))];
  }

  void expect_before(const Access& other, const Access& me, char buffer, int at) const {
    if (clocks_.before(other, me)) return;
    Rank gpu = 0;
    while (index(gpu) + 1 < first_block_.size() && first_block_[index(gpu) + 1] <= other.block)
      ++gpu;
    wrong(
        fmt::format("uses chunk {} of buffer {} at the same time as tb {}, step {}: let one await "
                    "the other",
                    at, buffer, other.block - first_block_[index(gpu)], other.step));
  }

  void read(Rank g, char buffer, int at, Access me) {
    Cell& c = cell(g, buffer, at);
    expect_before(c.writer, me, buffer, at);
    if (c.stale)
      wrong(fmt::format("uses chunk {} of buffer {}, whose sum was passed on (rrs) but not stored",
                        at, buffer));
    if (!program_.in_place && (buffer == 'o') != c.output_written)
      wrong(fmt::format(
          "reads chunk {} of buffer {}, {}", at, buffer,
          buffer == 'o' ? "which holds nothing yet" : "whose output has another value by now"));
    c.readers.push_back(me);
  }
  void write(Rank g, char buffer, int at, Access me) {
    Cell& c = cell(g, buffer, at);
    expect_before(c.writer, me, buffer, at);
    for (const Access& reader : c.readers)
      if (!(reader == me)) expect_before(reader, me, buffer, at);
    c.readers.clear();
    c.writer = me;
    if (program_.in_place) return;
    if (buffer == 'i' && c.output_written)
      wrong(fmt::format("writes chunk {} of the input, whose output is written already", at));
    c.output_written = buffer == 'o';
  }

  void order(int before, int after, int distance) {
    if (!messages_.order(before, after, distance)) wrong("has too many uses of one chunk to check");
  }

  void send(Rank g, const MscclBlock& tb, const MscclStep& step, char buffer, int at, Access me) {
    if (buffer == 's')
      wrong("sends from scratch memory, which rounds do not have: send from i or o");
    const int id = messages_.add({g, tb.send, chunk_at(g, buffer, at), step.count});
    for (int i = 0; i < step.count; ++i) {
      Cell& c = cell(g, buffer, at + i);
      if (step.kind == MscclStep::Kind::s) read(g, buffer, at + i, me);
      for (const int writer : c.writing) order(writer, id, 1);
      c.reading.push_back(id);
    }
    queues_[{g, tb.send, tb.channel}].push_back({id, me});
  }

  void receive(Rank g, const MscclStep& step, Access me, int id, ActionKind kind,
               bool passes_on = false) {
    if (step.target == 's') {
      if (kind == ActionKind::reduce) wrong("adds into scratch memory, which rounds do not have");
      for (int i = 0; i < step.count; ++i) {
        ScratchCell& c = memory_[index(g)].scratch[static_cast<std::size_t>(step.target_at + i)];
        expect_before(c.writer, me, 's', step.target_at + i);
        if (c.message >= 0) wrong("overwrites a message in scratch memory that nobody has used");
        c = {me, id, i};
      }
      ++unused_[id];
      return;
    }
    if (kind == ActionKind::reduce)
      for (int i = 0; i < step.count; ++i) {
        if (step.source == 's' || chunk_at(g, step.source, step.source_at + i) !=
                                      chunk_at(g, step.target, step.target_at + i))
          wrong("adds to another chunk than it stores: rounds add in place");
        read(g, step.source, step.source_at + i, me);
      }
    for (int i = 0; i < step.count && !passes_on; ++i)
      write(g, step.target, step.target_at + i, me);
    store(g, step.target, step.target_at, step.count, id, kind);
  }

  // The message ends in this place of the vector.
  void store(Rank g, char buffer, int at, int count, int id, ActionKind kind) {
    ChunkMessage& m = messages_[id];
    m.kind = kind;
    if (chunk_at(g, buffer, at) != m.chunk)
      wrong(fmt::format("stores chunk {} of gpu {} as chunk {}: rounds keep chunks in their place",
                        m.chunk, m.from, chunk_at(g, buffer, at)));
    for (int i = 0; i < count; ++i) {
      Cell& c = cell(g, buffer, at + i);
      const bool adds = kind == ActionKind::reduce;
      for (const int reader : c.reading)
        if (reader != id) order(reader, id, adds ? 0 : 1);
      for (std::size_t w = 0; w < c.writing.size(); ++w)
        order(c.writing[w], id, adds && !(w == 0 && c.last_replaced) ? 0 : 1);
      if (!adds) {
        c.writing.clear();
        c.last_replaced = true;
        c.stale = false;
      }
      c.writing.push_back(id);
      c.reading.clear();
    }
  }

  void local(Rank g, const MscclStep& step, Access me) {
    const bool adds = step.kind == MscclStep::Kind::re;
    if (step.target == 's') wrong("copies into scratch memory, which rounds do not have");
    if (step.source != 's') {
      for (int i = 0; i < step.count; ++i) {
        if (adds || chunk_at(g, step.source, step.source_at + i) !=
                        chunk_at(g, step.target, step.target_at + i))
          wrong("moves or adds chunks within a GPU, which rounds do not");
        read(g, step.source, step.source_at + i, me);
        write(g, step.target, step.target_at + i, me);
      }
      return;
    }
    auto& scratch = memory_[index(g)].scratch;
    const int id = scratch[static_cast<std::size_t>(step.source_at)].message;
    for (int i = 0; i < step.count; ++i) {
      ScratchCell& c = scratch[static_cast<std::size_t>(step.source_at + i)];
      expect_before(c.writer, me, 's', step.source_at + i);
      if (c.message < 0 || c.message != id || c.part != i || step.count != messages_[id].count)
        wrong("uses a part of scratch memory that is not one whole message");
      c.message = -1;
      c.writer = me;
      if (adds) read(g, step.target, step.target_at + i, me);
      write(g, step.target, step.target_at + i, me);
    }
    unused_.erase(id);
    store(g, step.target, step.target_at, step.count, id,
          adds ? ActionKind::reduce : ActionKind::replace);
  }

  void expect_results() {
    at_ = {};
    if (!unused_.empty()) {
      const ChunkMessage& m = messages_[unused_.begin()->first];
      wrong(fmt::format("gpu {} never uses a message of gpu {} that it received in scratch memory",
                        m.to, m.from));
    }
    const Spec spec({.collective = collective_,
                     .ranks = static_cast<Rank>(program_.gpus.size()),
                     .root = program_.root});
    const bool parted = collective_ == Collective::reduce_scatter;
    for (Rank g = 0; index(g) < program_.gpus.size(); ++g)
      for (int c = 0; c < chunks_; ++c) {
        if (!spec.needs_at_end(g, parted ? c : 0)) continue;
        const Cell& end = memory_[index(g)].vector[static_cast<std::size_t>(c)];
        if (end.stale) wrong(fmt::format("gpu {} ends without a stored value of chunk {}", g, c));
        if (!program_.in_place && !end.output_written)
          wrong(fmt::format("gpu {} ends without a value of chunk {} in its output", g, c));
      }
  }

  Script script() {
    if (!messages_.set_levels())
      wrong("its messages wait for one another in a circle, so they form no rounds");
    const auto ranks = static_cast<Rank>(program_.gpus.size());
    if (lanes_for(chunks_, ranks) > kMostLanes)
      wrong(fmt::format("{} chunks on {} GPUs make too many lanes", chunks_, ranks));
    return {.name = "file:" + path_,
            .source = path_,
            .collective = collective_,
            .ranks = ranks,
            .root = program_.root,
            .lanes = messages_.lanes(chunks_, ranks)};
  }

  const MscclProgram& program_;
  const std::string& path_;
  Collective collective_;
  int chunks_ = 0;
  Where at_;
  std::vector<int> first_block_;  // of each GPU
  std::vector<Memory> memory_;
  StepClocks clocks_;
  std::vector<int> done_;
  MessageRounds messages_;
  std::map<int, int> unused_;  // messages in scratch memory
  std::map<std::tuple<Rank, Rank, int>, std::deque<std::pair<int, Access>>> queues_;
};

}  // namespace

Script script_of(const MscclProgram& program, const std::string& path) {
  return Importer(program, path).run();
}

}  // namespace arlab::bench
