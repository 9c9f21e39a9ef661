// SPDX-License-Identifier: Apache-2.0
// Whether every answer of reference.json is met: the README beside it says by which test.
#include "tests/reports/statistics/reference.h"

#include <algorithm>
#include <regex>
#include <set>

#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

/// A line of the README's table.
struct Line {
  std::string key;
  std::set<std::string> below;  ///< keys below it; "all" stands for each
  std::set<std::string> tests;
};

/// What stands between backquotes.
std::set<std::string> quoted(const std::string& cell) {
  static const std::regex kQuoted("`([^`]+)`");
  std::set<std::string> found;
  for (std::sregex_iterator at(cell.begin(), cell.end(), kQuoted), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

/// The lines with four cells.
std::vector<Line> lines() {
  const std::string text = read_input(test::source_directory() / "tests/data/statistics/README.md");
  std::vector<Line> found;
  for (const auto line : split(text, '\n')) {
    const auto cells = split(line, '|');
    if (cells.size() != 6) continue;
    const auto keys = quoted(std::string(cells[1]));
    if (keys.size() != 1) continue;
    auto below = quoted(std::string(cells[2]));
    if (trim(cells[2]) == "all") below.insert("all");
    found.push_back({*keys.begin(), below, quoted(std::string(cells[3]))});
  }
  return found;
}

std::string text_of_tests(const std::set<std::string>& names) {
  std::string text;
  for (const auto& name : names)
    text += read_input(test::source_directory() / "tests/reports/statistics" / name);
  return text;
}

/// Names that the data give, as n07 and D1A1R1, and not the answers.
bool names_data(const std::string& key) {
  static const std::regex kData("[0-9].*|([A-Za-z]+[0-9]+)+");
  return std::regex_match(key, kData);
}

std::set<std::string> keys_of_answers(const nlohmann::json& item) {
  std::set<std::string> names;
  for (const auto& entry : item.items()) {
    if (!names_data(entry.key())) names.insert(entry.key());
  }
  return names;
}

/// Whether all below have the same answers: then what they are called is the data's, too.
bool of_one_shape(const nlohmann::json& object) {
  if (object.size() < 2 || !object.begin()->is_object()) return false;
  const auto first = keys_of_answers(*object.begin());
  return !first.empty() && std::all_of(object.begin(), object.end(), [&](const auto& item) {
    return item.is_object() && keys_of_answers(item) == first;
  });
}

/// The keys of answers in `item` and all below it. Texts are notes on them.
void add_keys(std::set<std::string>& keys, const nlohmann::json& item) {
  if (item.is_array()) {
    for (const auto& each : item) add_keys(keys, each);
  }
  if (!item.is_object()) return;
  const bool same = of_one_shape(item);
  for (const auto& [key, value] : item.items()) {
    if (!same && !names_data(key) && !value.is_string()) keys.insert(key);
    add_keys(keys, value);
  }
}

}  // namespace

TEST_CASE("every answer of R is met by a test that names it") {
  const auto table = lines();
  for (const auto& [key, answers] : test::reference().items()) {
    const nlohmann::json whole{{"all", answers}};
    for (const auto& [below, answer] : answers.is_object() ? answers.items() : whole.items()) {
      CAPTURE(key, below);
      const auto has = [&, &top = key, &name = below](const Line& line) {
        return line.key == top && line.below.count(name) + line.below.count("all") > 0;
      };
      const auto line = std::find_if(table.begin(), table.end(), has);
      if (answer.is_string()) continue;
      REQUIRE(line != table.end());
      CHECK(std::count_if(table.begin(), table.end(), has) == 1);
      std::set<std::string> keys;
      add_keys(keys, nlohmann::json{{below, answer}});
      keys.erase("all");
      const std::string tests = text_of_tests(line->tests);
      for (const auto& name : keys) {
        CAPTURE(name);
        CHECK(tests.find('"' + name + '"') != std::string::npos);
      }
    }
  }
}

TEST_CASE("whatever the README's table names is an answer of R, and is a test") {
  CHECK(lines().size() > 20);
  for (const auto& line : lines()) {
    CAPTURE(line.key);
    REQUIRE(test::reference().contains(line.key));
    for (const auto& below : line.below) {
      CAPTURE(below);
      CHECK((below == "all" || test::reference().at(line.key).contains(below)));
    }
    for (const auto& name : line.tests)
      CHECK(fs::exists(test::source_directory() / "tests/reports/statistics" / name));
  }
}

TEST_CASE("R's tolerances are those that the tests have") {
  const auto& r = test::reference().at("meta").at("tolerance");
  CHECK(r.at("closed_form") == 1e-9);  // near() and within()
  CHECK(r.at("reml_variance_relative") == 1e-5);
  CHECK(r.at("reml_criterion_absolute") == 1e-6);
  CHECK(r.at("kenward_roger_satterthwaite_relative") == 1e-3);
  CHECK(test::reference().at("meta").at("packages").size() == 5);
}
