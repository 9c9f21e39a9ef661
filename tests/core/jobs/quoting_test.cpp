// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/quoting.h"

#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/nasty.h"

using namespace pippin;

namespace {

/// What bash prints for the words that `code` makes, each ended by a mark.
std::string printed(const std::string& code) {
  return run_program({"bash", "-c", "printf '%s<end>' " + code}).output;
}

Filling data(const std::string& text) { return {Filling::Kind::kData, text}; }

}  // namespace

TEST_CASE("every text is one word to bash") {
  for (const auto& text : test::nasty_texts()) {
    CAPTURE(text);
    CHECK(printed(bash_word(text)) == text + "<end>");
    CHECK(bash_word(text).find('\n') == std::string::npos);
  }
}

TEST_CASE("what needs no quotes gets none") {
  CHECK(bash_word("4") == "4");
  CHECK(bash_word("/path/to.file-1") == "/path/to.file-1");
  CHECK(bash_word("a=b") == "'a=b'");
  CHECK(bash_word("it's") == "'it'\\''s'");
}

TEST_CASE("a value stays data in whatever quotes its placeholder stands") {
  for (const auto& text : test::nasty_texts()) {
    CAPTURE(text);
    const auto fill = [&](const std::string&) { return data(text); };
    CHECK(printed(filled("{x}", fill)) == text + "<end>");
    CHECK(printed(filled("a{x}b", fill)) == "a" + text + "b<end>");
    CHECK(printed(filled("'a{x}b'", fill)) == "a" + text + "b<end>");
    CHECK(printed(filled("\"a{x}b\"", fill)) == "a" + text + "b<end>");
    CHECK(printed(filled("\"it's {x}\" 'say \"{x}\"'", fill)) ==
          "it's " + text + "<end>say \"" + text + "\"<end>");
    CHECK(printed(filled("$'it\\'s {x}' # it's\n", fill)) == "it's " + text + "<end>");
    CHECK(printed(filled("a#it # 'comment' \"\nprintf '%s<end>' '{x}'", fill)) ==
          "a#it<end>" + text + "<end>");
    CHECK(printed(filled("\\\"{x}\\'", fill)) == "\"" + text + "'<end>");
  }
}

TEST_CASE("a variable is expanded by bash and stays one word") {
  const auto fill = [](const std::string&) { return Filling{Filling::Kind::kVariable, "V"}; };
  for (const std::string code : {"{x}", "\"{x}\"", "'{x}'"}) {
    CHECK(run_program({"bash", "-c", "V='a  b'; printf '%s<end>' " + filled(code, fill)}).output ==
          "a  b<end>");
  }
}

TEST_CASE("the words of a command stay words, with their placeholders") {
  struct Case {
    std::vector<std::string> words;
    std::string code;
  };
  const std::vector<Case> cases{
      {{"train", "--tp", "{tp}"}, "train --tp {tp}"},
      {{"train", "a b", "$HOME", ""}, "train 'a b' '$HOME' ''"},
      {{"train", "p={tp}x", "{tp}{pp}"}, "train 'p='{tp}x {tp}{pp}"},
      {{"X=1", "Y=a b", "train", "Z=2"}, "X=1 Y='a b' train 'Z=2'"},
      {{"X="}, "X=''"},
      {{"train", "{{tp}}", "${tp}", "{a b}"}, "train '{{tp}}' '${{tp}}' '{a b}'"},
  };
  for (const auto& one : cases) CHECK(bash_command(one.words) == one.code);
}

TEST_CASE("bash sees the words that were typed") {
  const std::vector<std::pair<std::string, std::string>> words{
      {"it's", "it's"},
      {"{{x}}", "{x}"},
      {"{{{x}}}", "{{x}}"},
      {"${x}", "${x}"},
      {"$'a\\n'", "$'a\\n'"},
      {"a\nb", "a\nb"},
      {"`x` $(x)", "`x` $(x)"},
      {"[x]", "[x]"},
      {"~", "~"},
      {"#x", "#x"},
      {"!", "!"},
      {"{}", "{}"},
  };
  for (const auto& [typed, seen] : words) {
    CAPTURE(typed);
    const auto none = [](const std::string&) -> Filling { throw std::runtime_error("a name"); };
    CHECK(printed(filled(bash_command({typed}), none)) == seen + "<end>");
  }
}

TEST_CASE("control characters are shown, not sent") {
  CHECK(bash_word("a\nb\tc") == "$'a\\nb\\tc'");
  CHECK(bash_word("\x01\x1f\x7f") == "$'\\001\\037\\177'");
  CHECK(bash_word("it's\\\n") == "$'it\\'s\\\\\\n'");
  CHECK(bash_word(" ") == "' '");
  CHECK(bash_word("") == "''");
  CHECK(bash_word("az09AZ_-./+,:@%") == "az09AZ_-./+,:@%");
}

TEST_CASE("comments and quotes are followed to their ends") {
  const auto fill = [](const std::string&) { return data("a b"); };
  CHECK(filled("# {x}\n{x}", fill) == "# 'a b'\n'a b'");
  CHECK(filled("# it's\n'{x}'", fill) == "# it's\n'''a b'''");
  CHECK(filled("# \\\n'{x}'", fill) == "# \\\n'''a b'''");  // no escape in a comment
  CHECK(filled("'\\'{x}", fill) == "'\\''a b'");            // nor in single quotes
  CHECK(filled("\"\\\"{x}\"", fill) == "\"\\\"\"'a b'\"\"");
  CHECK(filled("$'\\'{x}'", fill) == "$'\\'''a b'$''");
  CHECK(filled("a'b'#'{x}'", fill) == "a'b'#'''a b'''");
  for (const char* before : {" ", "\t", ";", "&", "|", "(", ")"})
    CHECK(filled(std::string("a") + before + "#'\n'{x}'", fill) ==
          std::string("a") + before + "#'\n'''a b'''");
  CHECK(filled("{y}#'{x}'", fill) == "'a b'#'''a b'''");  // the word goes on
  CHECK(filled("\\", fill) == "\\");
}
