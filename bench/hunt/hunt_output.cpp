#include "bench/hunt/hunt_output.hpp"

#include <exception>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/hunt/hunt_changes.hpp"
#include "bench/results/context.hpp"
#include "bench/text/say.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {

HuntOutput::HuntOutput(To to, std::optional<HuntFile> earlier)
    : to_(std::move(to)), earlier_(std::move(earlier)) {}

void HuntOutput::add(const Hunted& hunted, const hunt::Search& found) {
  Json record = hunt_record(hunted, found);
  std::optional<HuntChanges> changes;
  if (earlier_) {
    changes = hunt_changes(*earlier_, record);
    record["against"] = changes_json(*changes, *earlier_);
  }
  is_slow_ = is_slow_ || found.verdict == hunt::Verdict::slow || (changes && changes->is_slower());
  std::exception_ptr lost;  // what was found is printed also if the file cannot take it
  try {
    write(record);
  } catch (const Error&) {
    lost = std::current_exception();
  }
  show(hunted, found, record, changes);
  if (lost) std::rethrow_exception(lost);
}

void HuntOutput::show(const Hunted& hunted, const hunt::Search& found, const Json& record,
                      const std::optional<HuntChanges>& changes) {
  if (to_.json == "-") return;
  if (!to_.is_watch) {
    print("{}", Lines{hunt_text(hunted, found)});
    if (changes) print("\n{}", Lines{changes_text(*changes, *earlier_)});
    return;
  }
  const std::string date = to_.has_dates ? utc_now() : "";
  print("{}", Lines{rounds_.add(record, date, changes ? &*changes : nullptr)});
  check_stdout();  // which flushes: a file can be followed, and a watch that is lost ends
}

int HuntOutput::end() const {
  if (to_.is_watch && to_.json != "-") print("{}", Lines{rounds_.summary()});
  return is_slow_ ? 1 : 0;
}

// Each record has its own context, and so its own date.
void HuntOutput::write(const Json& record) {
  if (to_.json.empty()) return;
  const Json now = context(to_.command);
  if (file_)
    file_->add(now);
  else
    file_.emplace(to_.json, ResultFile::Mode::fresh, now);
  file_->add(record);
}

}  // namespace arlab::bench
