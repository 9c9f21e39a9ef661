// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/script_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/base/text.h"
#include "harness/scrape/document.h"

namespace pippin {

namespace {

template <std::size_t count>
bool is_one_of(std::string_view word, const std::string_view (&words)[count]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string_view first_word(std::string_view line) {
  const auto text = trim(line);
  return text.substr(0, text.find_first_of(" \t;"));
}

bool is_continued(std::string_view line) {
  const auto text = trim(line);
  return text == "\\" || text.ends_with(" \\");
}

/// "NAME=value", "NAME+=value".
bool is_assignment(std::string_view line) {
  const auto text = trim(line);
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
  const auto rest = text.substr(static_cast<std::size_t>(end - text.begin()));
  return end != text.begin() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         (rest.starts_with('=') || rest.starts_with("+="));
}

/// Of loops and conditions, which print nothing.
constexpr std::string_view kStructure[] = {"fi", "done", "esac", "then", "else", "do", ";;", "EOF"};
constexpr std::string_view kStrongCommands[] = {"srun", "sbatch", "export", "echo", "module"};
constexpr std::string_view kCommands[] = {
    "if",         "elif",    "for",        "while",       "until",    "case",    "function",
    "{",          "}",       "source",     ".",           "mpirun",   "mpiexec", "torchrun",
    "python",     "python3", "cd",         "mkdir",       "set",      "unset",   "deepspeed",
    "accelerate", "conda",   "printf",     "wait",        "sleep",    "ulimit",  "cat",
    "cp",         "rm",      "mv",         "trap",        "local",    "eval",    "exec",
    "pip",        "ray",     "date",       "singularity", "hostname", "sh",      "bash",
    "time",       "timeout", "nohup",      "apptainer",   "docker",   "ls",      "return",
    "readonly",   "declare", "nvidia-smi", "scontrol",    "exit"};

}  // namespace

bool is_of_script(std::string_view line) {
  const auto text = trim(line), word = first_word(line);
  const auto comment = text.substr(std::min(text.find_first_not_of('#'), text.size()));
  const bool is_comment =
      text.starts_with("#!") || (text.starts_with('#') && comment.starts_with(' '));
  const bool is_quote = text.find_first_of("\"'") != std::string_view::npos &&
                        text.find_first_not_of("\"');") == std::string_view::npos;
  const bool is_exit = text == "exit" || text.starts_with("exit ");
  return is_comment || is_quote || is_exit || is_directive(text) || is_continued(text) ||
         is_one_of(text, kStructure) || is_one_of(word, kStrongCommands);
}

bool may_be_of_script(std::string_view line) {
  return is_of_script(line) || trim(line).starts_with('#') || is_assignment(line) ||
         is_one_of(first_word(line), kStructure) || is_one_of(first_word(line), kCommands);
}

bool begins_script(std::string_view line) {
  const auto trace = line.substr(std::min(line.find_first_not_of('+'), line.size()));
  return line.starts_with("#!") || is_directive(line) ||
         (line.starts_with('+') && trace.starts_with(" cat "));
}

void ScriptQuotes::see(std::string_view line) {
  char before = ' ';
  for (std::size_t i = 0; i < line.size(); before = line[i++]) {
    const char c = line[i];
    if (c == '\\' && open_ != '\'') {
      ++i;
      if (i >= line.size()) return;
    } else if (open_ != kNone) {
      if (c == open_) open_ = kNone;
    } else if (c == '"' || c == '\'') {
      open_ = c;
    } else if (c == '#' && (before == ' ' || before == '\t')) {
      return;  // the rest is a comment
    }
  }
}

}  // namespace pippin
