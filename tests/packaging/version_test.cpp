// SPDX-License-Identifier: Apache-2.0
// The version and its date, wherever they are written by hand.
#include <regex>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string text_of(const std::string& file) { return read_input(test::source_directory() / file); }

/// The first group of the first place where `pattern` fits; empty where it fits nowhere.
std::string found(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? std::string(match[1]) : "";
}

/// The newest section of the changelog: "0.2.0 - 2026-11-22".
const std::string kRelease = "\n## (\\d+\\.\\d+\\.\\d+) - (\\d{4}-\\d{2}-\\d{2})\n";

}  // namespace

TEST_CASE("every place that says the version says the same") {
  const std::string version =
      found(text_of("CMakeLists.txt"), "project\\(pippin VERSION ([\\d.]+)");
  REQUIRE_FALSE(version.empty());
  CHECK(found(text_of("CHANGELOG.md"), kRelease) == version);
  CHECK(found(text_of("CITATION.cff"), "\nversion: (\\S+)\n") == version);
  CHECK(text_of("packaging/changelog.Debian").substr(0, 28) == "pippin (@PROJECT_VERSION@-1)");
  const auto printed = test::Workplace().shell("\"$PIPPIN\" --version");
  CHECK(printed.out == "pippin " + version + "\n");
}

TEST_CASE("every place that says the day of the version says the same") {
  std::smatch release;
  const std::string changes = text_of("CHANGELOG.md");
  REQUIRE(std::regex_search(changes, release, std::regex(kRelease)));
  const std::string day = release[2];
  CHECK(found(text_of("CITATION.cff"), "\ndate-released: (\\S+)\n") == day);
  // "Sun, 22 Nov 2026 12:00:00 +0000", with the right day of the week.
  const std::string debian = found(text_of("packaging/changelog.Debian"), "\n -- .*>  (.*)\n");
  const auto written = test::Workplace().shell("date -u -d '" + day + " 12:00' -R");
  CHECK(std::string(trim(written.out)) == debian);
}

TEST_CASE("the changelog has a place for what comes next") {
  CHECK(text_of("CHANGELOG.md").find("\n## Unreleased\n") < text_of("CHANGELOG.md").find(" - 20"));
}

TEST_CASE("installing.md asks for the versions that the build looks for") {
  const std::string build = text_of("cmake/libraries.cmake");
  const std::string document = text_of("docs/installing.md");
  const std::regex asked("_(?:package|plain_library|missing)\\(\"(.+?) ([\\d.]+) or later");
  int libraries = 0;
  for (std::sregex_iterator it(build.begin(), build.end(), asked), end; it != end; ++it) {
    const std::string name = (*it)[1];
    const std::string version = (*it)[2];
    CAPTURE(name, version);
    CHECK(std::regex_search(
        document, std::regex("\n\\| (" + name + "\\b[^|]*\\| |[^|]*\\| " + name + " )" +
                             std::regex_replace(version, std::regex("\\."), "\\.") + "[ |]")));
    ++libraries;
  }
  CHECK(libraries == 18);
}
