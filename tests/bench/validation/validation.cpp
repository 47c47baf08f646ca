#include "bench/validation/validation.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

#include "bench/results/schema.hpp"
#include "bench/validation/errors.hpp"
#include "bench/validation/published/implementation.hpp"
#include "bench/validation/validation_tables.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

std::vector<PublishedTime> published() {
  std::ifstream file(source_file("tests/validation/allreduce.csv"));
  std::ostringstream text;
  text << file.rdbuf();
  return read_published_times(text.str(), "allreduce.csv");
}

// Rows that are fitted quickly: each kind of transport once.
std::vector<PublishedTime> few_rows() {
  std::vector<PublishedTime> rows = published();
  std::erase_if(rows, [](const PublishedTime& row) {
    if (row.system == "mare_nostrum") return row.ranks_per_node == 1;
    if (row.system == "fugaku") return row.bytes % 131072 != 0;
    return row.system != "leonardo" || (row.split == Split::calibrate && row.ranks > 16) ||
           (row.split == Split::test && row.bytes > 131072);
  });
  return rows;
}

PublishedTime row_of(std::string algorithm, Count bytes = 1 << 20, Rank ranks = 16) {
  PublishedTime row;
  row.system = "here";
  row.nodes = std::to_string(ranks);
  row.ranks = ranks;
  row.algorithm = std::move(algorithm);
  row.bytes = bytes;
  row.median_us = 1;
  return row;
}

std::string algorithm_of(const std::string& name, Count bytes = 1 << 20) {
  const Implementation found = implementation_of(row_of(name, bytes));
  const auto* one = std::get_if<simulator::MessageCase>(&found.model);
  return one != nullptr ? one->algorithm : "";
}

}  // namespace

TEST_CASE("published names stand for algorithms of the catalog") {
  CHECK(algorithm_of("recursive_doubling_over") == "butterfly");
  CHECK(algorithm_of("recursive_doubling_mpich") == "butterfly");
  CHECK(algorithm_of("recursive_doubling_some_new_library") == "butterfly");
  CHECK(algorithm_of("rabenseifner_ompi") == "rabenseifner");
  CHECK(algorithm_of("bine_lat_over") == "swing_whole");
  CHECK(algorithm_of("bine_bdw_static_over") == "swing");
  CHECK(algorithm_of("ring_segmented_ompi") == "ring");
  CHECK(algorithm_of("ring_over", 32) == "butterfly");  // 8 elements on 16 ranks
  CHECK(algorithm_of("ringing_over").empty());
  const auto segment = [](const std::string& name) {
    return std::get<simulator::MessageCase>(implementation_of(row_of(name)).model).segment;
  };
  CHECK(segment("bine_bdw_remap_over") == 0);
  CHECK(segment("bine_bdw_remap_segmented_over_131072") == 131072);
  CHECK(segment("bine_bdw_remap_segmented_over") == (1 << 20) / 16);
}

TEST_CASE("without a size in the name, PICO's version decides about segments") {
  const auto segment = [](Rank ranks, std::string run) {
    PublishedTime row = row_of("bine_bdw_remap_segmented_over", 1 << 20, ranks);
    row.run = std::move(run);
    return std::get<simulator::MessageCase>(implementation_of(row).model).segment;
  };
  CHECK(segment(16, "2025_04_10___20_36_45") == (1 << 20) / 16);
  CHECK(segment(16, "2025_05_26___23_59_59") == (1 << 20) / 16);
  CHECK(segment(16, "2025_05_27___00_00_00") == 0);  // whole messages
  CHECK(segment(60, "2025_04_10___20_36_45") == 0);  // only the later version can do this
  CHECK(segment(60, "") == 0);
  CHECK(segment(16, "some job") == (1 << 20) / 16);
}

TEST_CASE("a job of a power of two of ranks fills its last node in part") {
  const auto ranks = [](Rank nodes, Rank per_node) {
    PublishedTime row = row_of("bine_lat_over", 1 << 20, nodes * per_node);
    row.ranks_per_node = per_node;
    return std::get<simulator::MessageCase>(implementation_of(row).model).ranks;
  };
  CHECK(ranks(37, 56) == 2048);  // 36 nodes have 2016
  CHECK(ranks(38, 56) == 38 * 56);
  CHECK(ranks(16, 4) == 64);
  CHECK(ranks(60, 1) == 60);
}

TEST_CASE("Cray MPICH runs what it is asked for in jobs since PICO switches its own choice off") {
  PublishedTime row = row_of("recursive_doubling_mpich");
  row.system = "lumi";
  CHECK(!library_obeyed(row));  // no date
  row.run = "2025_03_16___14_58_59";
  CHECK(library_obeyed(row) == false);
  row.run = "2025_03_27___19_15_25";
  CHECK(library_obeyed(row) == true);
  row.algorithm = "recursive_doubling_ompi";
  CHECK(!library_obeyed(row));
}

TEST_CASE("names on a torus give partners, ports and segments") {
  PublishedTime row = row_of("RECDOUB-B_CONT-UTOFU-65536-3", 1 << 20, 64);
  CHECK(implementation_of(row).reason.find("sizes of the torus") != std::string::npos);
  row.torus = {4, 4, 4};
  const auto one = std::get<simulator::TorusCase>(implementation_of(row).model);
  CHECK(one.form == simulator::TorusForm::halves);
  CHECK(!one.swing);
  CHECK(one.ports == 3);
  CHECK(one.segment == 65536);
  row.torus = {4, 6, 4};
  CHECK(implementation_of(row).reason.find("4x6x4") != std::string::npos);
}

TEST_CASE("names that nothing predicts give a reason") {
  for (const char* name :
       {"default_ompi", "default-ring", "non_blocking_mpich", "allreduce_nccl_nvls",
        "allreduce_nccl_pat", "allreduce_nccl_collnetdirect", "allreduce_nccl_nvlstree",
        "allreduce_cudaaware", "bruck_over", "", "BINE-L-MPI-0-1", "BINE-L-UTOFU-0-999", "_over"}) {
    INFO(name);
    const Implementation found = implementation_of(row_of(name));
    CHECK(found.model.index() == 0);
    CHECK(!found.reason.empty());
  }
  CHECK(!implementation_of(row_of("ring_over", 64, 1)).reason.empty());
}

TEST_CASE("what was measured in test rows changes no prediction, bit by bit") {
  std::vector<PublishedTime> rows = few_rows();
  const Validation before = validate(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].split == Split::test) rows[i].median_us = 1 + static_cast<double>(i % 7);
  std::erase_if(rows, [](const PublishedTime& r) {
    return r.split == Split::test && r.bytes == 8388608;  // nor does their absence
  });
  const Validation after = validate(rows);
  std::size_t compared = 0, j = 0;
  for (const PredictedRow& row : before.rows) {
    if (row.row.split == Split::test && row.row.bytes == 8388608) continue;
    CHECK(row.predicted_us == after.rows[j++].predicted_us);
    if (row.predicted_us) ++compared;
  }
  CHECK(compared > 200);
  CHECK(before.systems.size() == 4);  // each kind of transport
}

TEST_CASE("calibration rows do change predictions") {
  std::vector<PublishedTime> rows = few_rows();
  std::erase_if(rows, [](const PublishedTime& row) { return row.system != "mare_nostrum"; });
  const Validation before = validate(rows);
  for (PublishedTime& row : rows)
    if (row.split == Split::calibrate) row.median_us *= 3;
  const Validation after = validate(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (before.rows[i].predicted_us)
      CHECK(*after.rows[i].predicted_us > *before.rows[i].predicted_us);
}

TEST_CASE("a system without calibration rows, and kinds that no row calibrates, say so") {
  std::vector<PublishedTime> rows = few_rows();
  std::erase_if(rows, [](const PublishedTime& row) { return row.system != "mare_nostrum"; });
  PublishedTime lone = row_of("ring_over");
  rows.push_back(lone);
  lone.system = "mare_nostrum";
  rows.push_back(lone);
  const Validation validation = validate(rows);
  const std::size_t last = validation.rows.size() - 1;
  CHECK(validation.rows[last - 1].reason == "no rows to calibrate messages of here");
  CHECK(validation.rows[last].reason == "no rows to calibrate messages of mare_nostrum");
}

TEST_CASE("one scale and one algorithm suffice to predict others on more ranks") {
  std::vector<PublishedTime> rows;
  for (const Count bytes : {64, 4096, 262144, 16777216}) {
    PublishedTime row = row_of("rabenseifner_over", bytes, 8);
    row.split = Split::calibrate;
    row.median_us = 6 * 3 + static_cast<double>(bytes) * 0.5e-3;
    rows.push_back(row);
    for (const char* name : {"ring_over", "recursive_doubling_x", "bine_bdw_remap_over"}) {
      PublishedTime unseen = row_of(name, bytes, 256);
      unseen.split = Split::test;
      rows.push_back(unseen);
    }
  }
  for (const PredictedRow& row : validate(rows).rows) {
    INFO(row.row.algorithm << " " << row.row.bytes << " " << row.reason);
    REQUIRE(row.predicted_us);
    CHECK(*row.predicted_us > (row.row.ranks == 8 ? 10 : 20));
    CHECK(*row.predicted_us < 1e6);
  }
}

TEST_CASE("a library that ran its default is found in the calibration rows") {
  std::vector<PublishedTime> rows = published();
  std::erase_if(rows, [](const PublishedTime& row) {
    return row.system != "lumi" || row.split == Split::test;
  });
  const Validation validation = validate(rows);
  REQUIRE(validation.systems.size() == 1);
  REQUIRE(validation.systems[0].notes.size() == 2);
  CHECK(validation.systems[0].notes[0].find("explains 1 of 2 jobs; predicted as named") !=
        std::string::npos);
  CHECK(validation.systems[0].notes[1].find(
            "explains 2 of 3 jobs; jobs without a date are predicted by that rule") !=
        std::string::npos);
}

TEST_CASE("errors: quantiles, bias, and pairs that are ordered right") {
  std::vector<PredictedRow> rows;
  for (int i = 0; i <= 10; ++i) {
    PredictedRow row{.row = row_of("a" + std::to_string(i)), .predicted_us = 100.0 + i};
    row.interval = {90.0 + 2 * i, 180.0 + 4 * i};
    row.row.median_us = 100;
    rows.push_back(row);
  }
  std::vector<const PredictedRow*> all;
  for (const PredictedRow& row : rows) all.push_back(&row);
  const Errors e = errors_of(all);
  CHECK(e.median == Approx(0.05));
  CHECK(e.p90 == Approx(0.09));
  CHECK(e.worst == Approx(0.10));
  CHECK(e.bias == Approx(0.05));
  CHECK(coverage_of(all).covered == Approx(6 / 11.));  // 90 to 100 us, but not 102
  CHECK(coverage_of(all).width == Approx(2));
  CHECK(coverage_of({}).covered == 0);
  CHECK(pairs_of(all, 0.1).all == 0);  // all were measured alike
  rows[0].row.median_us = 200;         // but predicted as the fastest
  rows[1].row.median_us = 50;
  const Pairs pairs = pairs_of({all[0], all[1], all[2]}, 0.1);
  CHECK(pairs.all == 3);
  CHECK(pairs.right == 1);  // 1 before 2
}

TEST_CASE("each row becomes a record that the schema accepts") {
  std::vector<PublishedTime> rows = few_rows();
  std::erase_if(rows, [](const PublishedTime& row) { return row.system != "mare_nostrum"; });
  for (const PredictedRow& row : validate(rows).rows) {
    Json line = to_json(row);
    CHECK(make_readable(line).empty());
    CHECK(line["predicted_us"].is_null() == !line["skipped"].is_null());
    for (const char* key :
         {"system", "nodes", "ranks", "algorithm", "bytes", "split", "measured_us"})
      CHECK(line.contains(key));
  }
}
