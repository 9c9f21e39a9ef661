#include "tests/harness/cli/readme.h"

#include <regex>

#include "core/base/text.h"
#include "tests/support/catch.h"

namespace pippin::test {

namespace {

constexpr std::string_view kPrompt = "$ ";

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
  return std::string(trim(std::regex_replace(shape, std::regex("[ \n]+"), " ")));
}

}  // namespace

std::string walked(const std::string& readme, const std::string& fence, const Workplace& here,
                   const std::string& before) {
  std::string today;
  std::size_t at = 0, commands = 0;
  for (auto begin = readme.find(fence); begin != std::string::npos;
       begin = readme.find(fence, at)) {
    begin += fence.size();
    const auto end = readme.find("```", begin);
    today += readme.substr(at, begin - at);
    for (const auto& step : steps_in(readme.substr(begin, end - begin))) {
      const Call call =
          here.shell(before + "PATH=\"$(dirname \"$PIPPIN\"):$PATH\"; " + step.command);
      CAPTURE(step.command, call.err);
      CHECK(call.exit_code == 0);
      CHECK(shape_of(call.out) == shape_of(step.shown));
      today += std::string(kPrompt) + step.command + "\n" + call.out;
      ++commands;
    }
    at = end;
  }
  CHECK(commands >= 3);
  return today + readme.substr(at);
}

std::string block_of(const std::string& readme, const std::string& first_line) {
  const auto begin = readme.find("\n" + first_line + "\n");
  REQUIRE(begin != std::string::npos);
  return readme.substr(begin + 1, readme.find("```", begin) - begin - 1);
}

}  // namespace pippin::test
