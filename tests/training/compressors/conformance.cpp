// Conformance of the catalog: for every compressor, every aggregation it supports and 1 to 8 ranks,
// the bytes sent match the closed form, and all ranks end with the bits of decoding the codes one
// by one.
#include <filesystem>
#include <set>

#include "collectives/counting_communicator.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"
#include "training/compressors/aggregate.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr int kSteps = 4;

struct Case {
  CompressorChoice choice;
  Aggregation aggregation;
  Rank ranks;
  TensorShapes layout;

  Count elements() const { return arlab::training::elements(layout); }
  std::string text() const {
    return arlab::training::text(choice) + " by " + std::string(name(aggregation)) + ", " +
           std::to_string(elements()) + " elements on " + std::to_string(ranks) + " ranks";
  }
};

EncodeContext context(const Case& c, Rank rank, int step) {
  return {.seed = 11, .step = step, .tensor = 3, .rank = rank, .ranks = c.ranks};
}

/// The results and sent bytes of all ranks, by step.
struct Run {
  std::vector<std::vector<std::vector<float>>> out;  // [step][rank]
  std::vector<Count> bytes;                          // [step], all ranks
};

Run run(const Case& c) {
  Run result;
  result.out.assign(kSteps, std::vector<std::vector<float>>(static_cast<std::size_t>(c.ranks)));
  result.bytes.assign(kSteps, 0);
  on_threads(c.ranks, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    const auto aggregator = make_aggregator(c.choice, c.layout, c.aggregation, c.ranks, me);
    for (int step = 0; step < kSteps; ++step) {
      auto x = test::gradient(c.elements(), me, step);
      CountingCommunicator counted(communicator);
      aggregator.run(counted, x, context(c, me, step));
      const Count all = communicator.sum(counted.sent().bytes);
      const auto s = static_cast<std::size_t>(step);
      if (me == 0) result.bytes[s] = all;
      result.out[s][static_cast<std::size_t>(me)] = std::move(x);
    }
  });
  return result;
}

/// The code bytes of all ranks in each step, from separate compressors; for an all-gather also the
/// average of the decoded codes.
struct Expected {
  std::vector<Count> code_bytes;
  std::vector<std::vector<float>> average;
};

Expected encoded_one_by_one(const Case& c) {
  Expected expected;
  std::vector<std::unique_ptr<Compressor>> compressors;
  for (Rank r = 0; r < c.ranks; ++r)
    compressors.push_back(make_compressor(c.choice, c.layout, c.aggregation));
  for (int step = 0; step < kSteps; ++step) {
    Count bytes = 0;
    std::vector<float> sum(static_cast<std::size_t>(c.elements()));
    for (Rank r = 0; r < c.ranks; ++r) {
      const EncodeContext o = context(c, r, step);
      Compressor& compressor = *compressors[static_cast<std::size_t>(r)];
      const auto code = compressor.encode(test::gradient(c.elements(), r, step), o);
      bytes += static_cast<Count>(code.size());
      compressor.decode_add(code, sum, 1, o);
    }
    for (float& v : sum) v /= static_cast<float>(c.ranks);
    compressors[0]->finish(sum, context(c, 0, step));
    expected.code_bytes.push_back(bytes);
    expected.average.push_back(std::move(sum));
  }
  return expected;
}

/// Returns the bytes that all ranks send in a step: the ring's P-1 rounds over the payload, twice
/// for a sum.
Count closed_form(const Case& c, int step, const Expected& expected) {
  const CompressorKind& kind = *c.choice.kind;
  const auto packed = [&](const TensorShapes& layout) {
    return kind.packed(layout, c.choice, c.aggregation, step);
  };
  const Count others = c.ranks - 1;
  if (c.aggregation == Aggregation::allreduce) return 2 * others * packed(c.layout).value();
  if (c.aggregation == Aggregation::all_gather) {
    if (const auto each = packed(c.layout)) return others * c.ranks * *each;
    constexpr Count kSize = 8;  // each rank first sends its code size
    return others * (expected.code_bytes[static_cast<std::size_t>(step)] + c.ranks * kSize);
  }
  Count chunks = 0;
  for (Rank chunk = 0; chunk < c.ranks; ++chunk)
    chunks += packed(flat(Blocks(c.elements(), c.ranks).size(chunk))).value();
  return 2 * others * chunks;
}

void check_case(const Case& c) {
  INFO(c.text());
  const Run got = run(c);
  Expected expected;
  if (c.aggregation == Aggregation::all_gather) expected = encoded_one_by_one(c);
  for (int step = 0; step < kSteps; ++step) {
    const auto s = static_cast<std::size_t>(step);
    CHECK(got.bytes[s] == closed_form(c, step, expected));
    for (Rank r = 1; r < c.ranks; ++r)
      CHECK(test::same_bits(got.out[s][static_cast<std::size_t>(r)], got.out[s][0]));
    if (c.aggregation == Aggregation::all_gather)
      CHECK(test::same_bits(got.out[s][0], expected.average[s]));
  }
}

template <class Use>
void for_all_cases(std::initializer_list<Rank> ranks, std::initializer_list<Count> sizes, Use use) {
  for (const CompressorKind& kind : compressors())
    for (const Aggregation aggregation : kind.aggregations)
      for (const Rank p : ranks)
        for (const Count n : sizes)
          use(Case{test::quick(kind), aggregation, p, test::layout_of(n)});
}

}  // namespace

// A catalog entry has the name of its file.
TEST_CASE("the catalog has all compressors, each under its name") {
  std::set<std::string> files, found;
  for (const auto& entry : std::filesystem::directory_iterator(ARLAB_COMPRESSORS))
    if (entry.path().extension() == ".cpp") files.insert(entry.path().stem());
  for (const CompressorKind& kind : compressors()) {
    CHECK(found.emplace(kind.name).second);
    CHECK(&find_compressor(kind.name) == &kind);
    CHECK_FALSE(kind.aggregations.empty());
    for (const std::string_view text :
         {kind.label, kind.summary, kind.source, kind.size, kind.special_values})
      CHECK_FALSE(text.empty());
    // Requantization must know the sizes of other ranks' chunks.
    if (kind.can(Aggregation::requantize)) {
      CHECK(kind.packed(flat(10), choose_compressor(kind, {}), Aggregation::requantize, 0));
    }
  }
  CHECK(files.size() > 1);
  CHECK(found == files);
}

TEST_CASE("bytes sent match the closed form, and all ranks agree to the bit") {
  for_all_cases({1, 2, 3, 5, 8}, {1000}, check_case);
}

TEST_CASE("few elements work: fewer than ranks, one and none") {
  for_all_cases({1, 3}, {0, 1, 2, 77}, check_case);
}

TEST_CASE("summed or requantized codes are close to the average") {
  for_all_cases({5}, {1000}, [](const Case& c) {
    const std::string_view name = c.choice.kind->name;
    const bool close = name == "fp16" || name == "bf16" || name == "int8";
    if (!close) return;
    INFO(c.text());
    const Run got = run(c);
    std::vector<double> average(1000);
    for (Rank r = 0; r < c.ranks; ++r) {
      const auto x = test::gradient(1000, r, 0);
      for (std::size_t i = 0; i < x.size(); ++i) average[i] += double{x[i]} / c.ranks;
    }
    double worst = 0;
    for (std::size_t i = 0; i < average.size(); ++i)
      worst = std::max(worst, std::fabs(average[i] - double{got.out[0][0][i]}));
    CHECK(worst < 0.012);  // two steps of int8: (2 + 2) / 255 / 2; bf16: 5 additions of 2^-9
  });
}

TEST_CASE("other algorithms exchange codes, too") {
  for (const char* name : {"butterfly", "tree", "master_worker"}) {
    const Routes routes{.allreduce = &find_algorithm(name),
                        .all_gather = &find_algorithm("round_robin")};
    for (const char* spec : {"fp16", "topk:ratio=0.1", "int8"}) {
      const CompressorChoice choice = choose_compressor(spec);
      std::vector<std::vector<float>> out(3);
      on_threads(3, [&](Communicator& communicator) {
        const Rank me = communicator.rank();
        const auto aggregator =
            make_aggregator(choice, flat(100), choice.kind->aggregations[0], 3, me, routes);
        auto x = test::gradient(100, me);
        aggregator.run(communicator, x, {.rank = me, .ranks = 3});
        out[static_cast<std::size_t>(me)] = x;
      });
      INFO(name << " " << spec);
      CHECK(test::same_bits(out[0], out[1]));
      CHECK(test::same_bits(out[0], out[2]));
    }
  }
}
