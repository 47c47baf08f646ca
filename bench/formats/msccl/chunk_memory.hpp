// ChunkMemory: what lies in the memory of all GPUs while a program is imported, and which messages
// must come before which because they use the same chunks.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/formats/msccl/message_rounds.hpp"
#include "bench/formats/msccl/program.hpp"
#include "bench/formats/msccl/step_clocks.hpp"

namespace arlab::bench {

/// A program as a collective of one vector, and the step that an error names.
struct ImportedProgram {
  const MscclProgram& program;
  const std::string& path;
  Collective collective;
  int chunks;  ///< of the vector
  int own;     ///< chunks of a GPU's own part in an all-gather or a reduce-scatter
  struct {
    Rank gpu = -1;
    int block = 0, step = 0;
  } at{};

  Rank ranks() const { return static_cast<Rank>(program.gpus.size()); }
  /// Throws Error(usage) that names the file and the step.
  [[noreturn]] void wrong(const std::string& what) const;
  /// Returns the chunk of the vector that a place in a buffer, i or o, is. In all-gather and
  /// reduce-scatter the smaller buffer is the GPU's own part of the larger one.
  int chunk_at(Rank gpu, char buffer, int place) const;
};

/// Refuses, with ImportedProgram::wrong(), steps that use the same memory in no order, and what
/// rounds cannot do.
class ChunkMemory {
 public:
  /// `first_blocks` is the number of each GPU's first block. Keeps references to all four.
  ChunkMemory(const ImportedProgram& imported, const std::vector<int>& first_blocks,
              const StepClocks& clocks, MessageRounds& messages);

  /// In what follows, `message` is the number of its first chunk.
  /// The step `me` sends chunks as this message; it reads them unless it has just received them.
  void send(Rank gpu, char buffer, int at, int count, int message, bool reads,
            const StepNumber& me);
  /// The step `me` receives a message and stores it, or its sum with what is there.
  void receive(Rank gpu, const MscclStep& step, const StepNumber& me, int message, ActionKind kind);
  /// The step `me` receives a message and will send its sum with what is there, without storing it.
  void pass_on(Rank gpu, const MscclStep& step, const StepNumber& me, int message);
  /// The step `me` copies or adds within its GPU.
  void local(Rank gpu, const MscclStep& step, const StepNumber& me);
  /// Every GPU has what its collective gives it, and every message was used.
  void expect_results() const;

 private:
  struct Cell {
    StepNumber writer;
    std::vector<StepNumber> readers;
    // Messages that wrote since the last one that replaced, and that read since the last write.
    std::vector<int> writing, reading;
    bool last_replaced = false;
    bool stale = false;  // a sum was passed on, but not stored
    // If input and output are two buffers:
    bool output_written = false;
    bool copied = false;  // the output holds what the input holds, from this step on
    StepNumber copier;
  };
  struct ScratchCell {
    StepNumber writer, reader;  // the last of each
    std::vector<int> messages;  // of which a chunk lies here, or the sum of several
  };
  struct Memory {
    std::vector<Cell> vector;
    std::vector<ScratchCell> scratch;
  };

  Cell& cell(Rank gpu, char buffer, int at);
  void expect_before(const StepNumber& other, const StepNumber& me, char buffer, int at) const;
  void read(Rank gpu, char buffer, int at, const StepNumber& me);
  void write(Rank gpu, char buffer, int at, const StepNumber& me);
  void order(int before, int after, int distance);
  void receive_into_scratch(Rank gpu, const MscclStep& step, const StepNumber& me, int message);
  void store(Rank gpu, char buffer, int at, int count, int message, ActionKind kind);
  void store_chunk(Rank gpu, char buffer, int at, int message, ActionKind kind);
  void add_in_scratch(Rank gpu, const MscclStep& step, const StepNumber& me);
  std::vector<int> take_from_scratch(Rank gpu, int at, const StepNumber& me);
  void rewrite(Rank gpu, const MscclStep& step, const StepNumber& me, bool adds);

  const ImportedProgram& imported_;
  const std::vector<int>& first_blocks_;
  const StepClocks& clocks_;
  MessageRounds& messages_;
  std::vector<Memory> memory_;
  std::set<int> unused_;  // chunks of messages in scratch memory
};

}  // namespace arlab::bench
