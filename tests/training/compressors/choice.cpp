// Compressor specs: what they mean, and the messages for invalid ones.
#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "training/compressors/compressor.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

TEST_CASE("a spec sets the parameters that it names and leaves the others") {
  const CompressorChoice choice = choose_compressor("topk:ratio=0.25,halves=1");
  CHECK(choice.values.at("ratio") == 0.25);
  CHECK(choice.values.at("halves") == 1);
  CHECK(choice.values.at("k") == 0);
  CHECK(choice.feedback);
  CHECK_FALSE(choose_compressor("topk:feedback=off").feedback);
  CHECK(choose_compressor("int8:feedback=on").feedback);
  CHECK_FALSE(choose_compressor("qsgd").feedback);
}

TEST_CASE("the text of a choice is an equivalent spec") {
  for (const CompressorKind& kind : compressors()) {
    const CompressorChoice choice = choose_compressor(kind, {});
    const CompressorChoice again = choose_compressor(text(choice));
    CHECK(again.kind == choice.kind);
    CHECK(again.values == choice.values);
    CHECK(again.feedback == choice.feedback);
  }
}

TEST_CASE("rejects invalid specs, naming the bad part") {
  const auto said = [](const char* spec) -> std::string {
    try {
      choose_compressor(spec);
    } catch (const Error& error) {
      CHECK(error.blame() == Blame::usage);
      return error.what();
    }
    return "nothing";
  };
  CHECK_THAT(said("topkk"), contains("unknown compressor 'topkk', did you mean 'topk'?"));
  CHECK_THAT(said(""), contains("unknown compressor ''"));
  CHECK_THAT(said("topk:ration=1"), contains("no parameter 'ration', did you mean 'ratio'?"));
  CHECK_THAT(said("topk:ratio=x"), contains("ratio of compressor topk 'x' is not a number"));
  CHECK_THAT(said("topk:ratio="), contains("'' is not a number"));
  CHECK_THAT(said("topk:ratio"), contains("setting 'ratio' has no value"));
  CHECK_THAT(said("topk:ratio=2"), contains("is 2: give a number from 1e-09 to 1"));
  CHECK_THAT(said("topk:ratio=nan"), contains("'nan' is not a number"));
  CHECK_THAT(said("qsgd:levels=2.5"), contains("'2.5' is not a whole number"));
  CHECK_THAT(said("topk:k=3,k=4"), contains("'k' is set twice"));
  CHECK_THAT(said("topk:feedback=yes"), contains("is 'yes': give on or off"));
  CHECK_THAT(said("dgc:feedback=on"), contains("built in"));
  CHECK_THAT(said("topk:,"), contains("setting '' has no value"));
}

TEST_CASE("error feedback is refused where it would diverge, with what to use instead") {
  const auto said = [](const char* spec) -> std::string {
    try {
      choose_compressor(spec);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  for (const char* spec :
       {"qsgd:feedback=on", "qsgd:levels=1,feedback=on", "qsgd:levels=11,feedback=on",
        "qsgd:levels=127,bucket=1000000,feedback=on", "qsgd:levels=1,bucket=4,feedback=on"})
    CHECK_THAT(said(spec), contains("is not a contraction"));
  CHECK_THAT(said("qsgd:feedback=on"), contains("leave feedback=on out, or use levels=12 or more"));
  CHECK_THAT(said("qsgd:levels=127,bucket=1000000,feedback=on"), contains("use a smaller bucket"));
  for (const char* spec : {"qsgd:levels=12,feedback=on", "qsgd:levels=1,bucket=3,feedback=on",
                           "natural:feedback=on", "int8:feedback=on", "fp16:feedback=on"})
    CHECK(said(spec) == "nothing");
  CHECK_THAT(said("terngrad:feedback=on"), contains("ef_signsgd"));
  CHECK_THAT(said("terngrad:clip=0,feedback=on"), contains("ef_signsgd"));
  CHECK_THAT(said("signsgd:feedback=on"), contains("ef_signsgd"));
}

TEST_CASE("a choice says what whoever trains with it must know") {
  const auto caution = [](const char* spec) { return caution_of(choose_compressor(spec)); };
  for (const char* spec : {"topk:feedback=off", "randomk:feedback=off", "onebit:feedback=off",
                           "powersgd:feedback=off", "threshold:feedback=off"})
    CHECK_THAT(caution(spec), contains("without error feedback"));
  CHECK_THAT(caution("signsgd"), contains("use a small one, such as 0.001"));
  for (const char* spec : {"topk", "fp16", "qsgd", "dgc", "onebit_adam"})
    CHECK(caution(spec) == "");
  CHECK(warm_up_of(choose_compressor("dgc")) == 400);
  CHECK(warm_up_of(choose_compressor("dgc:warm_up=0")) == 0);
  CHECK(warm_up_of(choose_compressor("onebit_adam:freeze=7")) == 7);
  CHECK(warm_up_of(choose_compressor("topk")) == 0);
}

TEST_CASE("parameters are accepted up to their limits and rejected beyond") {
  for (const char* good :
       {"qsgd:levels=1", "qsgd:levels=127", "qsgd:bucket=1", "int8:bucket=1", "topk:halves=0",
        "topk:halves=1", "topk:ratio=1", "powersgd:rank=1", "powersgd:rank=1024", "powersgd:warm=0",
        "powersgd:warm=1", "onebit_adam:freeze=1", "dgc:warm_up=0", "terngrad:clip=0"}) {
    INFO(good);
    CHECK_NOTHROW(choose_compressor(good));
  }
  for (const char* bad :
       {"qsgd:levels=0", "qsgd:levels=128", "qsgd:bucket=0", "int8:bucket=0", "topk:halves=-1",
        "topk:halves=2", "topk:ratio=1.01", "powersgd:rank=0", "powersgd:rank=1025",
        "powersgd:warm=2", "onebit_adam:freeze=0", "dgc:warm_up=-1", "terngrad:clip=-1"}) {
    INFO(bad);
    CHECK_THROWS_AS(choose_compressor(bad), Error);
  }
}

TEST_CASE("rejects what a compressor does not support") {
  CHECK_THROWS_WITH(make_compressor(choose_compressor("topk"), flat(10), Aggregation::allreduce),
                    "compressor topk does not support aggregation allreduce: use all_gather");
  CHECK_THROWS_WITH(make_compressor(choose_compressor("fp16"), {{-1, 3}}, Aggregation::allreduce),
                    contains("-1 x 3 elements"));
  CHECK_THROWS_WITH(
      make_compressor(choose_compressor("fp16"), {{1 << 20, 1 << 20}}, Aggregation::allreduce),
      contains("use 0 to 4294967295"));
  // Positions have 32 bits, so all tensors together have fewer than 2^32 elements.
  const Matrix half{1 << 16, 1 << 15};
  const CompressorChoice sparse =
      choose_compressor("topk:feedback=off");  // allocates when it encodes
  CHECK_THROWS_WITH(make_compressor(sparse, {half, half}, Aggregation::all_gather),
                    contains("a bucket has 4294967296 elements"));
  CHECK_NOTHROW(
      make_compressor(sparse, {half, {1, (Count{1} << 31) - 1}}, Aggregation::all_gather));
}
