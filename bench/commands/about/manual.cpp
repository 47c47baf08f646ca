// Manual pages, in the macros of man(7).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/commands/about/about.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/table_options.hpp"
#include "bench/results/version.hpp"

namespace arlab::bench {
namespace {

// Text as roff prints it: backslashes and hyphens as they are, no request at the start of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || text[i - 1] == '\n';
    if (starts && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

std::string heading_of_option(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) names += "--" + name + ", ";
  names = names.empty() ? option.get_name(true) : names.substr(0, names.size() - 2);
  const std::string type = option.get_type_name();
  return type.empty() || option.get_items_expected_max() == 0
             ? fmt::format("\\fB{}\\fR", roff(names))
             : fmt::format("\\fB{}\\fR \\fI{}\\fR", roff(names), roff(type));
}

std::string paragraph_of(const CLI::Option& option) {
  return fmt::format(".TP\n{}\n{}\n", heading_of_option(option), roff(option.get_description()));
}

std::string paragraphs_of(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* const option : command.get_options())
    if (!is_hidden(*option)) text += paragraph_of(*option);
  return text;
}

// Those that commands share, which the program lists.
std::string common_paragraphs(const CLI::App& app, const CLI::App& command) {
  std::string text;
  for (const CLI::Option* const option : app.get_options()) {
    const bool of_tables =
        option->get_group() == kTableOptions && command.get_option_no_throw(option->get_name());
    if (of_tables || option->get_name() == "--config") text += paragraph_of(*option);
  }
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app, const CLI::App& command) {
  std::string about = command.get_description(), examples = command.get_footer();
  if (const std::size_t at = about.find("\n\nExamples:"); at != std::string::npos) {
    examples = about.substr(at + 2);  // of a command whose help begins with them
    about.resize(at);
  }
  std::string text = fmt::format(
      ".TH ARLAB\\-{} 1 \"\" \"arlab {}\" \"Allreduce Lab\"\n.SH NAME\narlab\\-{} \\- {}\n"
      ".SH SYNOPSIS\n.B arlab {}\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n{}.\n.SH OPTIONS\n{}",
      command.get_name(), kVersion, command.get_name(), roff(about), command.get_name(),
      roff(about), paragraphs_of(command) + common_paragraphs(app, command));
  for (const CLI::App* const part : command.get_subcommands({}))
    text += fmt::format(".SH \"{} {}\"\n{}.\n{}", command.get_name(), part->get_name(),
                        roff(part->get_description()), paragraphs_of(*part));
  if (!examples.empty()) text += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", roff(examples));
  text += ".SH \"SEE ALSO\"\n";
  std::string others;
  for (const CLI::App* const other : app.get_subcommands({}))
    if (other != &command)
      others +=
          fmt::format("{}\\fBarlab\\-{}\\fR(1)", others.empty() ? "" : ", ", other->get_name());
  return text + others + "\n";
}

}  // namespace arlab::bench
