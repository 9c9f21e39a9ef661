// The console blocks of README.md, walked as a stranger would: each "$ command" prints what stands
// below it. PIPPIN_REWRITE_README=1 writes what it prints today there instead.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <regex>

#include "harness/base/text.h"
#include "tests/cli/pippin.h"

using namespace pippin;
using test::Call;
using test::Workplace;

namespace {

constexpr std::string_view kFence = "```console\n", kPrompt = "$ ";

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
  shape = std::regex_replace(shape, std::regex("-{3,}:?"), "--");
  shape = std::regex_replace(shape, std::regex(" +[*~]+|[*~] .*\n"), "");
  return std::string(trim(std::regex_replace(shape, std::regex("[ \n]+"), " ")));
}

/// The README with the output that its commands have today, and a check of each.
std::string walked(const std::string& readme, const Workplace& here) {
  std::string today;
  std::size_t at = 0, commands = 0;
  for (auto begin = readme.find(kFence); begin != std::string::npos;
       begin = readme.find(kFence, at)) {
    begin += kFence.size();
    const auto end = readme.find("```", begin);
    today += readme.substr(at, begin - at);
    for (const auto& step : steps_in(readme.substr(begin, end - begin))) {
      const Call call = here.shell("PATH=\"$(dirname \"$PIPPIN\"):$PATH\"; " + step.command);
      CAPTURE(step.command, call.err);
      CHECK(call.exit_code == 0);
      CHECK(shape_of(call.out) == shape_of(step.shown));
      today += std::string(kPrompt) + step.command + "\n" + call.out;
      ++commands;
    }
    at = end;
  }
  CHECK(commands >= 5);
  return today + readme.substr(at);
}

}  // namespace

TEST_CASE("each console command of the readme prints what the readme says") {
  const fs::path source = test::source_directory();
  const Workplace here;
  fs::create_directory_symlink(source / "sweeps", here.path() / "sweeps");
  fs::copy_file(source / "tests/data/notes/gpt2.md", here.path() / "gpt2.md");
  const std::string today = walked(read_input(source / "README.md"), here);
  if (std::getenv("PIPPIN_REWRITE_README")) disk().write(source / "README.md", today);
}
