#include "bench/training/train/options/feed_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/options/options.hpp"
#include "bench/sweep/workers.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

void add_switch(CLI::App& app, const std::string& names, bool& value, const std::string& help) {
  const auto parse = [&value, what = names.substr(0, names.find(','))](const std::string& text) {
    if (text != "on" && text != "off")
      fail(Blame::usage, fmt::format("{} is '{}': give on or off", what, text));
    value = text == "on";
  };
  app.add_option_function<std::string>(names, parse, help)->type_name("NAME");
}

}  // namespace

void FeedOptions::add(CLI::App& app) {
  app.add_option("--sharding", sharding, "data (default), file or off")->type_name("NAME");
  add_switch(app, "--shuffle", shuffle,
             "Another order of the samples in each epoch: on (default), or off, that of the data");
  const auto seed = [this](const std::string& text) {
    const Count number = parse_count(text, "--shuffle-seed");
    if (number < 0)
      fail(Blame::usage, fmt::format("--shuffle-seed is {}: give a number of 0 or more", number));
    shuffle_seed = static_cast<std::uint64_t>(number);
  };
  app.add_option_function<std::string>("--shuffle-seed", seed,
                                       "Seed of the order of the samples (default: --seed)")
      ->type_name("NUMBER");
  add_switch(app, "--drop-remainder,--drop-last", drop_remainder,
             "Leave out the samples at the end of an epoch that do not fill a batch: on (default), "
             "or off: they are a smaller batch");
  add_number(app, "--prefetch", prefetch, 0, 1'000'000,
             "Batches that threads prepare ahead (default 2; 0: the worker makes them)");
  const auto parse = [this](const std::string& text) {
    constexpr std::int32_t kMost = 1024;
    threads.reset();
    if (text != "auto")
      threads = checked_number(parse_count(text, "--input-threads"), "--input-threads", 1, kMost);
  };
  app.add_option_function<std::string>(
         "--input-threads", parse,
         "Threads of each worker that read, transform and augment its samples, or auto (default): "
         "one, and more while batches come late and more threads help")
      ->type_name("NUMBER");
}

void FeedOptions::check_values() const {
  training::find_sharding(sharding);
  if (shuffle_seed && !shuffle) fail_without_effect("--shuffle-seed", "--shuffle on");
  if (threads && prefetch == 0) fail_without_effect("--input-threads", "--prefetch of at least 1");
}

void FeedOptions::apply(training::Sampling& sampling) const {
  sampling.sharding = training::find_sharding(sharding);
  sampling.shuffle = shuffle;
  sampling.drop_remainder = drop_remainder;
  if (shuffle_seed) sampling.seed = *shuffle_seed;
}

training::MakerThreads FeedOptions::makers(Rank workers, bool chooses) const {
  if (threads) return {*threads, *threads};
  return {1, chooses ? std::max(1, processors() / workers) : 1};
}

}  // namespace arlab::bench
