// MSCCL XML out and in again: the whole catalog stays correct, and moves as many elements.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "algorithms/base/error.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "bench/formats/msccl/msccl.hpp"
#include "bench/formats/msccl/xml.hpp"
#include "bench/formats/schedule_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

MscclProgram exported_xml(const Algorithm& algorithm, const Problem& problem, int segments = 1) {
  return msccl_program(
      {.algorithm = &algorithm, .problem = problem, .operand = {}, .segments = segments});
}

Algorithm read_back(const MscclProgram& program) {
  return algorithm_of(std::make_shared<const Script>(parse_schedule(to_xml(program), "p.xml")));
}

// Whether each message of the schedule is one run of chunks, so that it is one message in XML, too.
bool is_runs(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.lane_weights) return false;  // its chunks are cut anew
  for (const Lane& lane : lanes_of(algorithm, problem))
    for (Rank me = 0; me < problem.ranks; ++me)
      for (Program p = algorithm.program(lane.problem, me); p.next();)
        for (const Action& a : p.round())
          if (runs_of(a.chunks, lane.problem.parts()) != 1) return false;
  return true;
}

Count sent_in(const MscclProgram& program) {
  Count sent = 0;
  for (const MscclGpu& gpu : program.gpus)
    for (const MscclBlock& block : gpu.blocks)
      sent += std::ranges::count_if(block.steps, &MscclStep::sends);
  return sent;
}

// As the shares of lanes of these chunks: in whose program no message takes another's place.
void expect_same_schedule(const std::string& spec, const Problem& bare, int segments) {
  const Algorithm& algorithm = find_algorithm(spec);
  const Problem problem = grouped(algorithm, bare);
  INFO(spec << " in " << segments << " segments on " << problem.ranks);
  const MscclProgram program = exported_xml(algorithm, problem, segments);
  const Counts before = count(algorithm, problem, segments);
  CHECK(sent_in(program) == before.all.messages);
  const Algorithm read = read_back(program);  // proves it
  CHECK(count(read, problem).all.elements == before.all.elements);
}

constexpr std::string_view kTwo =
    R"(<algo name="pair" coll="allreduce" ngpus="2" nchunksperloop="1">
<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="1">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="re" srcbuf="s" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb></gpu>
<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="1">
<tb id="0" send="0" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
</tb>
<tb id="1" send="-1" recv="0" chan="0">
<step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
</tb></gpu></algo>)";

std::string refusal_of(const std::string& text) {
  return refusal(
      [&] { algorithm_of(std::make_shared<const Script>(parse_schedule(text, "p.xml"))); });
}

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kTwo);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("the catalog survives MSCCL XML, out and in again") {
  int same = 0;
  for (const Rank ranks : {1, 2, 3, 5, 8, 9})
    for (const Algorithm& algorithm : algorithms())
      for (const Collective collective : algorithm.collectives) {
        const Problem problem = grouped(
            algorithm, {.collective = collective, .ranks = ranks, .elements = 60 * Count{ranks}});
        if (!unsupported(algorithm, problem).empty()) continue;
        INFO(algorithm.name << " " << name(collective) << " on " << ranks);
        const Algorithm read = read_back(exported_xml(algorithm, problem));  // proves it
        REQUIRE(unsupported(read, problem).empty());
        REQUIRE(verify(read, problem));
        const Counts before = count(algorithm, problem), after = count(read, problem);
        REQUIRE(after.all.elements == before.all.elements);
        REQUIRE(after.all == predicted_cost(read, problem));
        if (!is_runs(algorithm, problem)) continue;
        ++same;
        REQUIRE(after.all.messages == before.all.messages);
        REQUIRE(after.all.rounds <= before.all.rounds);
      }
  CHECK(same > 120);
}

TEST_CASE("pieces of a lane become chunks, and messages stay what they are") {
  const Problem four{.ranks = 4, .elements = 9600};
  for (const char* spec : {"forest:pieces=3", "forest:pieces=8", "weighted:rates=1x2"})
    expect_same_schedule(spec, four, 1);
  for (const char* spec : {"stragglar:late=0", "stragglar:late=1"})
    for (const int segments : {3, 8}) expect_same_schedule(spec, four, segments);
  expect_same_schedule("stragglar:late=1", {.ranks = 4, .elements = 12'000'000}, 1);
  expect_same_schedule("forest", {.ranks = 8, .elements = 16'000'000}, 1);
}

TEST_CASE("lanes whose chunks have no common size that is large enough are refused") {
  CHECK(refusal([] {
          const Algorithm& forest = find_algorithm("forest:pieces=100000");
          exported_xml(forest, grouped(forest, {.ranks = 4, .elements = 1'000'000}));
        }).find("MSCCL needs chunks of equal size") != std::string::npos);
}

TEST_CASE("segments become chunks and channels, and come back as lanes") {
  const Problem problem{.ranks = 4, .elements = 240};
  const MscclProgram program = exported_xml(find_algorithm("ring"), problem, 3);
  CHECK(program.chunks == 12);
  const Algorithm read = read_back(program);
  CHECK(read.lanes == 3);
  CHECK(count(read, problem).all == count(find_algorithm("ring"), problem, 3).all);
}

TEST_CASE("a program with scratch memory, awaited steps and one chunk is read") {
  const Algorithm read =
      algorithm_of(std::make_shared<const Script>(parse_schedule(std::string(kTwo), "p.xml")));
  const Problem problem{.ranks = 2, .elements = 10};
  CHECK(count(read, problem).all == Cost{2, 20, 1});
  CHECK(verify(read, problem));
}

TEST_CASE(
    "a message that waits in scratch memory is added in parts, and parts of several together") {
  // Each of 3 GPUs owns 2 chunks. The others send it both; it adds the first chunks of both
  // messages, which lie side by side, by two steps, and sends the sums.
  std::string text = R"(<algo name="pairs" coll="allreduce" ngpus="3" nchunksperloop="6">)";
  const auto step = [&](int s, const char* kind, char from, int at, char to, int into, int count,
                        int block = -1, int awaited = -1) {
    text += fmt::format(
        R"(<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="{}" depid="{}" deps="{}" hasdep="1"/>)",
        s, kind, from, at, to, into, count, block, awaited);
  };
  for (int g = 0; g < 3; ++g) {
    text += fmt::format(R"(<gpu id="{}" i_chunks="6" o_chunks="0" s_chunks="4">)", g);
    const int peers[] = {(g + 1) % 3, (g + 2) % 3};
    for (int b = 0; b < 2; ++b) {
      const int peer = peers[b];
      text += fmt::format(R"(<tb id="{}" send="{}" recv="{}" chan="0">)", b, peer, peer);
      step(0, "s", 'i', 2 * peer, 's', 0, 2);
      step(1, "r", 'i', 2 * g, 's', 2 * b, 2);
      step(2, "s", 'i', 2 * g, 'i', 2 * g, 2, 2, 3);
      step(3, "r", 'i', 2 * peer, 'i', 2 * peer, 2);
      text += "</tb>";
    }
    text += R"(<tb id="2" send="-1" recv="-1" chan="0">)";
    step(0, "nop", 'i', 0, 'i', 0, 0, 0, 1);
    step(1, "re", 's', 0, 'i', 2 * g, 2, 1, 1);  // the first message at once
    step(2, "re", 's', 2, 'i', 2 * g, 1);        // the second in parts
    step(3, "re", 's', 3, 'i', 2 * g + 1, 1);
    text += "</tb></gpu>";
  }
  text += "</algo>";
  const Problem problem{.ranks = 3, .elements = 60};
  const Algorithm read =
      algorithm_of(std::make_shared<const Script>(parse_schedule(text, "p.xml")));
  CHECK(verify(read, problem));
  CHECK(count(read, problem).all.elements == 4 * 60);
  CHECK(count(read, problem).all.rounds == 2);
  // A part that is added twice, or never.
  std::string twice = text, never = text;
  const std::string third = R"(type="re" srcbuf="s" srcoff="3")";
  twice.replace(twice.find(third), third.size(), R"(type="re" srcbuf="s" srcoff="2")");
  CHECK(refusal_of(twice).find("where no message lies that was not used yet") != std::string::npos);
  never.replace(never.find(third), third.size(), R"(type="nop" srcbuf="s" srcoff="3")");
  CHECK(refusal_of(never).find("never uses a message") != std::string::npos);
}

// As the one above, but the second message is added to the first in scratch memory, and then the
// sum.
TEST_CASE("messages are added in scratch memory") {
  std::string text = R"(<algo name="pairs" coll="allreduce" ngpus="3" nchunksperloop="3">)";
  for (int g = 0; g < 3; ++g) {
    text += fmt::format(R"(<gpu id="{}" i_chunks="3" o_chunks="0" s_chunks="2">)", g);
    for (int b = 0; b < 2; ++b) {
      const int peer = (g + 1 + b) % 3;
      text += fmt::format(R"(<tb id="{0}" send="{1}" recv="{1}" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="{1}" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="{0}" cnt="1" depid="-1" deps="-1" hasdep="1"/>
<step s="2" type="s" srcbuf="i" srcoff="{2}" dstbuf="i" dstoff="{2}" cnt="1" depid="2" deps="2" hasdep="0"/>
<step s="3" type="r" srcbuf="i" srcoff="{1}" dstbuf="i" dstoff="{1}" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>)",
                          b, peer, g);
    }
    text += fmt::format(R"(<tb id="2" send="-1" recv="-1" chan="0">
<step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="0" deps="1" hasdep="0"/>
<step s="1" type="re" srcbuf="s" srcoff="1" dstbuf="s" dstoff="0" cnt="1" depid="1" deps="1" hasdep="0"/>
<step s="2" type="re" srcbuf="s" srcoff="0" dstbuf="i" dstoff="{}" cnt="1" depid="-1" deps="-1" hasdep="1"/>
</tb></gpu>)",
                        g);
  }
  text += "</algo>";
  const Problem problem{.ranks = 3, .elements = 60};
  const Algorithm read =
      algorithm_of(std::make_shared<const Script>(parse_schedule(text, "p.xml")));
  CHECK(verify(read, problem));
  CHECK(count(read, problem).all == Cost{12, 4 * 60, 2});
  // The sum without the second message, with the first message twice, and copied instead of added.
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return refusal_of(changed.replace(changed.find(from), from.size(), to));
  };
  CHECK(with(R"(type="re" srcbuf="s" srcoff="1")", R"(type="nop" srcbuf="s" srcoff="1")")
            .find("never uses a message") != std::string::npos);
  CHECK(with(R"(type="re" srcbuf="s" srcoff="0")", R"(type="re" srcbuf="s" srcoff="1")")
            .find("where no message lies that was not used yet") != std::string::npos);
  CHECK(with(R"(type="re" srcbuf="s" srcoff="1")", R"(type="cpy" srcbuf="s" srcoff="1")")
            .find("copies into scratch memory") != std::string::npos);
}

TEST_CASE("several chunks per GPU in an all-gather and a reduce-scatter, out and in again") {
  for (const Collective collective : {Collective::all_gather, Collective::reduce_scatter})
    for (const char* name : {"ring", "pat"}) {
      const Algorithm& algorithm = find_algorithm(name);
      const Problem problem{.collective = collective, .ranks = 4, .elements = 240};
      REQUIRE(unsupported(algorithm, problem).empty());
      INFO(name << ", " << arlab::name(collective));
      const MscclProgram program = exported_xml(algorithm, problem);
      CHECK(program.gpus[0].input + program.gpus[0].output == program.chunks + program.chunks / 4);
      const Algorithm read = read_back(program);
      REQUIRE(verify(read, problem));
      CHECK(count(read, problem).all.elements == count(algorithm, problem).all.elements);
    }
  // Each of 2 GPUs sends its 2 consecutive chunks, in place.
  std::string text = R"(<algo coll="allgather" ngpus="2" nchunksperloop="4" inplace="1">)";
  for (int g = 0; g < 2; ++g)
    text += fmt::format(
        R"(<gpu id="{0}" i_chunks="0" o_chunks="4" s_chunks="0"><tb id="0" send="{1}" recv="{1}">)"
        R"(<step s="0" type="s" srcbuf="o" srcoff="{2}" dstbuf="o" dstoff="{2}" cnt="2"/>)"
        R"(<step s="1" type="r" srcbuf="o" srcoff="{3}" dstbuf="o" dstoff="{3}" cnt="2"/></tb></gpu>)",
        g, 1 - g, 2 * g, 2 - 2 * g);
  const Algorithm read =
      algorithm_of(std::make_shared<const Script>(parse_schedule(text + "</algo>", "p.xml")));
  CHECK(read.lanes == 2);
  const Problem gather{.collective = Collective::all_gather, .ranks = 2, .elements = 8};
  CHECK(verify(read, gather));
  const Algorithm again = read_back(exported_xml(read, gather));
  CHECK(again.lanes == 2);
  CHECK(count(again, gather).all == count(read, gather).all);
}

TEST_CASE("sums that are passed on without being stored: the ring of msccl-tools") {
  std::string text = R"(<algo name="ring" coll="allreduce" ngpus="3" nchunksperloop="3">)";
  for (int g = 0; g < 3; ++g) {
    const auto chunk = [&](int back) { return (g - back + 6) % 3; };
    text += fmt::format(
        R"(<gpu id="{}" i_chunks="3" o_chunks="3" s_chunks="0"><tb id="0" send="{}" recv="{}">)", g,
        (g + 1) % 3, (g + 2) % 3);
    const char* const kinds[] = {"s", "rrs", "rrcs", "rcs", "r"};
    const int chunks[] = {chunk(0), chunk(1), chunk(2), chunk(0), chunk(1)};
    for (int s = 0; s < 5; ++s)
      text += fmt::format(
          R"(<step s="{}" type="{}" srcbuf="i" srcoff="{}" dstbuf="o" dstoff="{}" cnt="1"/>)", s,
          kinds[s], chunks[s], chunks[s]);
    text += "</tb></gpu>";
  }
  text += "</algo>";
  const Algorithm read =
      algorithm_of(std::make_shared<const Script>(parse_schedule(text, "p.xml")));
  const Problem problem{.ranks = 3, .elements = 30};
  CHECK(count(read, problem).all == Cost{12, 120, 4});
}

TEST_CASE("wrong XML is refused with file, gpu, tb, and step") {
  CHECK(refusal_of("<algo").find("p.xml: is not XML") == 0);
  CHECK(refusal_of("<x/>") == "p.xml: begins with 'x', not with 'algo'");
  CHECK(
      refusal_of("<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;&b;\">]><algo coll=\"&d;\"/>") ==
      "p.xml: has a document type, which such files do not need: remove it");
  CHECK(refusal_of(std::string(100'000, '<')).find("p.xml: is not XML") == 0);
  std::string deep = "<algo name='a' coll='allreduce' ngpus='1' nchunksperloop='1'>";
  for (int i = 0; i < 100'000; ++i) deep += "<gpu>";
  CHECK(refusal_of(deep).find("p.xml: is not XML") == 0);
  for (int i = 0; i < 100'000; ++i) deep += "</gpu>";
  CHECK(refusal_of(deep + "</algo>") == "p.xml: gpu 0: has no attribute \"id\"");
  CHECK(refusal_of(changed("coll=\"allreduce\"", "coll=\"alreduce\"")).find("did you mean") !=
        std::string::npos);
  CHECK(refusal_of(changed("ngpus=\"2\"", "ngpus=\"3\"")) ==
        "p.xml: algo: \"ngpus\" is 3, but there are 2");
  CHECK(refusal_of(changed("srcoff=\"0\" dstbuf=\"i\"", "dstbuf=\"i\"")) ==
        "p.xml: gpu 0, tb 0, step 0: has no attribute \"srcoff\"");
  CHECK(refusal_of(changed("srcoff=\"0\"", "srcoff=\"1e9\"")) ==
        "p.xml: gpu 0, tb 0, step 0: \"srcoff\" is '1e9': give a whole number from 0 to 1048576");
  CHECK(refusal_of(changed("srcoff=\"0\"", "srcoff=\"1\"")) ==
        "p.xml: gpu 0, tb 0, step 0: \"srcoff\" is 1 and \"cnt\" 1, but buffer i has 1 chunks");
  CHECK(refusal_of(changed("type=\"re\"", "type=\"rx\""))
            .find("gpu 0, tb 0, step 2: \"type\" is 'rx'") != std::string::npos);
  CHECK(refusal_of(changed("depid=\"0\" deps=\"0\"", "depid=\"0\" deps=\"4\"")) ==
        "p.xml: gpu 1, tb 1, step 0: waits for step 4 of tb 0, which does not exist");
  CHECK(
      refusal_of(changed("depid=\"0\" deps=\"0\"", "depid=\"-1\" deps=\"-1\"")) ==
      "p.xml: gpu 1, tb 1, step 0: uses chunk 0 of buffer i at the same time as tb 0, step 0: let "
      "one await the other");
  // GPU 1 sends without awaiting the block before, which stores.
  const std::string late = std::string(kTwo.substr(0, kTwo.find("<gpu id=\"1\""))) +
                           R"(<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="1">
<tb id="0" send="-1" recv="0" chan="0">
<step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="1" send="0" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb></gpu></algo>)";
  CHECK(
      refusal_of(late) ==
      "p.xml: gpu 1, tb 1, step 0: uses chunk 0 of buffer i at the same time as tb 0, step 0: let "
      "one await the other");
  CHECK(refusal_of(changed("type=\"re\" srcbuf=\"s\"", "type=\"cpy\" srcbuf=\"s\"")) ==
        "p.xml: its messages wait for one another in a circle, so they form no rounds");
  std::string lost(kTwo);  // GPU 0 overwrites its own contribution, and GPU 1 receives nothing
  lost.replace(lost.find("type=\"rrc\""), 10, "type=\"r\"  ");
  CHECK(refusal_of(lost).find("circle") != std::string::npos);
  CHECK(refusal_of(changed("type=\"s\"", "type=\"nop\"")) ==
        "p.xml: gpu 1, tb 1, step 0: never runs: its peer or an awaited step does not come to it");
  CHECK(refusal_of(changed("send=\"0\" recv=\"-1\"", "send=\"1\" recv=\"-1\"")) ==
        "p.xml: gpu 1, tb 0: has itself as peer");
}

TEST_CASE("limits of the runtimes are named") {
  const Problem problem{.ranks = 40, .elements = 4000};
  const auto limits = runtime_limits(exported_xml(find_algorithm("ring"), problem));
  REQUIRE(limits.size() == 2);
  CHECK(limits[0] == "78 steps in a thread block: RCCL takes 64");
  CHECK(limits[1].find("multiple of 40") != std::string::npos);
  const auto wide = runtime_limits(exported_xml(find_algorithm("all_to_all"), problem));
  CHECK(wide[0] == "78 thread blocks on a GPU: RCCL takes 64");
  CHECK(wide[1] == "78 thread blocks on a channel: msccl takes 32, RCCL 32");
}
