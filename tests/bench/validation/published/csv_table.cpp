#include "bench/validation/published/csv_table.hpp"

#include "algorithms/base/error.hpp"
#include "bench/validation/published/published_time.hpp"
#include "bench/validation/training_rows.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

const std::string kHeader =
    "system,nodes,ranks_per_node,library,algorithm,bytes,runs,median_us,min_us,run,split\n";

std::string message_of(const std::string& text) {
  try {
    (void)read_published_times(text, "allreduce.csv");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::usage);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("measurements: a row is read with all it says") {
  const std::vector<PublishedTime> rows = read_published_times(
      kHeader +
          "fugaku,2x2x4,1,FJMPI 4.0.1,BINE-L-UTOFU-0-1,32,100,10.69,9.5,a,calibrate\r\n\n"
          "x,8,4,\"Open, MPI\",ring_ompi,64,1,2.5,2,,test\n",
      "allreduce.csv");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].torus == std::vector<Rank>{2, 2, 4});
  CHECK(rows[0].ranks == 16);
  CHECK(rows[0].median_us == 10.69);
  CHECK(rows[0].split == Split::calibrate);
  CHECK(rows[1].library == "Open, MPI");
  CHECK(rows[1].ranks == 32);
  CHECK(rows[1].torus.empty());
}

TEST_CASE("measurements: optional columns may be absent") {
  CHECK(read_published_times("split,system,nodes,ranks_per_node,library,algorithm,bytes,median_us\n"
                             "test,x,8,1,,ring,64,2.5\n",
                             "allreduce.csv")[0]
            .run.empty());
}

TEST_CASE("measurements: each wrong file is refused with line, value and remedy") {
  const std::string good = "x,8,1,l,ring,64,1,2.5,2,r,test\n";
  CHECK(message_of("").find("allreduce.csv is empty: write a header line") == 0);
  CHECK(message_of(kHeader).find("has a header but no rows") != std::string::npos);
  CHECK(message_of("system,nodes\nx,8\n").find("no column 'ranks_per_node'") != std::string::npos);
  CHECK(message_of(kHeader + good + "x,8,1,l,ring,64,1,2.5\n").find("line 3: 8 fields") !=
        std::string::npos);
  CHECK(message_of(kHeader + "x,8,1,l,ring,64,1,2.5,2,r,test,\n") ==
        "allreduce.csv line 2: 12 fields, but the header has 11: complete or remove the line");
  const struct {
    std::string row, problem;
  } kWrong[] = {
      {"x,8,1,l,ring,64,1,2.5,2,r,train\n", "split 'train': give calibrate or test"},
      {"x,8,1,l,ring,64,1,fast,2,r,test\n", "median_us 'fast': give a positive number"},
      {"x,8,1,l,ring,64,1,-1,2,r,test\n", "median_us '-1'"},
      {"x,8,1,l,ring,64,1,nan,2,r,test\n", "median_us 'nan'"},
      {"x,8,1,l,ring,6.5,1,2.5,2,r,test\n", "bytes '6.5': give a whole number of at least 1"},
      {"x,0,1,l,ring,64,1,2.5,2,r,test\n", "nodes '0'"},
      {"x,4x,1,l,ring,64,1,2.5,2,r,test\n", "nodes '4x'"},
      {"x,2000000,1,l,ring,64,1,2.5,2,r,test\n", "give at most 1048576 ranks"},
      {"x,8,0,l,ring,64,1,2.5,2,r,test\n", "ranks_per_node '0'"},
      {",8,1,l,ring,64,1,2.5,2,r,test\n", "system ''"},
      {"x,8,1,l,,64,1,2.5,2,r,test\n", "algorithm ''"},
  };
  for (const auto& wrong : kWrong) {
    INFO(wrong.row);
    const std::string message = message_of(kHeader + good + wrong.row);
    CHECK(message.find("allreduce.csv line 3: ") == 0);
    CHECK(message.find(wrong.problem) != std::string::npos);
  }
}

TEST_CASE("training rows are read, and wrong ones refused") {
  const std::vector<TrainingRow> rows = read_training_scaling(
      "org,system,model,gpus,global_batch,samples_per_s,step_ms,split\n"
      "us,2xa,bert,8,448,1720.1,260.5,calibrate\nus,16xa,bert,16,448,2479.4,180.7,test\n",
      "training_scaling.csv");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].network == "us a");
  CHECK(rows[1].network == "us a");
  CHECK(rows[0].split == Split::calibrate);
  CHECK(rows[1].split == Split::test);
  CHECK(rows[1].batch_per_gpu == 28);
  CHECK(rows[1].step_us() == Approx(1e6 * 448 / 2479.4));
  CHECK_THROWS_AS(
      read_training_scaling("system,model,gpus,global_batch,samples_per_s,step_ms,split\n"
                            "a,bert,8,448,0,260.5,test\n",
                            "t"),
      Error);
  CHECK_THROWS_AS(read_training_schedules("model\nbert\n", "t"), Error);
}
