#include "bench/python/call.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "algorithms/base/names.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/words/parse.hpp"
#include "bench/options/words/words.hpp"
#include "bench/training/settings_file.hpp"

namespace arlab::bench::python {
namespace {

struct Callable {
  std::string_view name;
  void (*add)(CLI::App& command, Session& session);
};

constexpr Callable kCallable[] = {
    {"show", add_show},   {"verify", add_verify}, {"count", add_count}, {"simulate", add_simulate},
    {"bound", add_bound}, {"run", add_run},       {"plan", add_plan},   {"export", add_export}};

}  // namespace

int call(const std::vector<std::string>& words, const std::shared_ptr<Caller>& caller) {
  CLI::App app;
  app.name("arlab");
  app.require_subcommand(1);
  Session session;
  session.caller = caller;
  std::vector<std::string> all{"arlab"};
  all.insert(all.end(), words.begin(), words.end());
  session.command = with_settings(std::move(all));
  const std::string name = words.empty() ? "" : words.front();
  const auto found = std::ranges::find(kCallable, name, &Callable::name);
  if (found == std::end(kCallable)) fail_unknown("command", name, names_of(std::span(kCallable)));
  found->add(*app.add_subcommand(name, ""), session);
  session.words = session.command;
  parse(app, checked_words(app, session.words));
  return session.exit_code;
}

}  // namespace arlab::bench::python
