// SPDX-License-Identifier: Apache-2.0
// What documents refer to: links, words of ./dev, benchmarks.
#include <algorithm>
#include <regex>
#include <set>

#include "tests/docs/documents.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// The first group of every place where `pattern` fits the text.
std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

bool has_benchmark(const std::string& name) {
  const auto scripts = test::source_files(".sh");
  return std::any_of(scripts.begin(), scripts.end(), [&](const fs::path& script) {
    return script.parent_path().filename() == "bench" && script.stem() == name;
  });
}

/// Documents, and what else tells people or machines to call ./dev.
std::vector<fs::path> texts() {
  std::vector<fs::path> all = test::documents();
  const fs::path root = test::source_directory();
  for (const auto& entry : fs::recursive_directory_iterator(root / ".github"))
    if (entry.is_regular_file()) all.push_back(fs::relative(entry.path(), root));
  all.emplace_back(".ci/run");
  return all;
}

}  // namespace

TEST_CASE("no link of a document leads nowhere") {
  std::size_t links = 0;
  for (const auto& document : test::documents()) {
    for (const auto& link :
         matches(test::text_of_document(document), "\\]\\(([^)#\\s]+)[^)]*\\)")) {
      if (link.substr(0, 4) == "http") continue;
      CAPTURE(document, link);
      CHECK(fs::exists(test::source_directory() / document.parent_path() / link));
      ++links;
    }
  }
  CHECK(links > 20);
}

TEST_CASE("every word of ./dev that a document or a workflow uses exists") {
  const std::string help =
      test::Workplace().shell("'" + (test::source_directory() / "dev").string() + "' --help").out;
  const auto known = matches(help, "\n  ([a-z]+) ");
  REQUIRE(known.count("quickstart") == 1);
  for (const auto& document : texts()) {
    const std::string text = test::text_of_document(document);
    for (const auto& word : matches(text, "\\./dev ([a-z]+)")) {
      CAPTURE(document, word);
      CHECK(known.count(word) == 1);
    }
    for (const auto& name : matches(text, "\\./dev bench ([a-z_]+)")) {
      CAPTURE(document, name);
      CHECK(has_benchmark(name));
    }
  }
}
