// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;
using test::Call;
using test::Workplace;

namespace {

/// Sweep "n-first" of three rows, two of which only their times tell apart, and "n-second".
constexpr const char* kNoted =
    "## First\n\n"
    "| GPUs | Size | MBS | GBS | Speed | Notes |\n"
    "| --- | --- | --- | --- | --- | --- |\n"
    "| 64 | 52B | 8 | 512 | 139s | |\n"
    "| 64 | 52B | 4 | 256 | 185s | |\n"
    "| 64 | 52B | 8 | 512 | 118s | |\n\n"
    "## Second\n\n"
    "| GPUs | Size | MBS | GBS | Speed | Notes |\n"
    "| --- | --- | --- | --- | --- | --- |\n"
    "| 32 | 39B | 8 | 512 | 39s | |\n";

/// A place with those sweeps in its database.
class Notebook : public Workplace {
 public:
  Notebook() {
    write("n.md", kNoted);
    REQUIRE(pippin("import n.md").exit_code == 0);
  }

  Call update() const { return pippin("report --update doc.md"); }

  /// Rewrites a document, which must not change when it is done again.
  std::string updated(const std::string& document) const {
    write("doc.md", document);
    const Call call = update();
    CAPTURE(call.err);
    CHECK(call.exit_code == 0);
    const std::string text = this->text("doc.md");
    const auto before = fs::last_write_time(path() / "doc.md");
    CHECK(update().exit_code == 0);
    CHECK(this->text("doc.md") == text);
    CHECK(fs::last_write_time(path() / "doc.md") == before);
    return text;
  }
};

std::string marked(const std::string& options, const std::string& between = "") {
  return fmt::format("<!-- pippin:begin {} -->\n{}<!-- pippin:end -->\n", options, between);
}

constexpr const char* kByRun = "n-first --by run --columns MBS,GBS,Speed,Notes";

std::string with_note(std::string document, const std::string& row, const std::string& note) {
  const auto at = document.find(row);
  REQUIRE(at != std::string::npos);
  const auto end = document.find('\n', at);
  const auto cell = document.rfind("| ", end - 2);
  const bool dos = document[end - 1] == '\r';
  return document.replace(cell, end - cell, "| " + note + " |" + (dos ? "\r" : ""));
}

std::size_t position(const std::string& text, const std::string& part) {
  const auto at = text.find(part);
  CAPTURE(text, part);
  REQUIRE(at != std::string::npos);
  return at;
}

}  // namespace

TEST_CASE("tables between markers are written anew and not a byte beside them") {
  const Notebook here;
  const std::string code =
      "    <!-- pippin:begin nix -->\n\n"
      "```\n<!-- pippin:begin nix -->\n```\n"
      "~~~md\n<!-- pippin:end -->\n~~~\n"
      "Say `<!-- pippin:begin nix -->` there.\n";
  const std::string before = "\xEF\xBB\xBF# Notes\t \n\n| a | b |\n|---|---|\n| 1|2 |\n\n" + code;
  const std::string after = "\n\n  last line \t\n" + code + "no newline";
  const std::string document =
      before + marked("n-second") + "between\n" + marked("'n-first' --sort -step_time") + after;
  const std::string text = here.updated(document);
  CHECK_THAT(text, StartsWith(before + "<!-- pippin:begin n-second -->\n\n| GPUs |"));
  CHECK(text.substr(text.size() - after.size()) == after);
  CHECK_THAT(text, Contains("\n\n<!-- pippin:end -->\nbetween\n<!-- pippin:begin 'n-first'"));
  CHECK(position(text, "185 s") < position(text, "128 s"));  // the highest first, as it was asked
}

TEST_CASE("a marker that asks for a few rows gets so many") {
  const Notebook here;
  const std::string text = here.updated(marked("n-first --sort step_time --limit 1"));
  CHECK_THAT(text,
             Contains("128 s") && !Contains("185 s") && Contains("- 1 row behind these (--limit)"));
}

TEST_CASE("a document of DOS lines gets no others") {
  const Notebook here;
  std::string document = "# A\n\n" + marked(kByRun) + "end";
  for (auto at = document.find('\n'); at != std::string::npos; at = document.find('\n', at + 2))
    document.insert(at, "\r");
  std::string text = here.updated(document);
  text = here.updated(with_note(text, "139 s", "slow"));
  CHECK_THAT(text, Contains("| slow"));
  for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    CHECK(text[at - 1] == '\r');
}

TEST_CASE("a note that pippin wrote goes with its row") {
  const Notebook here;
  here.pippin("note n.md:5 'slow node'");
  const std::string text = here.updated(marked(kByRun));
  REQUIRE_THAT(text, Contains("slow node"));
  std::string narrowed = text;
  narrowed.replace(narrowed.find(" -->"), 0, " --where 'mbs == 4'");
  CHECK_THAT(here.updated(narrowed), !Contains("slow node") && Contains("185 s"));
}

TEST_CASE("what people wrote into a table stays with its point") {
  const Notebook here;
  std::string text = here.updated(marked(kByRun));
  text = with_note(with_note(text, "139 s", "a \\| b, \\\\ and `c`"), "185 s", "**bold** ☃");
  text = here.updated(text);
  // Another order, and other columns beside those that say which row is which.
  const std::string options =
      "n-first --by run --columns MBS,GBS,tflops,Speed,Notes --sort step_time";
  text = here.updated(text.replace(text.find(kByRun), std::string(kByRun).size(), options));
  const auto line_of = [&](const std::string& part) {
    const auto at = position(text, part);
    return text.substr(text.rfind('\n', at) + 1, text.find('\n', at) - text.rfind('\n', at) - 1);
  };
  CHECK(position(text, "118 s") < position(text, "139 s"));
  CHECK_THAT(line_of("139 s"), Contains("| a \\| b, \\\\ and `c` "));
  CHECK_THAT(line_of("185 s"), Contains("| **bold** ☃ "));
  CHECK_THAT(line_of("118 s"), !Contains("bold") && !Contains("a \\|"));
}

TEST_CASE("a table without a column of notes gets one where some were written") {
  const Notebook here;
  const std::string table =
      "| GPUs | MBS | step time | Notes |\n|--:|--:|--:|--|\n| 64 | 4 | 185 s | mine |\n";
  const std::string text = here.updated(marked("n-first --columns gpus,mbs,step_time", table));
  CHECK_THAT(text, Contains("| GPUs | MBS |          step time | notes |") &&
                       Contains("| 128 s (2: 118–139) |       |") && Contains(" 185 s | mine  |"));
}

TEST_CASE("what pippin wrote into a column of notes follows what pippin is told") {
  const Notebook here;
  // Two rows that nothing in the table tells apart, a note at the second.
  const std::string options = "n-first --by run --columns MBS,GBS,Notes";
  here.pippin("note n.md:7 'slow; node | 7'");
  std::string text = here.updated(marked(options));
  CHECK_THAT(text, Contains("slow; node \\| 7"));
  for (const char* note : {"one; two", "three", "$'four\\nlines'", ""}) {
    here.pippin(std::string("note n.md:7 ") + (note[0] == '$' ? note : fmt::format("'{}'", note)));
    text = here.updated(text);
  }
  CHECK(text.find("slow") == std::string::npos);
  CHECK(text.find("four") == std::string::npos);
  here.pippin("note n.md:7 'a; b'");
  here.pippin("note n.md:5 'c'");
  const std::string by_point = here.updated(marked("n-first"));
  CHECK_THAT(by_point, Contains("c; a; b"));
  here.pippin("note n.md:5 ''");
  here.pippin("note n.md:7 ''");
  CHECK(here.updated(by_point).find("a; b") == std::string::npos);
}

TEST_CASE("a document that cannot be written as it asks is left alone") {
  const Notebook here;
  const std::string two_tables = "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n";
  struct Case {
    std::string document, message;
  };
  const std::vector<Case> cases{
      {"", "doc.md: has no '<!-- pippin:begin"},
      {"\n" + marked("n-frist"),
       "doc.md:2: t.db: no sweep, campaign or tag is named 'n-frist', did "
       "you mean 'n-first'?"},
      {"<!-- pippin:begin n-first -->\n", "doc.md:1: this table has no '<!-- pippin:end -->'"},
      {"<!-- pippin:end -->\n", "doc.md:1: '<!-- pippin:end -->' without a"},
      {marked("n-first", marked("n-second")), "doc.md:2: the table that begins in line 1 has no"},
      {marked(""), "doc.md:1: the marker names no sweep"},
      {marked("n-first --sotr tflops"), "doc.md:1: "},
      {marked("n-first --format csv"), "doc.md:1: "},
      {marked("n-first --update x.md"), "doc.md:1: "},
      {marked("n-first n-third"), "doc.md:1: "},
      {marked("n-first --columns nix"), "doc.md:1: --columns: no column 'nix'"},
      {marked("n-first --where 'mbs == 8"), "doc.md:1: a quote is not closed"},
      {marked("n-first --where 'mbs == 99'"), "doc.md:1: no row is left of it"},
      {marked("n-first --where 'mbs ='"), "doc.md:1: --where: "},
      {marked("n-first --vs nix"), "doc.md:1: --vs nix"},
      {"<!-- pippin:begin n-first\n-->\n<!-- pippin:end -->\n", "doc.md:1: a marker is one line"},
      {"<!-- pippin:begins n-first -->\n<!-- pippin:ends -->\n", "doc.md:1: no marker is called"},
      {"> <!-- pippin:begin n-first -->\n> <!-- pippin:end -->\n", "doc.md:1: a marker stands at"},
      {marked("n-first", two_tables), "doc.md:6: a second table stands between the markers"},
      {marked("n-first", "| MBS | Notes |\n| --- |\n| 8 | mine |\n"),
       "doc.md:2: this is no table that Markdown knows"},
      {marked("n-first", "| MBS | Notes |\n|---|---|\n| 4 | a | b |\n"),
       "doc.md:4: a row of 3 cells under a header of 2"},
      {marked("n-first", "| MBS | Notes |\n|---|---|\n| 5 | mine |\n"),
       "doc.md:4: the note 'mine' stands in a row that the table has no longer"},
      {marked("n-first --by run --columns MBS,Notes", "| MBS | Notes |\n|---|---|\n| 8 | mine |\n"),
       "doc.md:4: the note 'mine' may belong to 2 rows"},
  };
  for (const auto& [document, message] : cases) {
    // A table that could be written stands before it.
    for (const std::string& first : {std::string(), document.empty() ? "" : marked("n-second")}) {
      CAPTURE(document, first);
      here.write("doc.md", document + first);
      const auto before = fs::last_write_time(here.path() / "doc.md");
      const Call call = here.update();
      CHECK(call.exit_code == 2);
      CHECK(split(trim(call.err), '\n').size() == 1);
      const bool unclosed = message.find("has no '<!-- pippin:end") != std::string::npos;
      if (first.empty() || !unclosed) CHECK_THAT(call.err, StartsWith("pippin: " + message));
      CHECK(here.text("doc.md") == document + first);
      CHECK(fs::last_write_time(here.path() / "doc.md") == before);
    }
  }
  CHECK_THAT(here.pippin("report --update none.md").err, Contains("none.md"));
  CHECK(here.pippin("report --update doc.md --sort tflops").exit_code == 2);
}

TEST_CASE("a document keeps its mode and its link") {
  const Notebook here;
  here.write("far/doc.md", marked("n-first"));
  here.shell("chmod 640 far/doc.md && ln -s far/doc.md doc.md");
  CHECK(here.update().exit_code == 0);
  CHECK(fs::is_symlink(here.path() / "doc.md"));
  CHECK(here.shell("stat -c %a far/doc.md").out == "640\n");
  CHECK(here.shell("ls -A far").out == "doc.md\n");
  CHECK_THAT(here.text("far/doc.md"), Contains("139 s") || Contains("128 s"));
}

TEST_CASE("a marker names a sweep with blanks and its options in quotes") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: \"two  'words' | and\"\nprobe: replay\ngrid: {tp: [1, 2], own: [\"a b\", \"c|d\"]}\n"
      "fixed: {step_time_ms: 500, sleep_factor: 0.002}\niterations: 3\nenv: {X: '{own}'}\n");
  REQUIRE(here.pippin("run s.yaml").exit_code == 0);
  const std::string name = "\"two  'words' | and\"";
  here.write("doc.md", marked(name + R"( --where "own == 'a b' && tp >= 1")" +
                              " --columns 'Own Axis=own,TP,step_time,Notes'"));
  CHECK(here.pippin("report --update doc.md").exit_code == 0);
  CHECK_THAT(here.text("doc.md"), Contains("| Own Axis |  TP |") && Contains("|      a b |   2 |"));
  CHECK(here.text("doc.md").find("c\\|d") == std::string::npos);
  here.write("doc.md", marked(name + " --columns own,tp,step_time,notes --sort own,tp"));
  CHECK(here.pippin("report --update doc.md").exit_code == 0);
  std::string text = here.text("doc.md");
  here.write("doc.md", with_note(text, "c\\|d |   2", "mine"));
  CHECK(here.pippin("report --update doc.md").exit_code == 0);
  CHECK_THAT(here.text("doc.md"), Contains("c\\|d |   2") && Contains("| mine  |"));
}
