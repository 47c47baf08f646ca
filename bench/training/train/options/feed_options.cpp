#include "bench/training/train/options/feed_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/options/options.hpp"
#include "bench/options/settings.hpp"
#include "bench/sweep/workers.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {

void FeedOptions::add(CLI::App& app) {
  using Text = const std::string&;
  const auto number = [](Text text, Text what, std::int32_t least, std::int32_t most) {
    return checked_number(parse_count(text, what), what, least, most);
  };
  const auto read_threads = [this, number](Text text, Text what) {
    threads.reset();
    if (text != "auto") threads = number(text, what, 1, 1024);
  };
  add_settings(
      app, "--input",
      "How batches are made: sharding=data (default), file or off; shuffle=off, in the order of "
      "the data; shuffle_seed=7 (default: --seed); drop_remainder=off, so that the last samples of "
      "an epoch are a smaller batch; prefetch=2 batches that threads prepare ahead (0: the worker "
      "makes them); threads=4 per worker to read, transform and augment samples (default auto: "
      "one, and more while batches come late and more threads help); augment=on: shift training "
      "images at random, and mirror color images",
      {switch_reader("augment", augment),
       word_reader("sharding", sharding),
       switch_reader("shuffle", shuffle),
       {"shuffle_seed", [this](Text text, Text what) { shuffle_seed = parse_seed(text, what); }},
       switch_reader("drop_remainder", drop_remainder),
       {"prefetch",
        [this, number](Text text, Text what) { prefetch = number(text, what, 0, 1'000'000); }},
       {"threads", read_threads}});
}

void FeedOptions::check_values() const {
  training::find_sharding(sharding);
  if (shuffle_seed && !shuffle) fail_without_effect("--input shuffle_seed", "shuffle=on");
  if (threads && prefetch == 0) fail_without_effect("--input threads", "prefetch of at least 1");
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
