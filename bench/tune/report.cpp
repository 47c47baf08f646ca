#include "bench/tune/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

std::string name_of_choice(const TunedChoice& choice) {
  return choice.segments == 1 ? choice.algorithm
                              : fmt::format("{} in {} segments", choice.algorithm, choice.segments);
}

// "ring, or 3 others (1.04 times, 80% interval 0.93 to 1.16)".
std::string tied_text(const TuneDecision& d) {
  if (d.ties.empty()) return "";
  const std::size_t others = d.ties.size() - 1;
  return fmt::format("{}{} ({})", name_of_choice(d.ties.front()),
                     others == 0 ? "" : fmt::format(", {} more", others), text_of(d.nearest));
}

// In how many cells intervals leave open who is the fastest; empty if in none.
std::string tied_cells(const std::vector<std::optional<TuneDecision>>& decisions) {
  Count all = 0, tied = 0;
  for (const auto& d : decisions) {
    all += d ? 1 : 0;
    tied += d && !d->ties.empty() ? 1 : 0;
  }
  if (tied == 0) return "";
  return fmt::format(
      "A tie in {} of {}, where the 80% interval of the ratio to the fastest holds 1: of those "
      "within 5%, the choice of the next smaller size stays there, or else the one with the fewest "
      "messages is taken.",
      tied, show_plural(all, "cell"));
}

// How many defaults the choices replace, and where they gain most; empty without defaults.
std::string replaced(const std::vector<TuneCell>& cells,
                     const std::vector<std::optional<TuneDecision>>& decisions, const char* among) {
  if (decisions.empty()) return "";
  Count all = 0, changed = 0;
  double gain = 0;
  std::string where;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!decisions[i] || !decisions[i]->usual) continue;
    const TuneDecision& d = *decisions[i];
    ++all;
    if (d.best.choice == d.usual->choice) continue;
    ++changed;
    const double ratio = d.usual->median_us / d.best.median_us;
    if (ratio <= gain) continue;
    gain = ratio;
    where = fmt::format("{}, {}: {}", show_plural(cells[i].ranks, "rank"),
                        show_bytes(cells[i].bytes), name_of_choice(d.best.choice));
  }
  if (all == 0) return "";
  if (changed == 0)
    return fmt::format("Of {}, none is faster than the library's default beyond chance, in {}.",
                       among, show_plural(all, "cell"));
  return fmt::format(
      "Of {}, others are faster than the library's default in {} of {}, most at {}, {:.2f} times.",
      among, changed, show_plural(all, "cell"), where, gain);
}

// How much slower the choice of each cell is than the lowest median in it, at most: 0.05 is 5%.
double largest_loss(const std::vector<std::optional<TuneDecision>>& decisions) {
  double loss = 0;
  for (const auto& d : decisions)
    if (d && d->fastest->median_us > 0)
      loss = std::max(loss, d->best.median_us / d->fastest->median_us - 1);
  return loss;
}

}  // namespace

std::string table_of_decisions(const std::vector<TuneCell>& cells,
                               const std::vector<std::optional<TuneDecision>>& decisions) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!decisions[i]) continue;
    const TuneDecision& d = *decisions[i];
    const bool changed = d.usual && d.best.choice != d.usual->choice;
    rows.push_back(
        {fmt::to_string(cells[i].ranks), show_bytes(cells[i].bytes), name_of_choice(d.best.choice),
         show_time(d.best.median_us), d.usual ? show_time(d.usual->median_us) : "",
         d.usual ? fmt::format("{:.2f}", d.usual->median_us / d.best.median_us) : "",
         changed ? fmt::format("{:.2g}", d.p) : "",
         d.fastest->choice == d.best.choice ? "" : name_of_choice(d.fastest->choice),
         d.fastest->choice == d.best.choice ? "" : show_time(d.fastest->median_us), tied_text(d)});
  }
  return compact({"ranks", "size", "choice", "time", "default", "speed-up", "p",
                  "lower median, not sure", "its time", "a tie with"},
                 rows);
}

std::vector<std::string> sentences(const std::vector<TuneCell>& cells,
                                   const std::vector<std::optional<TuneDecision>>& of_all,
                                   const std::vector<std::optional<TuneDecision>>& of_library,
                                   const TuneFiles& files) {
  std::vector<std::string> said;
  if (std::string text = replaced(cells, of_all, "candidates"); !text.empty())
    said.push_back(std::move(text));
  if (std::string text = replaced(cells, of_library, "the library's algorithms");
      !text.empty() && !files.open_mpi.empty())
    said.push_back(std::move(text));
  if (std::string text = tied_cells(of_all); !text.empty()) said.push_back(std::move(text));
  if (const double loss = largest_loss(of_all); loss > 0)
    said.push_back(
        fmt::format("Choices are at most {:.1f}% slower than the lowest median of their cell, "
                    "which may be lowest by chance.",
                    100 * loss));
  if (const auto unknown = unknown_to_runs(cells); !unknown.empty())
    said.push_back(
        fmt::format("{} {} left out: runs that read a table know no trees or grid of the "
                    "network, and no switches that add.",
                    fmt::join(unknown, ", "), unknown.size() == 1 ? "is" : "are"));
  if (const auto unknown = unknown_to_nccl(cells); !files.nccl.empty() && !unknown.empty())
    said.push_back(fmt::format("{} chooses without {}, which NCCL does not have.", files.nccl,
                               fmt::join(unknown, ", ")));
  const std::size_t without_use = said.size();
  if (!files.open_mpi.empty() && (!files.version || !files.version->reads_json()))
    said.push_back(
        fmt::format("To use it: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
                    "coll_tuned_dynamic_rules_filename {} -n {} PROGRAM",
                    files.open_mpi, cells.back().ranks));
  if (!files.table.empty())
    said.push_back(fmt::format("To use it: mpirun -n {} arlab run auto:table={}",
                               cells.back().ranks, files.table));
  if (said.size() == without_use && files.mpich.empty() && files.nccl.empty() &&
      files.open_mpi.empty())
    said.push_back(
        "To write the choices down: add --open-mpi rules.conf for Open MPI, or --table tuned.json "
        "for arlab run auto.");
  return said;
}

}  // namespace arlab::bench
