#include "bench/tune/identify.hpp"

#include <fmt/format.h>

#include "bench/results/record.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {

Identified identified(std::string asked, collectives::Operand operand, CountedTraffic counted,
                      bool of_library) {
  Match found = match(counted, of_library);
  std::string note = of_library ? why_not(asked, counted, found) : "";
  return {std::move(asked), operand, std::move(counted), std::move(found), std::move(note)};
}

std::string ran(const Identified& one) {
  if (!one.found.library.empty()) return fmt::format("{}", fmt::join(one.found.library, " or "));
  if (!one.found.catalog.empty())
    return fmt::format("like {}", fmt::join(one.found.catalog, " or "));
  return "unknown";
}

std::vector<std::string> sentences(const std::vector<Identified>& all) {
  std::vector<std::string> said;
  const Identified* first = nullptr;
  Bytes last = 0;
  const auto bytes_of = [](const Identified& one) {
    return one.counted.problem.elements * one.counted.problem.element_bytes;
  };
  const auto finish = [&] {
    if (!first) return;
    const std::string from = show_bytes(bytes_of(*first)), to = show_bytes(last);
    said.push_back(fmt::format("The library's choice for {} {} on {}, {}: {}.",
                               name(first->operand.dtype), name(first->operand.op),
                               show_plural(first->counted.problem.ranks, "rank"),
                               from == to ? from : from + " to " + to, ran(*first)));
  };
  for (const Identified& one : all) {
    if (!one.asked.empty()) continue;
    const bool same = first && ran(*first) == ran(one) &&
                      first->operand.dtype == one.operand.dtype &&
                      first->operand.op == one.operand.op;
    if (!same) {
      finish();
      first = &one;
    }
    last = bytes_of(one);
  }
  finish();
  return said;
}

std::string identified_table(const std::vector<Identified>& all) {
  std::vector<std::vector<std::string>> rows;
  for (const Identified& one : all) {
    const LibraryProblem& p = one.counted.problem;
    const PairTraffic::Sent sent = one.counted.allreduce.sum();
    rows.push_back({fmt::to_string(p.ranks), show_count(p.elements),
                    show_bytes(p.elements * p.element_bytes), std::string(name(one.operand.dtype)),
                    std::string(name(one.operand.op)),
                    one.asked.empty() ? "the library's choice" : one.asked, ran(one),
                    show_count(sent.messages), show_bytes(sent.bytes),
                    fmt::format("{}", fmt::join(one.found.catalog, ", ")), one.note});
  }
  return compact({"ranks", "elements", "size", "dtype", "op", "asked for", "ran", "messages",
                  "sent", "same as ours", "note"},
                 rows);
}

Json to_json(const Identified& one) {
  const LibraryProblem& p = one.counted.problem;
  const PairTraffic::Sent sent = one.counted.allreduce.sum();
  return {{"schema", kSchema},
          {"kind", "identify"},
          {"ranks", p.ranks},
          {"elements", p.elements},
          {"bytes", p.elements * p.element_bytes},
          {"dtype", name(one.operand.dtype)},
          {"op", name(one.operand.op)},
          {"asked", text_or_null(one.asked)},
          {"ran", one.found.library},
          {"same_as", one.found.catalog},
          {"messages", sent.messages},
          {"bytes_sent", sent.bytes},
          {"note", text_or_null(one.note)}};
}

}  // namespace arlab::bench
