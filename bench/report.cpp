// arlab report: one self-contained HTML page from result files: the page of plots/ with the records
// put in.
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "algorithms/error.hpp"
#include "bench/context.hpp"
#include "bench/report_page.hpp"
#include "bench/result_file.hpp"
#include "bench/verbs.hpp"

namespace arlab {
namespace {

struct ReportVerb {
  std::vector<std::string> files;
  std::string output = "report.html";
};

// JSON inside a script: nothing in it may end the script.
std::string script_safe(const std::string& json) {
  std::string safe;
  for (const char c : json) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

void report(const ReportVerb& verb, const Session& session) {
  Json data{{"contexts", Json::array()},
            {"records", Json::array()},
            {"files", verb.files},
            {"generated", utc_now()},
            {"command", shell_quoted(session.command)}};
  for (const std::string& file : verb.files) {
    Results results = read_results(file);
    if (results.cut_short)
      fmt::print(stderr, "note: the last line of {} is half-written and left out\n", file);
    const std::size_t contexts = data["contexts"].size();
    for (Json& context : results.contexts) data["contexts"].push_back(std::move(context));
    for (Json& record : results.records) {
      if (record["context"].is_number())
        record["context"] = record["context"].get<std::size_t>() + contexts;
      data["records"].push_back(std::move(record));
    }
  }
  if (data["records"].empty())
    fail(Blame::usage,
         "no records in the files given: write some with --json, for example "
         "arlab simulate all --json results.jsonl");
  constexpr std::string_view kPlace = "/*ARLAB_DATA*/null/*END*/";
  std::string page(kReportPage);
  const std::size_t at = page.find(kPlace);
  expects(at != std::string::npos, "the report page has no place for data");
  page.replace(at, kPlace.size(),
               script_safe(data.dump(-1, ' ', false, Json::error_handler_t::replace)));
  std::ofstream out(verb.output, std::ios::binary);
  out << page;
  out.close();
  if (!out) fail(Blame::environment, fmt::format("cannot write {}", verb.output));
  fmt::print(stderr, "wrote {} ({} records)\n", verb.output, data["records"].size());
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("report", "One self-contained HTML page from result files");
  verb->footer(
      "Examples:\n  arlab report results.jsonl\n  arlab report results/*.jsonl -o "
      "results/report.html");
  const auto options = std::make_shared<ReportVerb>();
  verb->add_option("files", options->files, "Result files (JSON Lines)")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--output", options->output, "Page to write (default report.html)")
      ->type_name("FILE");
  verb->callback([options, &session] { report(*options, session); });
}

}  // namespace arlab
