#include "bench/study/logged_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/logs/nccl_names.hpp"

namespace arlab::bench {
namespace {

namespace nccl = simulator::nccl;

// "NCCL 2.27.5": the number; empty if the log names none.
std::string version_of(const Json& context) {
  const std::string library = text_at(context, "nccl");
  const std::size_t space = library.rfind(' ');
  return library.substr(space == std::string::npos ? 0 : space + 1);
}

bool is_uneven(const Json& record, const Results& results) {
  const Json& number = member(record, "context");
  return number.is_number_unsigned() && results.uneven.contains(number.get<std::size_t>());
}

class CallReader {
 public:
  CallReader(const Json& record, const Results& results, const LoggedMachine& given)
      : record_(record),
        context_(context_of(results, record)),
        given_(given),
        is_uneven_(is_uneven(record, results)) {}

  /// Returns the call, or nothing: then why() says why.
  std::optional<NcclRow> read() {
    const Json& time = member(record_, "time_us");
    if (text_at(record_, "kind") != "run" || !member(time, "median").is_number() ||
        !member(record_, "bytes").is_number() || !member(record_, "ranks").is_number())
      return none("records without times");
    const std::string algorithm = text_at(record_, "algorithm");
    const std::string_view program = nccl_program_of_call(algorithm);
    if (program.empty())
      return none(fmt::format("times of {}: NCCL's alone are predicted",
                              algorithm.empty() ? "an unknown library" : algorithm));
    NcclRow row{.machine = text_at(context_, "gpu"),
                .network = "",
                .version = version_of(context_),
                .collective = std::string(program),
                .dtype = text_at(record_, "dtype"),
                .op = text_at(record_, "op"),
                .bytes = member(record_, "bytes").get<double>(),
                .in_place = text_at(record_, "place") == "in",
                .us = member(time, "median").get<double>(),
                .split = NcclSplit::unfitted};
    if (!set_machine(row) || !set_size(row)) return std::nullopt;
    if (row.bytes <= 0 || row.us <= 0) return none("calls without data");
    return row;
  }

  const std::string& why() const { return why_; }

 private:
  std::nullopt_t none(std::string why) {
    why_ = std::move(why);
    return std::nullopt;
  }

  bool set_machine(NcclRow& row) {
    if (given_.machine) {
      row.known = given_.machine;
      row.machine = std::string(given_.machine->gpu.name);
      if (given_.has_version || row.version.empty()) return true;
      try {
        row.known->version = nccl::parse_version(row.version);
      } catch (const Error& error) {
        why_ = error.what();
      }
      return why_.empty();
    }
    if (row.machine.empty()) why_ = "the log names no GPU: add --network nccl:gpu=h100";
    return why_.empty();
  }

  // Nodes by the hosts that the log lists; else those of the user's machine.
  bool set_size(NcclRow& row) {
    const auto ranks = member(record_, "ranks").get<Rank>();
    const Json& groups = member(record_, "groups");
    if (is_uneven_) {
      why_ = fmt::format("{} ranks on hosts with other numbers of them: nodes alike are predicted",
                         ranks);
      return false;
    }
    if (groups.is_number() && groups.get<Rank>() > 0) {
      row.nodes = groups.get<Rank>();
    } else if (given_.machine) {
      const Rank gpus = given_.machine->ranks_per_node;
      if (ranks > gpus && ranks % gpus != 0) {
        why_ = fmt::format("{} ranks do not fill nodes of {} GPUs", ranks, gpus);
        return false;
      }
      row.nodes = std::max<Rank>(1, ranks / gpus);
    } else {
      why_ = "the log does not list its ranks' hosts: add --network nccl:gpu=h100,gpus=8";
      return false;
    }
    row.gpus_per_node = ranks / row.nodes;
    if (row.gpus_per_node * row.nodes != ranks)
      why_ = fmt::format("{} ranks do not fill {} nodes evenly", ranks, row.nodes);
    return why_.empty();
  }

  const Json &record_, &context_;
  const LoggedMachine& given_;
  bool is_uneven_;
  std::string why_;
};

}  // namespace

LoggedCalls logged_calls(const Results& results, const LoggedMachine& given) {
  LoggedCalls calls;
  for (const Json& record : results.records) {
    CallReader reader(record, results, given);
    if (auto row = reader.read())
      calls.rows.push_back(std::move(*row));
    else
      calls.skipped.push_back(reader.why());
  }
  return calls;
}

}  // namespace arlab::bench
