#include "bench/validation/published/implementation.hpp"

#include <bit>
#include <regex>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/rank_grid.hpp"
#include "bench/validation/calibrated/rounds.hpp"
#include "bench/validation/calibrated/torus_rounds.hpp"

namespace arlab::bench {
namespace {

using simulator::GpuNodesCase;
using simulator::MessageCase;
using simulator::NcclCase;
using simulator::TorusCase;
using simulator::TorusForm;

struct KnownName {
  std::string_view prefix;     // of the published name
  std::string_view algorithm;  // of the catalog
  int copies = 1;              // of the vector on each rank
  bool cuts = false;           // it, into one part per rank
};

// Longer names before those they begin with. PICO's and Open MPI's exchanges of whole vectors work
// on a copy and copy the result back; the other algorithms copy the vector once. Open MPI's
// allgather_reduce gathers all vectors, but its calibration rows equal those of rabenseifner in the
// same jobs within 2%: the library ran that.
constexpr KnownName kKnownNames[] = {
    {"recursive_doubling", "butterfly", 2},
    {"rabenseifner", "rabenseifner", 1, true},
    {"reduce_scatter_allgather", "rabenseifner", 1, true},
    {"redscat_allgather", "rabenseifner", 1, true},
    {"allgather_reduce", "rabenseifner", 1, true},
    {"bine_bdw", "swing"},
    {"swing_bdw", "swing"},
    {"bine_lat", "swing_whole", 2},
    {"swing_lat", "swing_whole", 2},
    {"segmented_ring", "ring", 1, true},
    {"ring", "ring", 1, true},
    {"nonoverlapping", "tree"},
    {"reduce_bcast", "tree"},
    {"basic_linear", "master_worker"},
    {"linear", "master_worker"},
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Implementation left_out(std::string reason) { return {.model = {}, .reason = std::move(reason)}; }

// The number after the last '_'; 0 if there is none.
Count number_at_end(std::string_view text) {
  const std::size_t at = text.rfind('_');
  if (at == std::string_view::npos) return 0;
  return std::max<Count>(0, read_number<Count>(text.substr(at + 1)).value_or(0));
}

bool is_mpich(std::string_view algorithm) { return contains(algorithm, "mpich"); }

// Libraries solve fewer elements than ranks by recursive doubling.
bool has_few_elements(const PublishedTime& row) {
  return row.bytes < simulator::kElementBytes * row.ranks;
}

// Jobs of a power of two of ranks fill their nodes, the last one in part. Then a table that counts
// nodes and ranks per node counts more ranks than there were.
Rank ranks_of_job(const PublishedTime& row) {
  const auto power = static_cast<Rank>(std::bit_floor(static_cast<unsigned>(row.ranks)));
  return row.ranks_per_node > 1 && power > row.ranks - row.ranks_per_node ? power : row.ranks;
}

MessageCase message_case(const PublishedTime& row, std::string_view algorithm, int copies) {
  return {.algorithm = std::string(algorithm),
          .ranks = ranks_of_job(row),
          .ranks_per_node = row.ranks_per_node,
          .node = simulator::node_sheet(row.system),
          .bytes = row.bytes,
          .copies = copies};
}

MessageCase exchange_of_whole_vectors(const PublishedTime& row) {
  return message_case(row, "butterfly", is_mpich(row.algorithm) ? 1 : 2);
}

bool is_before(const PublishedTime& row, std::string_view date) {
  return row.run.starts_with("20") && row.run < date;
}

// Bytes of a segment if the name has none. Until 27 May 2025 PICO's default was the share of a
// rank, for powers of two only; since then it is the whole message, for any number of ranks (commit
// 38bae6f, allreduce_bine_bdw_remap_segmented). Jobs without a date are earlier ones.
double default_segment(const PublishedTime& row, Rank ranks) {
  const bool any_ranks = !std::has_single_bit(static_cast<unsigned>(ranks));
  const bool dated = row.run.starts_with("20");
  if (any_ranks || (dated && !is_before(row, "2025_05_27"))) return 0;
  return static_cast<double>(row.bytes) / static_cast<double>(ranks);
}

Implementation by_messages(const PublishedTime& row, std::string_view text,
                           const KnownName& known) {
  MessageCase one = message_case(row, known.algorithm, is_mpich(text) ? 1 : known.copies);
  if (known.cuts && has_few_elements(row)) one = exchange_of_whole_vectors(row);
  // PICO's segmented form cuts messages that are added up.
  if (known.prefix.ends_with("_bdw") && contains(text, "segmented")) {
    const Count segment = number_at_end(text);
    one.segment = segment > 0 ? static_cast<double>(segment) : default_segment(row, one.ranks);
  }
  const Problem problem{.ranks = one.ranks, .elements = row.bytes / simulator::kElementBytes};
  if (const std::string why = unsupported(find_algorithm(one.algorithm), problem); !why.empty())
    return left_out(why);
  return {.model = one,
          .reason = "",
          .library_chose = !text.ends_with("_over") && !contains(text, "_over_"),
          .cuts = known.cuts || known.prefix.ends_with("_bdw")};
}

Implementation on_torus(const PublishedTime& row, const std::smatch& name) {
  if (name[3] != "UTOFU") return left_out("only uTofu's form of torus collectives is modeled");
  if (row.torus.empty())
    return left_out("a torus algorithm without the sizes of the torus in nodes");
  if (row.ranks_per_node != 1) return left_out("several ranks per node of a torus");
  const RankGrid grid(row.torus);
  if (const std::string why = simulator::unsupported_torus(grid); !why.empty())
    return left_out(why);
  const bool whole = name[2] == "L", rings = name[1] == "RING" || name[1] == "BUCKET";
  TorusCase one{.form = rings   ? TorusForm::rings
                        : whole ? TorusForm::whole
                                : TorusForm::halves,
                .swing = name[1] == "BINE" || name[1] == "SWING",
                .sizes = row.torus,
                .ports = std::stoi(name[5]),
                .segment = std::stod(name[4]),
                .bytes = row.bytes};
  if (one.ports < 1 || one.ports > 64) return left_out("a number of ports that no torus has");
  return {.model = one, .reason = "", .library_chose = false, .cuts = false};
}

Implementation on_gpus(const PublishedTime& row, std::string_view text) {
  if (contains(text, "ccl_ring"))
    return {.model = NcclCase{.tree = false,
                              .ranks = row.ranks,
                              .ranks_per_node = row.ranks_per_node,
                              .bytes = row.bytes},
            .reason = ""};
  if (contains(text, "ccl_tree"))
    return {.model = NcclCase{.tree = true,
                              .ranks = row.ranks,
                              .ranks_per_node = row.ranks_per_node,
                              .bytes = row.bytes},
            .reason = ""};
  if (contains(text, "hier_lat") || contains(text, "hier_bw"))
    return {.model = GpuNodesCase{.whole = contains(text, "hier_lat"),
                                  .ranks = row.ranks,
                                  .ranks_per_node = row.ranks_per_node,
                                  .bytes = row.bytes},
            .reason = ""};
  return left_out("no model of this algorithm");
}

}  // namespace

MessageCase by_default_rule(const PublishedTime& row) {
  constexpr Count kShort = 2048;  // MPICH's MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE
  if (row.bytes <= kShort || has_few_elements(row)) return exchange_of_whole_vectors(row);
  return message_case(row, "rabenseifner", 1);
}

std::optional<bool> library_obeyed(const PublishedTime& row) {
  if (!is_mpich(row.algorithm) || !row.run.starts_with("20")) return std::nullopt;
  return !is_before(row, "2025_03_16___14_59");
}

Implementation implementation_of(const PublishedTime& row) {
  std::string_view text = row.algorithm;
  if (text.starts_with("default")) return left_out("the library's own choice");
  if (contains(text, "non_blocking") || contains(text, "nonblocking"))
    return left_out("a nonblocking collective, whose algorithm is the library's choice");
  if (contains(text, "ccl_"))
    for (const std::string_view fallback : {"nvls", "pat", "collnet"})
      if (contains(text, fallback)) return left_out("NCCL falls back to ring or tree");
  if (row.ranks < 2) return left_out("one rank");
  static const std::regex kTorusName("([A-Z]+)-([A-Z_]+)-([A-Z]+)-([0-9]{1,9})-([0-9]{1,3})");
  std::smatch torus;
  if (std::regex_match(row.algorithm, torus, kTorusName)) return on_torus(row, torus);
  if (contains(text, "ccl_") || contains(text, "hier_")) return on_gpus(row, text);
  if (text.starts_with("allreduce_")) text.remove_prefix(std::string_view("allreduce_").size());
  for (const KnownName& known : kKnownNames)
    if (text == known.prefix || text.starts_with(std::string(known.prefix) + "_"))
      return by_messages(row, text, known);
  return left_out("no model of this algorithm");
}

}  // namespace arlab::bench
