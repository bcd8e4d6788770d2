// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/CommandLine.h"

#include "tools/lib/Error.h"
#include "tools/lib/Suggest.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

namespace heddle::tools {
namespace {

// CLI11 would take "-1" for an unsigned number.
template <typename T> T number(const std::string &flag, const char *kind, const std::string &text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(flag + " takes " + kind + ", got '" + text + "'");
  return value;
}

constexpr const char *kHelpGroup = "Help";

// Text as roff prints it: backslashes, hyphens and dots at the begin of a line are its own.
std::string forRoff(const std::string &text) {
  std::string out;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

} // namespace

struct CommandLine::State {
  std::string tool;
  CLI::App app;
  std::vector<std::string> flags;     // "--device", …
  std::vector<std::string> withValue; // those of them that take one
  std::string *required = nullptr;
  std::string requiredName;
  std::string group = "Options";
  std::string footer;

  State(const std::string &tool, const std::string &summary) : tool(tool), app(summary, tool) {}

  // CLI11 prints a positional in brackets unless it checks itself that it is there, which would hide a misspelt flag.
  std::string help() const {
    std::string text = app.help(), optional = "[" + requiredName + "]";
    if (size_t at = text.find(optional); required && at != text.npos)
      text.replace(at, optional.size(), requiredName);
    return text;
  }
  // `name` may begin with a short one: "-o,--output".
  void addFlag(std::string name, bool takesValue) {
    if (size_t at = name.find("--"); at != name.npos)
      name.erase(0, at);
    if (!group.empty())
      flags.push_back(name);
    if (takesValue)
      withValue.push_back(name);
  }
  // What --help shows, in its order: each argument, then each flag with its heading.
  template <typename Visit> void visitShown(Visit visit) const {
    auto options = app.get_options([](const CLI::Option *option) { return !option->get_group().empty(); });
    std::vector<std::string> groups;
    for (const CLI::Option *option : options)
      if (!option->get_positional() && option->get_group() != kHelpGroup &&
          std::find(groups.begin(), groups.end(), option->get_group()) == groups.end())
        groups.push_back(option->get_group());
    groups.emplace_back(kHelpGroup);
    for (const CLI::Option *option : options)
      if (option->get_positional())
        visit(*option, "");
    for (const std::string &group : groups)
      for (const CLI::Option *option : options)
        if (!option->get_positional() && option->get_group() == group)
          visit(*option, group);
  }

  static std::string typeOf(const CLI::Option &option) {
    std::string type = option.get_type_name();
    return option.get_items_expected_max() == 0 ? "" : type;
  }

  // A line each: NAME,NAME tab TYPE tab HELP; the type is "" for one without a value.
  std::string table() const {
    std::string text;
    visitShown([&](const CLI::Option &option, const std::string &) {
      text += option.get_name(option.get_positional(), !option.get_positional()) + "\t" + typeOf(option) + "\t" +
              option.get_description() + "\n";
    });
    return text;
  }

  std::string man() const {
    std::string name = tool, text, heading;
    std::replace(name.begin(), name.end(), ' ', '-');
    text = ".TH " + name + " 1 \"\" \"heddle " HEDDLE_VERSION "\" \"Heddle\"\n.SH NAME\n" + name + " \\- " +
           forRoff(app.get_description()) + "\n.SH SYNOPSIS\n.B " + forRoff(tool) + "\n[FLAGS] " + requiredName +
           "\n.SH OPTIONS\n";
    visitShown([&](const CLI::Option &option, const std::string &group) {
      if (group != std::exchange(heading, group))
        text += ".SS " + forRoff(group) + "\n";
      std::string type = typeOf(option);
      text += ".TP\n\\fB" + forRoff(option.get_name(option.get_positional(), !option.get_positional())) + "\\fR" +
              (type.empty() ? "" : (type[0] == '[' ? "" : " ") + ("\\fI" + forRoff(type)) + "\\fR") + "\n" +
              forRoff(option.get_description()) + "\n";
    });
    return text + (footer.empty() ? "" : ".SH NOTES\n.nf\n" + forRoff(footer) + "\n.fi\n") +
           ".SH SEE ALSO\n.BR heddle (1)\n";
  }

  // CLI11 would take the next argument for the missing value.
  void rejectEmptyValues(int argc, const char *const *argv) const {
    for (int i = 1; i < argc; ++i)
      for (const std::string &name : withValue)
        if (argv[i] == name + "=")
          throw UsageError(name + " needs a value, got nothing after '='");
  }
  void rejectUnknown() const {
    for (const std::string &argument : app.remaining()) {
      if (!argument.starts_with('-') || argument == "-")
        throw UsageError("unexpected argument '" + argument + "'" +
                         (required ? "; there is one " + requiredName + ", '" + *required + "'" : ""));
      std::string name = argument.substr(0, argument.find('='));
      throw UsageError("unknown flag '" + name + "'" + didYouMean(name, flags));
    }
  }
};

CommandLine::CommandLine(std::string tool, const std::string &summary, const std::string &footer)
    : state_(std::make_unique<State>(tool, summary)) {
  CLI::App &app = state_->app;
  app.set_help_flag("-h,--help", "Print this and exit")->group(kHelpGroup);
  app.set_version_flag("--version", tool + " " HEDDLE_VERSION, "Print the version and exit")->group(kHelpGroup);
  app.add_flag("--help-man")->group("");
  app.add_flag("--help-table")->group("");
  app.allow_extras();
  app.footer(footer);
  state_->footer = footer;
  app.get_formatter()->column_width(34);
  state_->flags = {"--help", "--version"};
}

CommandLine::~CommandLine() = default;

void CommandLine::positional(std::string &to, const std::string &name, const std::string &help) {
  state_->app.add_option(name, to, help)->type_name("");
  state_->required = &to;
  state_->requiredName = name;
}

void CommandLine::optionalPositional(std::string &to, const std::string &name, const std::string &help) {
  state_->app.add_option(name, to, help)->type_name("");
}

void CommandLine::group(const std::string &name) { state_->group = name; }

void CommandLine::flag(bool &to, const std::string &name, const std::string &help) {
  state_->app.add_flag(name, to, help)->group(state_->group);
  state_->addFlag(name, false);
}

void CommandLine::value(std::string &to, const std::string &name, const std::string &type, const std::string &help) {
  state_->app.add_option(name, to, help)->type_name(type)->group(state_->group);
  state_->addFlag(name, true);
}

void CommandLine::value(std::optional<std::string> &to, const std::string &name, const std::string &type,
                        const std::string &help) {
  auto read = [&to](const std::string &text) { to = text; };
  state_->app.add_option_function<std::string>(name, read, help)->type_name(type)->group(state_->group);
  state_->addFlag(name, true);
}

void CommandLine::value(std::optional<double> &to, const std::string &name, const std::string &type,
                        const std::string &help) {
  auto read = [&to, name](const std::string &text) { to = number<double>(name, "a number", text); };
  state_->app.add_option_function<std::string>(name, read, help)->type_name(type)->group(state_->group);
  state_->addFlag(name, true);
}

void CommandLine::value(std::optional<uint64_t> &to, const std::string &name, const std::string &type,
                        const std::string &help) {
  auto read = [&to, name](const std::string &text) { to = number<uint64_t>(name, "a whole number", text); };
  state_->app.add_option_function<std::string>(name, read, help)->type_name(type)->group(state_->group);
  state_->addFlag(name, true);
}

void CommandLine::list(std::vector<std::string> &to, const std::string &name, const std::string &type,
                       const std::string &help) {
  state_->app.add_option(name, to, help)->type_name(type)->allow_extra_args(false)->group(state_->group);
  state_->addFlag(name, true);
}

void CommandLine::optionalValue(std::optional<std::string> &to, const std::string &name, const std::string &type,
                                const std::string &help) {
  auto read = [&to](const std::vector<std::string> &given) { to = given.empty() ? "" : given.front(); };
  state_->app.add_option_function<std::vector<std::string>>(name, read, help)
      ->type_name("[=" + type + "]")
      ->expected(0, 1)
      ->trigger_on_parse()
      ->group(state_->group);
  state_->addFlag(name, false);
}

std::vector<std::pair<std::string, std::vector<std::string>>> CommandLine::given() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const CLI::Option *option : static_cast<const CLI::App &>(state_->app).get_options())
    if (option->count() > 0 && !option->get_positional())
      all.emplace_back(option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front(),
                       option->results());
  return all;
}

std::optional<int> CommandLine::parse(int argc, const char *const *argv) {
  state_->rejectEmptyValues(argc, argv);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--help-man" || std::string_view(argv[i]) == "--help-table") {
      std::fputs((std::string_view(argv[i]) == "--help-man" ? state_->man() : state_->table()).c_str(), stdout);
      return kDone;
    }
  try {
    state_->app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::fputs(state_->help().c_str(), stdout);
    return kDone;
  } catch (const CLI::CallForVersion &version) {
    std::printf("%s\n", version.what());
    return kDone;
  } catch (const CLI::ParseError &error) {
    throw UsageError(error.what());
  }
  state_->rejectUnknown();
  if (state_->required && state_->required->empty())
    throw UsageError(state_->requiredName + " is missing: " + state_->tool + " " + state_->requiredName + " …");
  return std::nullopt;
}

} // namespace heddle::tools
