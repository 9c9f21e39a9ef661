// SPDX-License-Identifier: Apache-2.0
// docs/architecture.md against the sources: every file and function that it names is there, and a
// walk can be followed from file to file.
#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/docs/documents.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr std::size_t kMostFiles = 12;

/// A file and the functions that a text names in it.
struct Named {
  std::string file;
  std::vector<std::string> functions;
};

struct Walk {
  std::string title;
  std::vector<Named> steps;
};

const fs::path kDocument = "docs/architecture.md";

bool is_function(const std::string& span) {
  return std::regex_match(span, std::regex("[\\w:~]+\\(\\)"));
}

/// "slurm/slurm.h", "core/base/", "dev": no option, no text of a file.
bool is_path(const std::string& span) {
  return std::regex_match(span, std::regex("[\\w.-]+(/[\\w.-]+)*/?")) &&
         (span.find('/') != std::string::npos ||
          std::regex_search(span, std::regex("\\.(cpp|h|sql|yaml|md|bash|sh|cmake|txt)$")));
}

/// The files of a paragraph or list item, each with the functions named behind it.
std::vector<Named> named_in(const std::string& text) {
  std::vector<Named> found;
  for (const auto& span : test::code_spans(text)) {
    if (is_path(span)) found.push_back({span, {}});
    if (!is_function(span)) continue;
    CAPTURE(text, span);
    REQUIRE_FALSE(found.empty());
    found.back().functions.push_back(span.substr(0, span.size() - 2));
  }
  return found;
}

std::string text_of(const std::string& file) {
  const fs::path path = test::source_directory() / file;
  return fs::is_regular_file(path) ? read_input(path) : "";
}

std::string last_part(const std::string& function) {
  return function.substr(function.rfind(':') == std::string::npos ? 0 : function.rfind(':') + 1);
}

/// Whether a file defines or declares a function; not, whether it calls it.
bool has_function(const std::string& file, const std::string& function) {
  const std::string cpp =
      "(^|\n) *(?!return|else|throw|co_)[A-Za-z_][^\n;=(){}\"]*\\b" + function + "\\(";
  const std::string bash = "(^|\n)" + function + "\\(\\) \\{";
  const std::string text = text_of(file);
  return std::regex_search(text, std::regex(cpp)) || std::regex_search(text, std::regex(bash));
}

bool mentions(const std::string& file, const std::string& function) {
  return std::regex_search(text_of(file), std::regex("\\b" + last_part(function) + "\\b"));
}

/// Paragraphs, list items and table rows.
std::vector<std::string> items_in(const std::string& text) {
  std::vector<std::string> items(1);
  const std::regex begins("^(\\d+\\. |[*-] |\\||#|$)");
  for (const auto line : split(text, '\n')) {
    if (std::regex_search(std::string(line), begins)) items.emplace_back();
    items.back() += std::string(line) + "\n";
  }
  return items;
}

std::vector<Walk> walks() {
  std::vector<Walk> found;
  std::string title;
  for (const auto& item : items_in(test::text_of_document(kDocument))) {
    if (item[0] == '#') title = item;
    if (!std::regex_search(item, std::regex("^\\d+\\. "))) continue;
    if (found.empty() || found.back().title != title) found.push_back({title, {}});
    for (auto& named : named_in(item)) found.back().steps.push_back(std::move(named));
  }
  return found;
}

}  // namespace

TEST_CASE("the architecture names files that exist and functions that are in them") {
  std::size_t files = 0, functions = 0;
  for (const auto& item : items_in(test::text_of_document(kDocument))) {
    for (const auto& named : named_in(item)) {
      CAPTURE(item, named.file);
      CHECK(fs::exists(test::source_directory() / named.file));
      ++files;
      for (const auto& function : named.functions) {
        CAPTURE(function);
        CHECK(has_function(named.file, function));
        ++functions;
      }
    }
  }
  CHECK(files > 40);
  CHECK(functions > 25);
}

TEST_CASE("each walk of the architecture names at most 12 files, and a function in each") {
  CHECK(walks().size() == 3);
  for (const auto& walk : walks()) {
    CAPTURE(walk.title);
    CHECK(walk.steps.size() > 4);
    CHECK(walk.steps.size() <= kMostFiles);
    for (const auto& step : walk.steps) {
      CAPTURE(step.file);
      CHECK_FALSE(step.functions.empty());
    }
  }
}

TEST_CASE("each step of a walk is called by one before it") {
  for (const auto& walk : walks()) {
    for (std::size_t i = 1; i < walk.steps.size(); ++i) {
      const Named& step = walk.steps[i];
      CAPTURE(walk.title, step.file);
      REQUIRE_FALSE(step.functions.empty());
      const auto begin = walk.steps.begin();
      CHECK(std::any_of(begin, begin + static_cast<std::ptrdiff_t>(i), [&](const Named& before) {
        return before.file != step.file && mentions(before.file, step.functions.front());
      }));
    }
  }
}

TEST_CASE("a call is no definition") {
  CHECK(has_function("sweeps/resolve.cpp", "resolve"));
  CHECK(has_function("sweeps/resolve.h", "resolve"));
  CHECK(has_function("harness/campaign/planner.cpp", "Planner::jobs"));
  CHECK(has_function("dev", "quickstart"));
  CHECK_FALSE(has_function("sweeps/sweep_file.cpp", "resolve"));
  CHECK_FALSE(has_function("sweeps/sweep_file.cpp", "read_axes"));
}
