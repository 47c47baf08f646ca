// MSCCL XML: thread blocks use the channels that the file says it has.
#include "bench/formats/msccl/xml.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// Of one GPU, whose only thread block is on that channel.
std::string file_of(const std::string& channels, const std::string& channel) {
  return "<algo name=\"x\" coll=\"allreduce\" ngpus=\"1\" nchunksperloop=\"1\" " + channels +
         "><gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"><tb id=\"0\" send=\"-1\" "
         "recv=\"-1\" chan=\"" +
         channel + "\"/></gpu></algo>";
}

}  // namespace

TEST_CASE("a channel beyond those of the file is refused") {
  CHECK(parse_msccl(file_of("nchannels=\"2\"", "1"), "p.xml").gpus[0].blocks[0].channel == 1);
  CHECK(parse_msccl(file_of("", "7"), "p.xml").gpus[0].blocks[0].channel == 7);
  CHECK(failure([] { parse_msccl(file_of("nchannels=\"2\"", "2"), "p.xml"); }) ==
        "2: p.xml: gpu 0, tb 0: \"chan\" is '2': give a whole number from 0 to 1");
  for (const char* bad : {"0", "-1", "x"})
    CHECK_FALSE(failure([&] {
                  parse_msccl(file_of("nchannels=\"" + std::string(bad) + "\"", "0"), "p.xml");
                }).empty());
}
