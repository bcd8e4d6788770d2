// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of one tool: declared once, parsed strictly, with "did you mean" for a misspelt one.
//
//   CommandLine line("heddle run", "Runs an artifact", "Examples:\n  …");
//   line.positional(path, "FILE", "the artifact");
//   line.list(devices, "--device", "URI", "a device, repeated in order");
//   if (auto status = line.parse(argc, argv))
//     return *status;                                   // --help or --version was printed
#ifndef HEDDLE_TOOLS_LIB_COMMANDLINE_H
#define HEDDLE_TOOLS_LIB_COMMANDLINE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::tools {

// The variables given to positional(), flag(), value() and list() are written by parse() and must outlive it. Their
// values before stand when the flag is absent.
class CommandLine {
public:
  CommandLine(std::string tool, const std::string &summary, const std::string &footer);
  ~CommandLine();

  // Required; the only argument that is not a flag.
  void positional(std::string &to, const std::string &name, const std::string &help);
  // The same, but may be left out.
  void optionalPositional(std::string &to, const std::string &name, const std::string &help);
  // Flags declared from here on stand under this heading in --help; those of the group "" are not shown.
  void group(const std::string &name);
  void flag(bool &to, const std::string &name, const std::string &help);
  void value(std::string &to, const std::string &name, const std::string &type, const std::string &help);
  void value(std::optional<double> &to, const std::string &name, const std::string &type, const std::string &help);
  void value(std::optional<uint64_t> &to, const std::string &name, const std::string &type, const std::string &help);
  void value(std::optional<std::string> &to, const std::string &name, const std::string &type, const std::string &help);
  // `--name` gives "", `--name=X` gives "X"; without the flag nothing is written.
  void optionalValue(std::optional<std::string> &to, const std::string &name, const std::string &type,
                     const std::string &help);
  // May be given several times; each time takes one value.
  void list(std::vector<std::string> &to, const std::string &name, const std::string &type, const std::string &help);

  // Returns the exit status when the tool is done (--help, --version, and the hidden --help-man and --help-table, which
  // say the same as a manual page and for programs). Throws UsageError.
  std::optional<int> parse(int argc, const char *const *argv);

  // The flags that parse() found, by their long names in the order of declaration, with the values as given ("true" for
  // one without).
  std::vector<std::pair<std::string, std::vector<std::string>>> given() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_COMMANDLINE_H
