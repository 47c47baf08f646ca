// Rows of plans and of simulated training, beside direct simulations and sums.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/training/gradient_options.hpp"
#include "bench/training/profiled/alternatives.hpp"
#include "bench/training/profiled/scale_row.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "training/simulation/collective_times.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::contains;
using training::Ranks;
using training::TrainingPlan;

namespace {

struct ScaleCase {
  ScaleOptions options = {};
  std::string network = "10G", scheduler = "buckets", compressor = "none", algorithm = "ring";
  Rank ranks = 8;

  training::ModelProfile profile() const { return options.on_each(options.profile(), ranks); }
  // Calls use(plan, network) while both exist.
  auto with(auto use) const {
    ScaleOptions all = options;
    all.networks = {network};
    const std::vector<ScaleNetwork> wires = all.parsed_networks();
    TrainingPlan plan = all.plan(profile(), scheduler, compressor, ranks);
    const training::MakeNetwork make = all.place(plan, profile(), wires.front());
    plan.algorithm = &choose_algorithm(algorithm, plan, make);
    return use(plan, make);
  }
  ScaleRow row() const {
    return with([&](const TrainingPlan& plan, const training::MakeNetwork& make) {
      return simulated_row({.strategy = options.strategy.name(),
                            .scheduler = scheduler,
                            .compressor = compressor,
                            .batch = profile().batch,
                            .alone = options.alone(profile(), ranks)},
                           plan, make, Ranks::one_for_all);
    });
  }
  double period() const { return row().step; }
  std::vector<Alternative> alternatives() const {
    return with([&](const TrainingPlan& plan, const training::MakeNetwork& make) {
      return alternatives_of(row(), plan, make, options, options.profile());
    });
  }
  std::string_view limit() const { return name(row().limit); }
};

ScaleOptions with_strategy(const char* strategy) {
  ScaleOptions options;
  options.strategy.spec = strategy;
  return options;
}

}  // namespace

TEST_CASE("scale: what limits a step") {
  CHECK(ScaleCase{.network = "1000G"}.limit() == "computation");
  CHECK(ScaleCase{.network = "1000G:latency=20ms", .scheduler = "fifo"}.limit() == "latency");
  CHECK(ScaleCase{.network = "1G"}.limit() == "bandwidth");
  CHECK(ScaleCase{.network = "25G", .scheduler = "none"}.limit() == "order");
  // It fits behind the backward pass, too, but this strategy cannot place it there.
  const ScaleCase after{
      .options = with_strategy("central_storage"), .network = "100G", .algorithm = "tree"};
  CHECK(after.row().steps.communication < after.row().backward);
  CHECK(after.limit() == "bandwidth");
  ScaleCase coding{.network = "100G", .compressor = "fp16"};
  coding.options.codec_cost = "10,10";
  CHECK(coding.limit() == "coding");
  ScaleCase slow{.network = "1000G"};
  slow.options.slowdown = {1, 2};
  CHECK(slow.limit() == "stragglers");
}

TEST_CASE("scale: rows of strategies that send messages themselves") {
  ScaleCase servers{.options = with_strategy("parameter_server"), .ranks = 4};
  servers.options.strategy.spec += ":servers=2";
  const ScaleRow row = servers.row();
  CHECK(row.ranks == 4);
  CHECK(row.servers == 2);
  CHECK(row.algorithm == "direct");
  CHECK(name(row.limit) == "bandwidth");
  CHECK(
      explain(row).find("Use more servers (--strategy parameter_server:servers=4), a compressor") !=
      std::string::npos);
  CHECK(row.step == Approx(row.computation + row.steps.communication));
  CHECK(row.samples_per_second() ==
        Approx(4 * static_cast<double>(row.batch) * kPicosecondsPerSecond / row.step));
  CHECK(to_json(row)["servers"].get<int>() == 2);
  CHECK(to_json(row)["ranks"].get<int>() == 4);
  const std::vector<Alternative> all = servers.alternatives();
  REQUIRE(all.size() == 5);
  CHECK(all[0].saves > 0.2);
  CHECK(all[4].what == "fp16");
  CHECK(all[4].saves > 0.1);

  servers.network = "1000G:latency=10ms";
  const ScaleRow late = servers.row();
  CHECK(name(late.limit) == "latency");
  CHECK(explain(late).find("multi_worker merges gradients") != std::string::npos);

  // Workers of synchronous servers, and in the end stale ones, wait for the slowest.
  for (const char* strategy : {"parameter_server", "stale_synchronous", "async_parameter_server"}) {
    ScaleCase slow{.options = with_strategy(strategy), .network = "1000G", .ranks = 4};
    if (strategy == std::string_view("stale_synchronous"))
      slow.options.strategy.spec += ":staleness=0";
    slow.options.slowdown = {1, 2};
    const bool waits = strategy != std::string_view("async_parameter_server");
    INFO(strategy);
    CHECK(slow.limit() == (waits ? "stragglers" : "computation"));
    // The three fast workers have twice the steps of the slow one.
    CHECK(slow.row().computation ==
          Approx(slow.row().alone * (waits ? 2 : 4 / 3.5)).epsilon(waits ? 1e-5 : 0.02));
  }
  const ScaleCase stale{.options = with_strategy("stale_synchronous"), .ranks = 4};
  CHECK(stale.row().servers == 0);
  CHECK(stale.alternatives().size() == 4);  // no fp16
}

TEST_CASE("scale: workers of asynchronous servers are alike, whichever of them is slow") {
  const auto row_of = [](std::vector<double> slowdown, const char* network) {
    ScaleCase apart{.options = with_strategy("async_parameter_server:servers=4"),
                    .network = network,
                    .ranks = 4};
    apart.options.steps = 24;
    apart.options.slowdown = std::move(slowdown);
    return apart.row();
  };
  for (const char* network : {"10G", "100G", "1000G"}) {
    INFO(network);
    const ScaleRow first = row_of({3, 1, 1, 1}, network), last = row_of({1, 1, 1, 3}, network);
    CHECK(first.step == Approx(last.step).epsilon(0.02));
    CHECK(first.computation == Approx(last.computation).epsilon(0.02));
    CHECK(first.steps.communication == Approx(last.steps.communication).epsilon(0.05));
    CHECK(first.limit == last.limit);
    CHECK(first.limit != Limit::stragglers);
    CHECK(first.step == Approx(first.computation + first.steps.exposed));
  }
}

TEST_CASE("scale: jitter is of all workers, so none is a straggler, and one alone has it, too") {
  ScaleCase one{.network = "1000G", .ranks = 1};
  one.options.jitter = 0.5;
  const ScaleRow alone = one.row();
  CHECK(alone.efficiency() == Approx(1));
  CHECK(alone.limit == Limit::computation);
  CHECK(alone.step == alone.computation);
  ScaleCase eight = one;
  eight.ranks = 8;
  CHECK(eight.limit() == "computation");
  eight.options.slowdown = {1, 2};
  CHECK(eight.limit() == "stragglers");
}

TEST_CASE("scale: advice names only what the strategy has, and a device that is told") {
  const auto sentence = [](const char* strategy, const char* network, const char* algorithm) {
    const ScaleCase one{
        .options = with_strategy(strategy), .network = network, .algorithm = algorithm};
    return explain(one.row(), "a100");
  };
  CHECK_THAT(sentence("multi_worker", "1G", "ring"),
             contains("Send fewer bytes (compressor, larger batches per worker, local_sgd), use"));
  CHECK_THAT(sentence("fsdp", "1G", "ring"),
             contains("Send fewer bytes (larger batches per worker, local_sgd), use"));
  CHECK_THAT(sentence("local_sgd", "1G", "ring"),
             contains("larger batches per worker, a larger every), use"));
  CHECK_THAT(sentence("central_storage", "1000G:latency=20ms", "tree"),
             contains("of the communication: use an algorithm of fewer rounds."));
  CHECK_THAT(sentence("multi_worker", "1G", "ring"), contains("8 workers of a100, "));
}

TEST_CASE("scale: a worker alone has the mean jitter, and a record holds the start-up") {
  ScaleCase jittery;
  jittery.options.jitter = 0.5;
  const ScaleRow plain = ScaleCase{}.row(), row = jittery.row();
  CHECK(row.alone == Approx(1.25 * plain.computation));
  CHECK(row.computation > row.alone);
  const Json record = to_json(plain);
  CHECK(record["startup_us"].get<double>() == plain.steps.startup / 1e6);
  CHECK(record["communication_us"].get<double>() == plain.steps.communication / 1e6);
  CHECK(plain.steps.startup < plain.steps.communication);
}

TEST_CASE("scale: half the bytes are a network of twice the bandwidth") {
  ScaleCase slow{.network = "1G:latency=0"};
  ScaleCase fast = slow;
  fast.network = "2G:latency=0";
  const std::vector<Alternative> all = slow.alternatives();
  REQUIRE(all.size() == 5);
  CHECK(all[0].what == "2x bandwidth");
  CHECK(all[0].saves > 0.1);
  CHECK(std::abs(all[0].saves - (1 - fast.period() / slow.period())) < 1e-5);
}

TEST_CASE("scale: twice the bandwidth codes no faster") {
  for (const char* compressor : {"int8", "powersgd"}) {
    INFO(compressor);
    ScaleCase slow{.network = "100G", .compressor = compressor};
    slow.options.codec_cost = "10,10";
    ScaleCase fast = slow;
    fast.network = "200G";
    CHECK(slow.limit() == "coding");
    const std::vector<Alternative> all = slow.alternatives();
    REQUIRE(all.size() == 4);
    CHECK(all[0].saves < 0.01);
    CHECK(std::abs(all[0].saves - (1 - fast.period() / slow.period())) < 1e-5);
  }
}

TEST_CASE("scale: codes of bfloat16 gradients have their size, and fp16 is no alternative") {
  ScaleCase half{.network = "25G"};
  half.options.model = "profile:gpt2-xl";
  const auto parameters = static_cast<double>(half.options.profile().parameters());
  const double dense = 2. * 7 / 8 * 2 * parameters;
  CHECK(half.row().steps.sent == Approx(dense).epsilon(1e-4));
  for (const Alternative& one : half.alternatives()) CHECK(one.what != "fp16");
  half.compressor = "fp16";
  CHECK(half.row().steps.sent == Approx(dense).epsilon(1e-4));
  half.compressor = "int8";
  CHECK(half.row().steps.sent == Approx(2. * 7 / 8 * (1 + 8. / 1024) * parameters).epsilon(1e-4));
  half.compressor = "onebit";
  CHECK(half.row().steps.sent == Approx(2. * 7 / 8 / 8 * parameters).epsilon(1e-4));
}

TEST_CASE("scale: the other scheduler and algorithm are the best ones, if they are better") {
  const ScaleCase mine{.network = "10G", .scheduler = "fifo", .algorithm = "butterfly", .ranks = 6};
  const double step = mine.period();
  const auto best = [&](std::vector<std::string> names, auto change) {
    double saves = 0;
    for (const std::string& name : names) {
      ScaleCase other = mine;
      change(other, name);
      saves = std::max(saves, 1 - other.period() / step);
    }
    return saves;
  };
  const std::vector<Alternative> all = mine.alternatives();
  CHECK(all[1].saves == best({"buckets", "mg_wfbp"},
                             [](ScaleCase& c, const std::string& name) { c.scheduler = name; }));
  CHECK(all[2].saves == best({"ring", "rabenseifner"},
                             [](ScaleCase& c, const std::string& name) { c.algorithm = name; }));
  CHECK(all[2].saves > 0.1);
  CHECK(all[2].what == "ring");
  CHECK(ScaleCase{.options = with_strategy("zero1")}.alternatives().size() == 4);  // no fp16
}

TEST_CASE("scale: gradients in segments have no halves, so dear is no alternative") {
  ScaleCase pieces{.network = "10G", .scheduler = "fifo", .ranks = 6};
  pieces.options.segments = 2;
  const std::vector<Alternative> all = pieces.alternatives();
  REQUIRE(all.size() == 5);
  CHECK(all[1].what != "dear");
  CHECK(all[1].saves > 0);
}

TEST_CASE("scale: the other strategy is diloco, with its own schedule") {
  const ScaleCase mine{.network = "10G", .scheduler = "dear", .ranks = 6};
  const ScaleCase diloco{.options = with_strategy("diloco"), .network = "10G", .ranks = 6};
  const Alternative other = mine.alternatives()[3];
  CHECK(other.what == "diloco");
  CHECK(other.saves == 1 - diloco.period() / mine.period());
  const Alternative none = ScaleCase{.options = with_strategy("zero1")}.alternatives()[3];
  CHECK(none.what == "zero1");
  CHECK(none.saves == 0);
  CHECK(ScaleCase{.options = with_strategy("local_sgd")}.alternatives()[3].what == "local_sgd");
}

TEST_CASE("scale: the passes take time in proportion to the batch") {
  ScaleOptions options;
  const training::ModelProfile usual = options.profile();
  options.local_batch = 2 * usual.batch;
  const training::ModelProfile twice = options.profile();
  CHECK(twice.batch == 2 * usual.batch);
  Time passes{}, doubled{};
  for (const auto& part : usual.layers) passes += part.forward + part.backward;
  for (const auto& part : twice.layers) doubled += part.forward + part.backward;
  CHECK(doubled == 2 * passes);
}

TEST_CASE("scale: one slowdown is of all workers, several are by rank") {
  ScaleOptions options;
  const training::ModelProfile usual = options.profile();
  options.slowdown = {0.5};
  CHECK(picoseconds(options.profile().layers[0].forward) == picoseconds(usual.layers[0].forward));
  CHECK(options.slowdown_by_rank(3) == std::vector<double>{0.5, 0.5, 0.5});
  ScaleCase one{.options = options, .network = "100T"}, list = one;
  list.options.slowdown.assign(8, 0.5);
  const double step = ScaleCase{.network = "100T"}.row().computation;  // with the optimizer
  CHECK(one.row().computation == Approx(step / 2).epsilon(1e-6));
  CHECK(one.row().efficiency() == Approx(1).epsilon(0.01));  // no straggler's victim
  CHECK(one.row().limit == Limit::computation);
  CHECK(to_json(list.row()) == to_json(one.row()));
  one.options.slowdown = {2};
  list.options.slowdown.assign(8, 2);
  CHECK(to_json(list.row()) == to_json(one.row()));
  options.slowdown = {1, 2};
  CHECK(options.slowdown_by_rank(3) == options.slowdown);
  options.slowdown = {0};
  CHECK_THAT(refusal([&] { options.profile(); }), contains("--compute slowdown has the factor 0"));
}

TEST_CASE("scale: efficiency compares the samples per second with those of one worker") {
  const auto agrees = [](ScaleCase many) {
    INFO(many.options.strategy.spec << " of " << many.options.batch);
    ScaleCase one = many;
    one.ranks = 1;
    const ScaleRow row = many.row();
    CHECK(row.efficiency() ==
          Approx(row.samples_per_second() / one.row().samples_per_second() / row.ranks)
              .epsilon(1e-6));
    return row.efficiency();
  };
  for (const char* strategy : {"multi_worker", "zero1", "zero2", "fsdp", "local_sgd"}) {
    ScaleCase scaled{.options = with_strategy(strategy), .network = "400G"};
    const double weak = agrees(scaled);
    scaled.options.batch = 8;  // one per worker: the optimizer takes as long as for 64
    CHECK(agrees(scaled) < weak);
  }
  ScaleCase apart{
      .options = with_strategy("async_parameter_server:servers=2"), .network = "400G", .ranks = 4};
  apart.options.steps = 24;
  CHECK(apart.row().efficiency() == Approx(apart.row().alone / apart.row().step));
  apart.options.slowdown = {1, 1, 1, 3};
  const double last = apart.row().efficiency();
  apart.options.slowdown = {3, 1, 1, 1};
  CHECK(apart.row().efficiency() == Approx(last).epsilon(0.01));
  CHECK(last == Approx((3 + 1. / 3) / 4).epsilon(0.1));
}

TEST_CASE("scale: a global batch is divided among the workers") {
  ScaleOptions options;
  options.batch = 256;
  const training::ModelProfile usual = options.profile();
  const training::ModelProfile each = options.on_each(usual, 4);
  CHECK(each.batch == 64);
  const double factor = 64. / static_cast<double>(usual.batch);
  CHECK(picoseconds(each.layers[0].forward) ==
        Approx(factor * picoseconds(usual.layers[0].forward)).epsilon(1e-6));
  CHECK_THAT(refusal([&] { options.on_each(usual, 3); }),
             contains("--batch 256 cannot be divided among 3 workers equally"));
  const Rank workers[] = {4, 8}, descending[] = {8, 4};
  for (const auto& several : {workers, descending})
    CHECK(note_on_batch(32, std::span(several, 2)) ==
          "--batch 32 is of all workers together: 4 per worker on 8 workers (of each: --batch "
          "per_worker=32)");
  CHECK(note_on_batch(32, std::span(workers, 1)) ==
        "--batch 32 is of all workers together: 8 per worker on 4 workers (of each: --batch "
        "per_worker=32)");
  CHECK(note_on_batch(0, workers).empty());
  CHECK(note_on_batch(32, std::span(workers, 0)).empty());
}

TEST_CASE("scale: every strategy can be planned with its default algorithm") {
  for (const training::StrategyKind& kind : training::strategies()) {
    if (kind.name == "one_device") continue;  // has one worker
    for (const std::string& algorithm : {std::string("auto"), std::string(kind.route)}) {
      INFO(kind.name << " " << algorithm);
      ScaleCase planned{.options = with_strategy(std::string(kind.name).c_str()),
                        .algorithm = algorithm};
      if (kind.grouped) planned.options.group = 2;
      CHECK(planned.row().step > 0);
    }
  }
}

TEST_CASE("scale: a profile's bare name is offered as a profile") {
  ScaleOptions options;
  options.model = "resnet50";
  CHECK_THAT(refusal([&] { options.profile(); }), contains("did you mean profile:resnet50?"));
}

TEST_CASE("scale: the sentence of a row names what distinguishes it") {
  ScaleCase one{.algorithm = "rabenseifner"};
  one.compressor = "fp16";
  const std::string text = explain(one.row());
  for (const char* part : {"multi_worker", "rabenseifner", "buckets", "fp16"})
    CHECK_THAT(text, contains(part));
}

TEST_CASE("scale: a rank updates its shard only") {
  const ScaleOptions options = with_strategy("zero1");
  const training::ModelProfile profile = options.profile();
  double passes = 0;
  for (const auto& part : profile.layers) passes += picoseconds(part.forward + part.backward);
  const auto shard_of = [&](const char* strategy, Rank group) {
    ScaleCase sharded{.options = with_strategy(strategy)};
    sharded.options.group = group;
    double all = 0;
    sharded.with([&](const TrainingPlan& plan, const training::MakeNetwork&) {
      for (const training::Layer& layer : plan.layers)
        all += picoseconds(layer.forward + layer.backward);
    });
    return (all - passes) / (profile.optimizer * static_cast<double>(profile.parameters()));
  };
  CHECK(shard_of("zero1", 0) == Approx(1. / 8).epsilon(1e-3));  // rounded per tensor
  CHECK(shard_of("fsdp", 0) == Approx(1. / 8).epsilon(1e-3));
  CHECK(shard_of("hsdp", 2) == Approx(1. / 2).epsilon(1e-3));
  CHECK(shard_of("multi_worker", 0) == Approx(1).epsilon(1e-3));
  CHECK(refusal([&] { options.plan(profile, "fifo", "none", 8); }).starts_with("strategy zero1 "));
}

TEST_CASE("scale: auto is the fastest algorithm for a bucket that supports the collectives") {
  ScaleCase chosen{.algorithm = "auto", .ranks = 6};
  const auto bucket = [](const TrainingPlan& plan, const training::MakeNetwork& make) {
    return training::CollectiveTimes(plan, make).of(Collective::allreduce, 25 << 18, 4);
  };
  const Time took = chosen.with(bucket);
  for (const char* name : {"ring", "rabenseifner", "circulant"}) {
    ScaleCase other = chosen;
    other.algorithm = name;
    CHECK(took <= other.with(bucket));
  }
  // A ring of that many ranks sends too many messages, and rabenseifner has no halves.
  ScaleCase sharded{.options = with_strategy("fsdp"), .algorithm = "auto", .ranks = 1024};
  CHECK(sharded.with([](const TrainingPlan& plan, const training::MakeNetwork&) {
    return unsupported(*plan.algorithm, plan.problem(Collective::reduce_scatter, plan.ranks));
  }) == "");
  CHECK(sharded.row().step > 0);
}

TEST_CASE("scale: ports have a latency, topologies have nodes, and seeds choose routes") {
  const ScaleCase none{.network = "10G:latency=0", .scheduler = "fifo"},
      some{.network = "10G:latency=1ms", .scheduler = "fifo"};
  CHECK(some.period() > none.period());
  const ScaleCase pod{.network = "rail_pod", .ranks = 16};
  CHECK(pod.with([](const TrainingPlan& plan, const training::MakeNetwork&) {
    return plan.groups ? plan.groups->even_size() : 0;
  }) == 8);
  // Two groups of four hosts with four paths between them, of which each message takes one at
  // random.
  std::string graph = "graph {";
  for (int i = 0; i < 8; ++i)
    graph += fmt::format("h{} [kind=host]; h{} -- e{} [bandwidth=\"10Gbps\", latency=\"1us\"];", i,
                         i, i / 4);
  for (int i = 0; i < 8; ++i)
    graph += fmt::format("e{} -- c{} [bandwidth=\"10Gbps\", latency=\"1us\"];", i / 4, i % 4);
  for (const char* name : {"e0", "e1", "c0", "c1", "c2", "c3"})
    graph += fmt::format("{} [kind=switch];", name);
  const Folder folder;
  std::set<double> periods;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ScaleCase random{.network = folder.with("g.dot", graph + "}"), .algorithm = "butterfly"};
    random.options.seed = seed;
    periods.insert(random.period());
  }
  CHECK(periods.size() > 1);
}

TEST_CASE("scale: codecs have a time to encode and one to decode, of a millisecond at most") {
  const training::CodecCost cost = parse_codec_cost("1.5,0.25");
  CHECK(cost.encode == Approx(1.5e-9));
  CHECK(cost.decode == Approx(0.25e-9));
  CHECK(parse_codec_cost("1e6,0").encode == Approx(1e-3));
  for (const char* text : {"1,2e6", "2e6,1", "-1,1", "1", "1,", ",1", "1,2,3", "nan,1", "1x,1"})
    CHECK(refusal([&] {
            parse_codec_cost(text);
          }).starts_with(fmt::format("--compute codec is '{}'", text)));
}

TEST_CASE("scale: networks that are neither rates nor topologies are refused by their name") {
  const auto refused = [](const char* network) {
    ScaleOptions options;
    options.networks = {network};
    return refusal([&] {
      const std::vector<ScaleNetwork> networks = options.parsed_networks();
      CHECK(networks.size() == 1);
    });
  };
  CHECK(refused("0G") == "network '0G' is not a rate above zero: write for example 10G or 2.5G");
  for (const char* rate : {"-1G", "1e-300", "1e300", "1e15G"})
    CHECK(refused(rate).find(rate) != std::string::npos);
  CHECK(refused("10G") == "");
}
