// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/heddle/Completion.h"

#include <algorithm>
#include <cctype>

namespace heddle::tools {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// "on|off": words in small letters, all of them.
std::vector<std::string> choicesOf(const std::string &type) {
  std::vector<std::string> words = split(type, '|');
  bool areWords = std::all_of(words.begin(), words.end(), [](const std::string &word) {
    return !word.empty() && std::all_of(word.begin(), word.end(),
                                        [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-'; });
  });
  return areWords ? words : std::vector<std::string>();
}

std::string join(const std::vector<std::string> &words, const std::string &between) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

std::string replaceEach(std::string text, char from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, 1, to);
  return text;
}

// In single quotes of a POSIX shell.
std::string quote(const std::string &text) { return "'" + replaceEach(text, '\'', "'\\''") + "'"; }

std::string forBash(const std::vector<CompletedVerb> &verbs) {
  std::string names, cases;
  for (const CompletedVerb &verb : verbs) {
    std::vector<std::string> flags, files;
    std::string choices;
    for (const CompletedFlag &flag : verb.flags) {
      flags.insert(flags.end(), flag.names.begin(), flag.names.end());
      if (flag.isFile)
        files.insert(files.end(), flag.names.begin(), flag.names.end());
      if (!flag.choices.empty())
        choices += "        " + join(flag.names, "|") + ") words=" + quote(join(flag.choices, " ")) + " ;;\n";
    }
    names += (names.empty() ? "" : " ") + verb.name;
    cases += "    " + verb.name + ")\n      flags=" + quote(join(flags, " ")) +
             "\n      files=" + quote(join(files, " ")) + "\n" +
             (choices.empty() ? "" : "      case $previous in\n" + choices + "      esac\n") + "      ;;\n";
  }
  return "# bash completion of heddle: source <(heddle completion bash)\n"
         "_heddle() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} flags= files= words=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W " +
         quote(names) +
         " -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  if [ \"$cur\" = = ]; then cur=; elif [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  elif [ \"${cur:0:1}\" = - ]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n"
         "  else\n"
         "    compopt -o filenames 2> /dev/null\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _heddle heddle\n";
}

std::string forZsh(const std::vector<CompletedVerb> &verbs) {
  auto shown = [](const std::string &help) {
    std::string text = replaceEach(replaceEach(help, '[', "("), ']', ")");
    return replaceEach(text, ':', "\\:");
  };
  std::string names, cases;
  for (const CompletedVerb &verb : verbs) {
    names += "    " + quote(replaceEach(verb.name, ':', "\\:") + ":" + verb.help) + "\n";
    cases += "    " + verb.name + ") _arguments \\\n";
    for (const CompletedFlag &flag : verb.flags)
      for (const std::string &name : flag.names) {
        std::string action = flag.isFile ? "_files" : flag.choices.empty() ? " " : "(" + join(flag.choices, " ") + ")";
        std::string equals = !flag.takesValue ? "" : name.starts_with("--") ? "=" : "+";
        cases +=
            "      " +
            quote("*" + name + equals + "[" + shown(flag.help) + "]" + (flag.takesValue ? ":value:" + action : "")) +
            " \\\n";
      }
    cases += "      '*:file:_files' ;;\n";
  }
  return "#compdef heddle\n"
         "# zsh completion of heddle: heddle completion zsh > a folder of $fpath/_heddle\n"
         "_heddle() {\n  local -a verbs=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
         "  local verb=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $verb in\n" +
         cases +
         "    *) _files ;;\n  esac\n}\n"
         "if [ \"$funcstack[1]\" = _heddle ]; then _heddle \"$@\"; else compdef _heddle heddle; fi\n";
}

std::string forFish(const std::vector<CompletedVerb> &verbs) {
  auto quoted = [](const std::string &text) {
    return "'" + replaceEach(replaceEach(text, '\\', "\\\\"), '\'', "\\'") + "'";
  };
  std::string text = "# fish completion of heddle: heddle completion fish > ~/.config/fish/completions/heddle.fish\n";
  for (const CompletedVerb &verb : verbs) {
    text += "complete -c heddle -n __fish_use_subcommand -f -a " + verb.name + " -d " + quoted(verb.help) + "\n";
    for (const CompletedFlag &flag : verb.flags) {
      text += "complete -c heddle -n '__fish_seen_subcommand_from " + verb.name + "'";
      for (const std::string &name : flag.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (flag.takesValue)
        text += flag.isFile ? " -r -F" : flag.choices.empty() ? " -x" : " -x -a " + quoted(join(flag.choices, " "));
      text += " -d " + quoted(flag.help) + "\n";
    }
  }
  return text;
}

} // namespace

std::vector<CompletedFlag> parseTable(std::string_view table) {
  std::vector<CompletedFlag> flags;
  for (const std::string &line : split(table, '\n')) {
    size_t first = line.find('\t'), second = first == line.npos ? line.npos : line.find('\t', first + 1);
    if (second == line.npos || !line.starts_with('-'))
      continue;
    std::string type = line.substr(first + 1, second - first - 1);
    CompletedFlag flag;
    flag.names = split(std::string_view(line).substr(0, first), ',');
    flag.help = line.substr(second + 1);
    flag.takesValue = !type.empty() && !type.starts_with("[=");
    flag.isFile = type.find("FILE") != type.npos || type.find("DIR") != type.npos || type.find("MODEL") != type.npos ||
                  type.find("PATH") != type.npos;
    flag.choices = choicesOf(type);
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::string completionScript(const std::string &shell, const std::vector<CompletedVerb> &verbs) {
  return shell == "bash" ? forBash(verbs) : shell == "zsh" ? forZsh(verbs) : shell == "fish" ? forFish(verbs) : "";
}

} // namespace heddle::tools
