// Shards of a checkpoint: any number of ranks reads what any other number has written, and nothing
// else.
#include "training/checkpoint/shards.hpp"

#include <filesystem>
#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/killed_writer.hpp"
#include "training/checkpoint/folder.hpp"
#include "training/checkpoint/names.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

namespace fs = std::filesystem;

// Flat vectors of this length, with other values for each step.
struct Vectors {
  explicit Vectors(Count elements, Count step = 0, Count each = 2)
      : weights(static_cast<std::size_t>(elements)),
        moments(static_cast<std::size_t>(each * elements)) {
    std::iota(weights.begin(), weights.end(), static_cast<float>(step));
    std::iota(moments.begin(), moments.end(), static_cast<float>(step) + 0.5F);
  }
  ShardVectors<const float> from() const { return {weights, moments}; }
  ShardVectors<float> into() { return {weights, moments}; }
  bool operator==(const Vectors&) const = default;

  std::vector<float> weights, moments;
};

// A rank's chunks of two units; the first one has 60% of the elements.
std::vector<FlatRange> ranges_of(Rank rank, Rank ranks, Count elements) {
  std::vector<FlatRange> ranges;
  const Count first = elements * 3 / 5;
  for (const FlatRange unit : {FlatRange{0, first}, FlatRange{first, elements - first}}) {
    const Blocks blocks(unit.elements, ranks);
    const FlatRange own{unit.begin + blocks.begin(rank), blocks.size(rank)};
    if (own.elements > 0) ranges.push_back(own);
  }
  return ranges;
}

ShardIndex write_all(const Folder& folder, const Vectors& all, Rank ranks, Count step = 8) {
  const auto elements = static_cast<Count>(all.weights.size());
  ShardIndex index{step, elements, static_cast<Count>(all.moments.size()) / elements, {}};
  for (Rank r = 0; r < ranks; ++r)
    index.files.push_back(
        write_shard(folder.file("run"), step, r, ranks, ranges_of(r, ranks, elements), all.from()));
  return index;
}

std::string said(const Folder& folder, const ShardIndex& index, Rank rank, Rank ranks) {
  Vectors into(index.elements, 0, index.moments);
  return failure([&] {
    read_shards(folder.file("run"), index, ranges_of(rank, ranks, index.elements), into.into());
  });
}

}  // namespace

TEST_CASE("any number of ranks reads its ranges of shards that another number has written") {
  for (const Count each : {0, 1, 2})
    for (const Rank writers : {1, 2, 3, 4, 7})
      for (const Rank readers : {1, 2, 3, 4, 5}) {
        INFO(writers << " ranks wrote, " << readers << " read, " << each << " moments");
        const Folder folder;
        const Vectors all(23, 100, each);
        const ShardIndex index = write_all(folder, all, writers);
        CHECK(parse_shard_index(*parse_json(to_json(index).dump()), "C") == index);
        Vectors whole(23, -1, each);
        for (Rank r = 0; r < readers; ++r) {
          Vectors mine(23, -1, each);
          const Vectors before = mine;
          const auto wanted = ranges_of(r, readers, 23);
          read_shards(folder.file("run"), index, wanted, mine.into());
          for (std::size_t i = 0; i < 23; ++i) {
            const bool is_wanted = std::any_of(wanted.begin(), wanted.end(), [&](FlatRange w) {
              return w.begin <= static_cast<Count>(i) && static_cast<Count>(i) < w.end();
            });
            CHECK(mine.weights[i] == (is_wanted ? all : before).weights[i]);
            for (std::size_t m = i; m < mine.moments.size(); m += 23)
              CHECK(mine.moments[m] == (is_wanted ? all : before).moments[m]);
          }
          read_shards(folder.file("run"), index, wanted, whole.into());
        }
        CHECK(whole == all);
      }
}

TEST_CASE("a rank reads the pieces that it needs, and of the others only the heads") {
  constexpr Count kElements = 5'000'000;  // several pieces in each range
  const Folder folder;
  const Vectors all(kElements, 3);
  const ShardIndex index = write_all(folder, all, 1);
  const std::string path = folder.file("run/" + index.files[0].name);
  const ByteSource file = open_source(path);
  std::uint64_t bytes = 0, most = 0;
  const ByteSource counted{file.size, [&](std::uint64_t at, std::span<char> into) {
                             bytes += into.size();
                             most = std::max<std::uint64_t>(most, into.size());
                             file.read(at, into);
                           }};
  const auto read = [&](FlatRange wanted) {
    bytes = most = 0;
    Vectors mine(kElements, -1);
    read_shard(counted, path, index, 0, {&wanted, 1}, mine.into());
    const auto last = static_cast<std::size_t>(wanted.end() - 1);
    CHECK(mine.weights[last] == all.weights[last]);
    CHECK(mine.moments[kElements + last] == all.moments[kElements + last]);
    CHECK(mine.weights[(last + 1) % kElements] != all.weights[(last + 1) % kElements]);
  };
  constexpr std::uint64_t kPieceBytes = 4 << 20, kHeads = 4096;
  read({3'100'000, 1});  // the first piece of the second range: of weights and two moments
  CHECK(bytes > 3 * kPieceBytes);
  CHECK(bytes < 3 * kPieceBytes + kHeads);
  read({(1 << 20) - 1, 2});  // the ends of two pieces
  CHECK(bytes > 6 * kPieceBytes);
  CHECK(bytes < 6 * kPieceBytes + kHeads);
  CHECK(most == kPieceBytes);
}

TEST_CASE("missing, truncated, damaged and foreign shards are refused by name") {
  const Folder folder;
  const Vectors all(23, 100);
  const ShardIndex index = write_all(folder, all, 3);
  const auto path = [&](std::size_t i) { return folder.file("run/" + index.files[i].name); };
  const std::string good = text_of(path(1));
  const auto with = [&](const std::string& bytes) {
    folder.with("run/" + index.files[1].name, bytes);
    return said(folder, index, 0, 1);
  };
  CHECK(with(good).empty());
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{27}, good.size() / 2, good.size() - 1})
    CHECK(
        with(good.substr(0, length)).starts_with("2: the checkpoint " + path(1) + " is truncated"));
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string damaged = good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const std::string text = with(damaged);
    INFO(bit << ": " << text);
    REQUIRE(text.starts_with("2: "));
    REQUIRE(text.find(path(1)) != std::string::npos);
  }
  CHECK(with("PK").find("is not a checkpoint of arlab") != std::string::npos);
  CHECK(with(encode_checkpoint({})).find("is no shard: its first section is ''") !=
        std::string::npos);
  CHECK(with(text_of(path(0))) == "2: the shard " + path(1) +
                                      " has other elements than the index says: use the files of "
                                      "one checkpoint together, or an earlier one");

  const Folder other;
  const ShardIndex later = write_all(other, all, 3, 12);
  CHECK(with(text_of(other.file("run/" + later.files[1].name)))
            .find("belongs to step 12, not 8: use the files of one checkpoint together") !=
        std::string::npos);
  const Folder another;
  write_all(another, Vectors(23, 101), 3);
  const std::string text = with(text_of(another.file("run/" + index.files[1].name)));
  CHECK(text.find(path(1) + " is not the one with which the index was written") !=
        std::string::npos);

  fs::remove(path(1));
  CHECK(said(folder, index, 0, 1) ==
        "3: cannot read " + path(1) +
            " (No such file or directory): use a folder that all ranks share, with all files of a "
            "checkpoint, or an earlier one");
  CHECK(said(folder, index, 0, 3).empty());  // which does not need it
  Vectors longer(24);
  const FlatRange one{0, 1};
  CHECK(failure([&] {
          read_shards(folder.file("run"), index, {&one, 1}, longer.into());
        }).find("has 23 weights and 46 moments, but this run has 24 and 48") != std::string::npos);
}

TEST_CASE("an index is complete or refused, with the reason") {
  const Folder folder;
  const Json good = to_json(write_all(folder, Vectors(10), 2));
  const auto refused = [&](const std::string& why, const std::function<void(Json&)>& change) {
    Json json = good;
    change(json);
    const std::string text = failure([&] { parse_shard_index(json, "C"); });
    INFO(text);
    return text.starts_with("2: the index of shards in C is wrong: " + why) &&
           text.ends_with(": use an earlier checkpoint");
  };
  CHECK(parse_shard_index(good, "C").files.size() == 2);
  CHECK(refused("it is not an object", [](Json& j) { j = Json::array(); }));
  CHECK(refused("it has no 'moments'", [](Json& j) { j.erase("moments"); }));
  CHECK(refused("it has unknown keys", [](Json& j) { j["more"] = 1; }));
  CHECK(refused("'moments' is not a whole number from 0 to 2", [](Json& j) { j["moments"] = 3; }));
  CHECK(refused("'step' is not a whole number", [](Json& j) { j["step"] = -1; }));
  CHECK(refused("'step' is not a whole number", [](Json& j) { j["step"] = 1.5; }));
  CHECK(refused("'elements' is not", [](Json& j) { j["elements"] = UINT64_MAX; }));
  CHECK(refused("'files' is not a list", [](Json& j) { j["files"] = "x"; }));
  CHECK(refused("a file has no 'seal'", [](Json& j) { j["files"][0].erase("seal"); }));
  CHECK(refused("the name of a file is not a text", [](Json& j) { j["files"][0]["name"] = 1; }));
  for (const char* name : {"", ".", "..", "../x", "/etc/passwd", "a\\b"})
    CHECK(refused("'" + std::string(name) + "' is not a plain file name",
                  [&](Json& j) { j["files"][0]["name"] = name; }));
  CHECK(refused("'seal' of ", [](Json& j) { j["files"][1]["seal"] = 1ULL << 32; }));
  CHECK(refused("'ranges' of ", [](Json& j) { j["files"][1]["ranges"] = 5; }));
  CHECK(refused("a range of ", [](Json& j) { j["files"][1]["ranges"][0] = {1, 2, 3}; }));
  CHECK(refused("a range of ", [](Json& j) { j["files"][1]["ranges"][0] = {4, 0}; }));
  CHECK(refused("a range of ", [](Json& j) {
    std::swap(j["files"][1]["ranges"][0], j["files"][1]["ranges"][1]);
  }));
  CHECK(refused("element 0 is in no shard", [](Json& j) { j["files"].erase(0); }));
  CHECK(refused("element 0 is in two shards", [](Json& j) { j["files"][1] = j["files"][0]; }));
  CHECK(refused("its shards have 10 of 11 elements", [](Json& j) { j["elements"] = 11; }));
  CHECK(refused("its shards have 10 of 9 elements", [](Json& j) { j["elements"] = 9; }));
}

TEST_CASE("old checkpoints are deleted with their shards, and renamed with them") {
  const Folder folder;
  const std::string path = folder.file("run");
  CheckpointFolder run(path, {.keep = 1});
  const auto save = [&](Count step, Rank ranks) {
    Checkpoint c;
    c.add("shards", to_json(write_all(folder, Vectors(10, step), ranks, step)));
    run.save(c, {.step = step});
  };
  const auto count = [&] { return std::distance(fs::directory_iterator(path), {}); };
  save(4, 3);
  CHECK(count() == 4);
  save(8, 2);
  CHECK(count() == 3);
  write_all(folder, Vectors(10), 4, 12);  // killed before the checkpoint was written
  CHECK(count() == 7);
  folder.with("run/" + shard_name(8, 1, 2) + ".1", "of an earlier run");
  const auto latest = latest_checkpoint(path);
  REQUIRE(latest);
  CHECK(CheckpointFolder(path, {}).begin(*latest).empty());
  CHECK(count() == 4);
  CHECK(CheckpointFolder(path, {}).begin(0) ==
        std::vector<std::string>{path + "/" + checkpoint_name(8) + ".2"});
  CHECK(text_of(path + "/" + shard_name(8, 1, 2) + ".1") == "of an earlier run");
  for (const std::string& name : {checkpoint_name(8), shard_name(8, 0, 2), shard_name(8, 1, 2)})
    CHECK(fs::exists(path + "/" + name + ".2"));
  CHECK(count() == 4);
}

TEST_CASE("writers killed at any time leave a checkpoint with all of its shards") {
  const Folder folder;
  const std::string path = folder.file("run");
  Count before = 0;
  const auto write = [&] {
    CheckpointFolder run(path, {.keep = 2});
    for (Count step = before + 1;; ++step) {
      Checkpoint c;
      c.add("shards", to_json(write_all(folder, Vectors(1000, step), 3, step)));
      run.save(c, {.step = step});
    }
  };
  kill_at_any_time(4000, write, [&] {
    const auto latest = latest_checkpoint(path);
    if (!latest) return false;  // killed before its first checkpoint was complete
    CHECK(latest->refused.empty());
    CHECK(latest->step >= before);
    before = latest->step;
    Vectors now(1000);
    const FlatRange wanted{0, 1000};
    read_shards(path, parse_shard_index(latest->checkpoint.json("shards"), "C"), {&wanted, 1},
                now.into());
    CHECK(now == Vectors(1000, before));
    CheckpointFolder(path, {}).begin(*latest);
    for (const auto& entry : fs::directory_iterator(path)) {
      const std::string name = entry.path().filename().string();
      const auto step = step_of_shard(name);
      CHECK(
          (step_of_checkpoint(name) || (step && fs::exists(path + "/" + checkpoint_name(*step)))));
    }
    return true;
  });
  CHECK(before > 0);
}
