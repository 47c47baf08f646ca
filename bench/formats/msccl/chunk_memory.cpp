#include "bench/formats/msccl/chunk_memory.hpp"

#include <fmt/format.h>

#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/spec.hpp"

namespace arlab::bench {

void ImportedProgram::wrong(const std::string& what) const {
  const std::string where =
      at.gpu < 0 ? "" : fmt::format("gpu {}, tb {}, step {}: ", at.gpu, at.block, at.step);
  fail(Blame::usage, fmt::format("{}: {}{}", path, where, what));
}

int ImportedProgram::chunk_at(Rank g, char buffer, int place) const {
  const bool part = (collective == Collective::all_gather && buffer == 'i') ||
                    (collective == Collective::reduce_scatter && buffer == 'o');
  const int chunk = place + (part ? g * own : 0);
  if (chunk >= chunks || (part && place >= own))
    wrong(fmt::format("uses chunk {} of buffer {}, but {} has {}", place, buffer,
                      part ? "a GPU's part" : "the vector", part ? own : chunks));
  return chunk;
}

ChunkMemory::ChunkMemory(const ImportedProgram& imported, const std::vector<int>& first_blocks,
                         const StepClocks& clocks, MessageRounds& messages)
    : imported_(imported), first_blocks_(first_blocks), clocks_(clocks), messages_(messages) {
  for (const MscclGpu& gpu : imported.program.gpus) {
    Memory memory;
    memory.vector.resize(static_cast<std::size_t>(imported.chunks));
    memory.scratch.resize(static_cast<std::size_t>(gpu.scratch));
    memory_.push_back(std::move(memory));
  }
}

ChunkMemory::Cell& ChunkMemory::cell(Rank g, char buffer, int at) {
  return memory_[index(g)].vector[static_cast<std::size_t>(imported_.chunk_at(g, buffer, at))];
}

void ChunkMemory::expect_before(const StepNumber& other, const StepNumber& me, char buffer,
                                int at) const {
  if (clocks_.before(other, me)) return;
  Rank gpu = 0;
  while (index(gpu) + 1 < first_blocks_.size() && first_blocks_[index(gpu) + 1] <= other.block)
    ++gpu;
  imported_.wrong(
      fmt::format("uses chunk {} of buffer {} at the same time as tb {}, step {}: let one await "
                  "the other",
                  at, buffer, other.block - first_blocks_[index(gpu)], other.step));
}

void ChunkMemory::read(Rank g, char buffer, int at, const StepNumber& me) {
  Cell& c = cell(g, buffer, at);
  expect_before(c.writer, me, buffer, at);
  if (c.stale)
    imported_.wrong(fmt::format(
        "uses chunk {} of buffer {}, whose sum was passed on (rrs) but not stored", at, buffer));
  if (buffer == 'o' && c.copied)
    expect_before(c.copier, me, buffer, at);
  else if (!imported_.program.in_place && (buffer == 'o') != c.output_written)
    imported_.wrong(fmt::format(
        "reads chunk {} of buffer {}, {}", at, buffer,
        buffer == 'o' ? "which holds nothing yet" : "whose output has another value by now"));
  c.readers.push_back(me);
}

void ChunkMemory::write(Rank g, char buffer, int at, const StepNumber& me) {
  Cell& c = cell(g, buffer, at);
  expect_before(c.writer, me, buffer, at);
  for (const StepNumber& reader : c.readers)
    if (!(reader == me)) expect_before(reader, me, buffer, at);
  if (c.copied) expect_before(c.copier, me, buffer, at);
  c.readers.clear();
  c.writer = me;
  if (imported_.program.in_place) return;
  if (buffer == 'i' && (c.output_written || c.copied))
    imported_.wrong(
        fmt::format("writes chunk {} of the input, whose output is written already", at));
  c.output_written = buffer == 'o';
  c.copied = false;
}

void ChunkMemory::order(int before, int after, int distance) {
  if (!messages_.order(before, after, distance))
    imported_.wrong("has too many uses of one chunk to check");
}

void ChunkMemory::send(Rank g, char buffer, int at, int count, int message, bool reads,
                       const StepNumber& me) {
  for (int i = 0; i < count; ++i) {
    Cell& c = cell(g, buffer, at + i);
    if (reads) read(g, buffer, at + i, me);
    for (const int writer : c.writing) order(writer, message + i, 1);
    c.reading.push_back(message + i);
  }
}

void ChunkMemory::receive(Rank g, const MscclStep& step, const StepNumber& me, int message,
                          ActionKind kind) {
  if (step.target == 's') {
    if (kind == ActionKind::reduce)
      imported_.wrong("adds into scratch memory, which rounds do not have");
    return receive_into_scratch(g, step, me, message);
  }
  if (kind == ActionKind::reduce)
    for (int i = 0; i < step.count; ++i) {
      if (step.source == 's' || imported_.chunk_at(g, step.source, step.source_at + i) !=
                                    imported_.chunk_at(g, step.target, step.target_at + i))
        imported_.wrong("adds to another chunk than it stores: rounds add in place");
      read(g, step.source, step.source_at + i, me);
    }
  for (int i = 0; i < step.count; ++i) write(g, step.target, step.target_at + i, me);
  store(g, step.target, step.target_at, step.count, message, kind);
}

void ChunkMemory::receive_into_scratch(Rank g, const MscclStep& step, const StepNumber& me,
                                       int message) {
  for (int i = 0; i < step.count; ++i) {
    ScratchCell& c = memory_[index(g)].scratch[static_cast<std::size_t>(step.target_at + i)];
    expect_before(c.writer, me, 's', step.target_at + i);
    expect_before(c.reader, me, 's', step.target_at + i);
    if (!c.messages.empty())
      imported_.wrong("overwrites a message in scratch memory that nobody has used");
    c = {me, {}, {message + i}};
    unused_.insert(message + i);
  }
}

void ChunkMemory::pass_on(Rank g, const MscclStep& step, const StepNumber& me, int message) {
  if (step.source == 's') imported_.wrong("adds into scratch memory, which rounds do not have");
  for (int i = 0; i < step.count; ++i) read(g, step.source, step.source_at + i, me);
  store(g, step.source, step.source_at, step.count, message, ActionKind::reduce);
  for (int i = 0; i < step.count; ++i) cell(g, step.source, step.source_at + i).stale = true;
}

// The message ends in this place of the vector, as a whole.
void ChunkMemory::store(Rank g, char buffer, int at, int count, int message, ActionKind kind) {
  messages_.join(message, count);
  for (int i = 0; i < count; ++i) store_chunk(g, buffer, at + i, message + i, kind);
}

void ChunkMemory::store_chunk(Rank g, char buffer, int at, int message, ActionKind kind) {
  ChunkMessage& m = messages_[message];
  m.kind = kind;
  if (imported_.chunk_at(g, buffer, at) != m.chunk)
    imported_.wrong(
        fmt::format("stores chunk {} of gpu {} as chunk {}: rounds keep chunks in their place",
                    m.chunk, m.from, imported_.chunk_at(g, buffer, at)));
  Cell& c = cell(g, buffer, at);
  const bool adds = kind == ActionKind::reduce;
  for (const int reader : c.reading)
    if (reader != message) order(reader, message, adds ? 0 : 1);
  for (std::size_t w = 0; w < c.writing.size(); ++w)
    order(c.writing[w], message, adds && !(w == 0 && c.last_replaced) ? 0 : 1);
  if (!adds) {
    c.writing.clear();
    c.last_replaced = true;
    c.stale = false;
  }
  c.writing.push_back(message);
  c.reading.clear();
}

// What lies in scratch memory may be used in parts, and parts of several messages together.
void ChunkMemory::local(Rank g, const MscclStep& step, const StepNumber& me) {
  const bool adds = step.kind == MscclStep::Kind::re;
  if (step.target == 's') return add_in_scratch(g, step, me);
  if (step.source != 's') return rewrite(g, step, me, adds);
  for (int i = 0; i < step.count; ++i) {
    const std::vector<int> messages = take_from_scratch(g, step.source_at + i, me);
    if (adds) read(g, step.target, step.target_at + i, me);
    write(g, step.target, step.target_at + i, me);
    for (const int message : messages) {
      unused_.erase(message);
      store_chunk(g, step.target, step.target_at + i, message,
                  adds || message != messages.front() ? ActionKind::reduce : ActionKind::replace);
    }
  }
}

// Rounds add all of these messages where their sum goes at last.
void ChunkMemory::add_in_scratch(Rank g, const MscclStep& step, const StepNumber& me) {
  if (step.kind != MscclStep::Kind::re || step.source != 's')
    imported_.wrong("copies into scratch memory, which rounds do not have");
  for (int i = 0; i < step.count; ++i) {
    std::vector<int> messages = take_from_scratch(g, step.target_at + i, me);
    for (const int message : take_from_scratch(g, step.source_at + i, me))
      messages.push_back(message);
    ScratchCell& sum = memory_[index(g)].scratch[static_cast<std::size_t>(step.target_at + i)];
    sum.messages = std::move(messages);
    sum.writer = me;
  }
}

std::vector<int> ChunkMemory::take_from_scratch(Rank g, int at, const StepNumber& me) {
  ScratchCell& c = memory_[index(g)].scratch[static_cast<std::size_t>(at)];
  expect_before(c.writer, me, 's', at);
  if (c.messages.empty())
    imported_.wrong(fmt::format(
        "uses chunk {} of scratch memory, where no message lies that was not used yet", at));
  c.reader = me;
  return std::exchange(c.messages, {});
}

// A copy of a chunk onto itself changes nothing; every other one moves or adds chunks.
void ChunkMemory::rewrite(Rank g, const MscclStep& step, const StepNumber& me, bool adds) {
  for (int i = 0; i < step.count; ++i) {
    if (adds || imported_.chunk_at(g, step.source, step.source_at + i) !=
                    imported_.chunk_at(g, step.target, step.target_at + i))
      imported_.wrong("moves or adds chunks within a GPU, which rounds do not");
    read(g, step.source, step.source_at + i, me);
    Cell& c = cell(g, step.target, step.target_at + i);
    if (!imported_.program.in_place && step.source == 'i' && step.target == 'o' &&
        !c.output_written) {
      c.copied = true;
      c.copier = me;
    } else {
      write(g, step.target, step.target_at + i, me);
    }
  }
}

void ChunkMemory::expect_results() const {
  if (!unused_.empty()) {
    const ChunkMessage& m = messages_[*unused_.begin()];
    imported_.wrong(fmt::format(
        "gpu {} never uses a message of gpu {} that it received in scratch memory", m.to, m.from));
  }
  const Spec spec({.collective = imported_.collective,
                   .ranks = imported_.ranks(),
                   .root = imported_.program.root});
  const bool parted = imported_.collective == Collective::reduce_scatter;
  for (Rank g = 0; g < imported_.ranks(); ++g)
    for (int c = 0; c < imported_.chunks; ++c) {
      if (!spec.needs_at_end(g, parted ? c / imported_.own : 0)) continue;
      const Cell& end = memory_[index(g)].vector[static_cast<std::size_t>(c)];
      if (end.stale)
        imported_.wrong(fmt::format("gpu {} ends without a stored value of chunk {}", g, c));
      if (!imported_.program.in_place && !end.output_written && !end.copied)
        imported_.wrong(fmt::format("gpu {} ends without a value of chunk {} in its output", g, c));
    }
}

}  // namespace arlab::bench
