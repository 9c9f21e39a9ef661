// SPDX-License-Identifier: Apache-2.0
// The manual against the program: nothing that exists is left out, nothing that is left stands
// there.
#include <regex>
#include <set>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace pippin;
using test::Call;
using test::Workplace;

namespace {

using Names = std::set<std::string>;

std::string manual() { return (test::source_directory() / "packaging/pippin.1").string(); }

/// What the program itself would complete.
Names completed(const std::string& words) {
  const Call call = Workplace().shell("\"$PIPPIN\" --complete -- " + words + " | cut -f 1");
  Names names;
  for (const auto line : split(trim(call.out), '\n')) names.emplace(line);
  return names;
}

Names long_options() {
  Names all = completed("--");
  for (const auto& command : completed("''")) {
    const Names own = completed(command + " --");
    all.insert(own.begin(), own.end());
  }
  return all;
}

/// The first group of every place where `pattern` fits the text.
Names matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Names found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

}  // namespace

TEST_CASE("the manual has every command and no other") {
  const std::string text = read_input(manual());
  const auto begin = text.find("\n.Sh COMMANDS"), end = text.find("\n.Sh ", begin + 1);
  REQUIRE(begin != std::string::npos);
  CHECK(matches(text.substr(begin, end - begin), "\n\\.Ss ([^\n]*)") == completed("''"));
}

TEST_CASE("the manual has every long option and no other") {
  Names described;
  for (const auto& name : matches(read_input(manual()), "Fl (?:\\w , )?-([a-z-]+)"))
    described.insert("--" + name);
  const Names known = long_options();
  CHECK(known.size() > 15);
  CHECK(described == known);
}

TEST_CASE("the manual is clean") {
  if (Workplace().shell("command -v mandoc").exit_code != 0)
    return test::skip("mandoc is not installed");
  // Which other pages are on this machine is not ours to say.
  const Call lint =
      Workplace().shell("mandoc -T lint -W warning '" + manual() + "' | grep -v makewhatis");
  CHECK(lint.out.empty());
}
