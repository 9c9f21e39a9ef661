// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/documents.h"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>

#include "core/base/text.h"
#include "tests/support/catch.h"

namespace pippin::test {

namespace {

constexpr std::string_view kPrompt = "$ ", kFence = "```";

struct Step {
  std::string command, shown;
};

/// The commands of one console block, each with what is shown below it.
std::vector<Step> steps_in(const std::string& block) {
  std::vector<Step> steps;
  for (const auto line : split(trim(block), '\n')) {
    if (line.substr(0, kPrompt.size()) == kPrompt) {
      steps.push_back({std::string(line.substr(kPrompt.size())), ""});
    } else {
      REQUIRE_FALSE(steps.empty());
      steps.back().shown += std::string(line) + "\n";
    }
  }
  return steps;
}

/// What must be the same on every machine: numbers, their unit, drawings, widths and marks are not.
std::string shape_of(const std::string& text) {
  std::string shape = std::regex_replace(text, std::regex("[0-9]+(\\.[0-9]+)?"), "#");
  shape = std::regex_replace(shape, std::regex("·|─|•|●|‹|›"), " ");
  shape = std::regex_replace(shape, std::regex("# ms\\b"), "# s");
  shape = std::regex_replace(shape, std::regex("× ± #"), "×");  // a wide one is not shown
  shape = std::regex_replace(shape, std::regex("-{3,}:?"), "--");
  shape = std::regex_replace(shape, std::regex(" +[*~]+|[*~] .*\n"), "");
  shape = std::regex_replace(shape, std::regex("(best|tied) [<>]?# %"), "# %");  // who wins today
  shape = std::regex_replace(shape, std::regex("within a run, times .*\n"), "");
  // The closing words of run: who won, by how much, how large the noise was.
  shape = std::regex_replace(
      shape,
      std::regex(".* (is the best|is in front, but|as good as equal|would probably decide|most of "
                 "the noise).*(\n|$)"),
      "");
  return std::string(trim(std::regex_replace(shape, std::regex("[ \n]+"), " ")));
}

/// Whether a command's figures depend on nothing but the program.
bool is_certain(const std::string& command) {
  return std::regex_search(command, std::regex("pippin( --quiet)? (estimate|search|plan) "));
}

/// The fenced blocks of a text, without their fences.
std::vector<std::string> blocks_in(const std::string& text) {
  std::vector<std::string> blocks;
  bool inside = false;
  for (const auto line : split(text, '\n')) {
    const bool fence = line.substr(0, kFence.size()) == kFence;
    if (fence && !inside) blocks.emplace_back();
    if (fence) inside = !inside;
    if (!fence && inside) blocks.back() += std::string(line) + "\n";
  }
  return blocks;
}

std::string checked(const Step& step, const Workplace& here, const std::string& before) {
  const Call call = here.shell(before + "PATH=\"$(dirname \"$PIPPIN\"):$PATH\"; " + step.command);
  CAPTURE(step.command, call.err);
  CHECK(call.exit_code == 0);
  if (is_certain(step.command))
    CHECK(trim(call.out) == trim(step.shown));
  else
    CHECK(shape_of(call.out) == shape_of(step.shown));
  return std::string(kPrompt) + step.command + "\n" + call.out;
}

}  // namespace

std::vector<fs::path> source_files(const std::string& extension) {
  const fs::path root = source_directory();
  std::vector<fs::path> found;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string name = at->path().filename().string();
    const bool foreign = name == ".git" || name.substr(0, 5) == "build" ||
                         fs::relative(at->path(), root) == fs::path("tests/data");
    if (at->is_directory() && foreign) at.disable_recursion_pending();
    if (at->path().extension() == extension) found.push_back(fs::relative(at->path(), root));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> documents() { return source_files(".md"); }

std::string text_of_document(const fs::path& document) {
  return read_input(source_directory() / document);
}

std::vector<std::string> code_spans(const std::string& text) {
  std::vector<std::string> spans;
  const std::regex span("`([^`\n]+)`");
  for (std::sregex_iterator at(text.begin(), text.end(), span), end; at != end; ++at)
    spans.push_back((*at)[1]);
  return spans;
}

std::map<std::string, std::string> files_shown(const std::string& text) {
  const std::regex title("^(#!.*\n)?# ([\\w-]+\\.(yaml|sh)).*\n");
  std::map<std::string, std::string> files;
  for (const auto& block : blocks_in(text)) {
    std::smatch found;
    if (std::regex_search(block, found, title)) files.emplace(found[2], block);
  }
  return files;
}

void walk(const fs::path& document, const std::string& fence, const Workplace& here,
          const std::string& before) {
  const std::string text = text_of_document(document);
  for (const auto& [name, file] : files_shown(text)) here.write(name, file);
  std::string today;
  std::size_t at = 0, commands = 0;
  for (auto begin = text.find(fence); begin != std::string::npos; begin = text.find(fence, at)) {
    begin += fence.size();
    const auto end = text.find(kFence, begin);
    today += text.substr(at, begin - at);
    for (const auto& step : steps_in(text.substr(begin, end - begin))) {
      today += checked(step, here, before);
      ++commands;
    }
    at = end;
  }
  CHECK(commands > 0);
  today += text.substr(at);
  if (std::getenv("PIPPIN_REWRITE_DOCS")) disk().write(source_directory() / document, today);
}

void check_all_are_walked(const std::string& fence, const std::vector<fs::path>& walked) {
  std::set<fs::path> with_blocks;
  for (const auto& document : documents()) {
    if (text_of_document(document).find("\n" + fence) != std::string::npos)
      with_blocks.insert(document);
  }
  CHECK(with_blocks == std::set<fs::path>(walked.begin(), walked.end()));
}

}  // namespace pippin::test
