// The calibrated models beside closed forms, and what must hold for any parameters.
#include <algorithm>
#include <cmath>

#include "bench/validation/calibrated/gpu_nodes.hpp"
#include "bench/validation/calibrated/messages.hpp"
#include "bench/validation/calibrated/nccl.hpp"
#include "bench/validation/calibrated/torus_ports.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::vector<double> medians(std::span<const Prior> priors) {
  std::vector<double> values;
  for (const Prior& prior : priors) values.push_back(prior.median);
  return values;
}

void check_grows(const std::vector<double>& us) {
  for (std::size_t i = 1; i < us.size(); ++i) CHECK(us[i] >= us[i - 1]);
}

constexpr Count kSizes[] = {1 << 12, 1 << 15, 1 << 18, 1 << 21, 1 << 24, 1 << 27};

}  // namespace

TEST_CASE("messages: more bytes and more ranks never take less time") {
  const MessageModel model(1);
  const std::vector<double> p = medians(model.parameters());
  for (const char* name : {"butterfly", "swing_whole", "rabenseifner", "swing", "ring"}) {
    INFO(name);
    std::vector<MessageCase> sizes, ranks;
    for (const Count bytes : kSizes)
      sizes.push_back({.algorithm = name, .ranks = 64, .bytes = bytes});
    for (const Rank r : {2, 4, 8, 16, 32, 64, 128, 256, 512})
      ranks.push_back({.algorithm = name, .ranks = r, .bytes = 1 << 20});
    check_grows(model.predict(sizes, p));
    check_grows(model.predict(ranks, p));
  }
}

TEST_CASE("messages: a fit to small scales predicts the larger scale that the same system makes") {
  const MessageModel model(2);
  std::vector<double> truth = medians(model.parameters());
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (model.parameters()[i].spread > 0.1)  // what few scales can show
      truth[i] *= i % 3 == 0 ? 1.2 : i % 3 == 1 ? 0.9 : 1;
  truth[truth.size() - 4] = truth[truth.size() - 3] = truth[truth.size() - 2] = truth.back() = 1;
  std::vector<MessageCase> known, unknown;
  for (const char* name : {"butterfly", "rabenseifner", "ring"})
    for (const Count bytes : kSizes) {
      known.push_back({.algorithm = name, .ranks = 8, .bytes = bytes, .state = 0});
      known.push_back({.algorithm = name, .ranks = 16, .bytes = bytes, .state = 1});
      unknown.push_back({.algorithm = name, .ranks = 64, .bytes = bytes});
    }
  const std::vector<double> fitted = model.fit(known, model.predict(known, truth)).parameters;
  const std::vector<double> expected = model.predict(unknown, truth);
  const std::vector<double> predicted = model.predict(unknown, fitted);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(unknown[i].algorithm << " " << unknown[i].bytes);
    CHECK(predicted[i] == Approx(expected[i]).epsilon(0.2));
  }
}

TEST_CASE("messages: a job in a slow state does not slow the prediction of another job") {
  const MessageModel model(3);
  std::vector<double> p = medians(model.parameters());
  const MessageCase typical{.algorithm = "ring", .ranks = 8, .bytes = 4096};
  MessageCase slow = typical;
  slow.state = 2;
  p[p.size() - 4] = 3;  // factor of latency in state 2
  const std::vector<double> us = model.predict({typical, slow}, p);
  CHECK(us[1] > 2.5 * us[0]);
}

TEST_CASE("messages: segments hide additions behind transfers, unless they are too small") {
  const MessageModel model(0);
  const std::vector<double> p = medians(model.parameters());
  const auto time = [&](double segment) {
    return model.predict(
        {{.algorithm = "swing", .ranks = 16, .bytes = 1 << 26, .segment = segment}}, p)[0];
  };
  CHECK(time(1 << 20) < time(0));
  CHECK(time(256) > time(1 << 20));
}

TEST_CASE("messages: of each segment but one, the serial part of the shorter time is not hidden") {
  const MessageModel model(0);
  std::vector<double> p = medians(model.parameters());
  const auto set = [&](std::string_view name, double value) {
    const auto at = std::find_if(model.parameters().begin(), model.parameters().end(),
                                 [&](const Prior& prior) { return prior.name.starts_with(name); });
    REQUIRE(at != model.parameters().end());
    p[static_cast<std::size_t>(at - model.parameters().begin())] = value;
  };
  // Two ranks exchange their vectors: nothing but 3 us to transfer and 2 us to add.
  constexpr Count kBytes = 1 << 24;
  set("time of a call", 1e-9), set("latency of 64 B", 1e-9), set("copy of 1 MiB", 1e-12);
  set("factor of network time per byte per doubling of ranks", 1);
  set("network, ns/B", 3e3 / kBytes), set("addition of 32 KiB", 2e3 / kBytes);
  for (const char* to : {"1 MiB", "8 MiB", "32 MiB"})
    set(std::string("growth of addition to ") + to, 1);
  const auto time = [&](double segment, double odds) {
    set("serial part of segments, odds", odds);
    return model.predict(
        {{.algorithm = "butterfly", .ranks = 2, .bytes = kBytes, .segment = segment}}, p)[0];
  };
  CHECK(time(0, 1) == Approx(3 + 2));
  CHECK(time(1 << 20, 1e-9) == Approx((5 + 15 * 3) / 16.));
  CHECK(time(1 << 20, 1) == Approx((5 + 15 * (3 + 2 / 2.)) / 16));
  CHECK(time(1 << 20, 1e9) == Approx(5));
}

TEST_CASE("nccl: small vectors take NCCL's own latencies") {
  const std::vector<double> p = medians(nccl_priors());
  const NcclCase ring{.tree = false, .ranks = 16, .ranks_per_node = 4, .bytes = 16};
  const NcclCase tree{.tree = true, .ranks = 16, .ranks_per_node = 4, .bytes = 16};
  const std::vector<double> us = nccl_times({ring, tree}, p);
  CHECK(us[0] == Approx(6.6 + 22 * 0.6 + 8 * 2.7).epsilon(1e-3));
  CHECK(us[1] == Approx(6.8 + 2 * (3 * 0.6 + 2 * 5.0)).epsilon(1e-3));
}

TEST_CASE("nccl: large vectors take the bytes of a ring by the bandwidth") {
  const std::vector<double> p = medians(nccl_priors());
  const double bytes = 1LL << 33;
  const std::vector<double> us =
      nccl_times({{.tree = false, .ranks = 16, .ranks_per_node = 4, .bytes = 1LL << 33}}, p);
  CHECK(us[0] == Approx(bytes * 30 / 16 / 80e3).epsilon(1e-3));
}

TEST_CASE("gpu nodes: the form for latency uses all ranks, that for bandwidth one per node") {
  std::vector<double> p = medians(gpu_nodes_priors());
  const auto time = [&](bool whole, Rank ranks) {
    return gpu_nodes_times({{.whole = whole, .ranks = ranks, .ranks_per_node = 4, .bytes = 16}},
                           p)[0];
  };
  CHECK(time(true, 16) == Approx(25 + 4 * (5 + 10)).epsilon(1e-3));
  CHECK(time(false, 16) == Approx(25 + 2 * 10 + 4 * 5).epsilon(1e-3));
  CHECK(time(true, 64) - time(true, 32) > 15);  // the slowest of more ranks
  p.back() = 1;
  CHECK(time(true, 64) - time(true, 32) == Approx(15).epsilon(1e-3));
}

TEST_CASE("torus ports: more bytes take more time, and more ports less for large vectors") {
  const std::vector<double> p = medians(torus_priors());
  for (const TorusForm form : {TorusForm::whole, TorusForm::halves, TorusForm::rings}) {
    std::vector<TorusCase> sizes;
    for (const Count bytes : kSizes)
      sizes.push_back({.form = form, .sizes = {4, 4, 4}, .ports = 6, .bytes = bytes});
    check_grows(torus_predictor(sizes)(p));
    const auto with_ports = [&](int ports) {
      return torus_predictor(
          {{.form = form, .sizes = {4, 4, 4}, .ports = ports, .bytes = 1 << 28}})(p)[0];
    };
    if (form != TorusForm::rings) CHECK(with_ports(6) < with_ports(1));
  }
}
