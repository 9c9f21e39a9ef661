// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/markdown.h"

#include "core/base/text.h"
#include "tests/reports/notes/gpt2.h"
#include "tests/support/catch.h"

using namespace pippin;
using Align = MarkdownTable::Align;

namespace {

std::string text_of(const MarkdownRow& row) {
  std::vector<std::string> cells;
  for (const auto& cell : row.cells) cells.push_back(cell.text);
  return join(cells, ",");
}

/// "1:a,b 3:1,2" for a table whose header is in line 1; tables are separated by " / ".
std::string tables_in(const std::string& document) {
  std::vector<std::string> tables;
  for (const auto& table : markdown_tables(document)) {
    std::string text = std::to_string(table.header.line) + ":" + text_of(table.header);
    for (const auto& row : table.rows) {
      text += " " + std::to_string(row.line) + ":" + text_of(row);
    }
    tables.push_back(text);
  }
  return join(tables, " / ");
}

struct Case {
  std::string document, tables;
};

void check(const std::vector<Case>& cases) {
  for (const auto& c : cases) {
    CAPTURE(c.document);
    CHECK(tables_in(c.document) == c.tables);
  }
}

}  // namespace

TEST_CASE("a table is a header, a line of dashes and rows") {
  check({
      {"| a | b |\n|---|---|\n| 1 | 2 |\n", "1:a,b 3:1,2"},
      {"| a | b |\n|---|---|\n| 1 | 2 |", "1:a,b 3:1,2"},
      {"| a | b |\n|---|---|", "1:a,b"},
      {"a | b\n-- | --\n1 | 2\n", "1:a,b 3:1,2"},
      {"a | b\n:-- | --:\n1 | 2 |\n| 3 | 4\n", "1:a,b 3:1,2 4:3,4"},
      {"| a |\n|---|\n| 1 |\n", "1:a 3:1"},
      {"|a|b|\n|:-:|-|\n|1||\n", "1:a,b 3:1,"},
      {"text\n| a | b |\n|---|---|\n| 1 | 2 |\ntext\n", "2:a,b 4:1,2"},
      {"| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n", "1:a,b 3:1,2"},
      {"| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n", "1:a 3:1 / 5:b 7:2"},
      {"\xEF\xBB\xBF| a |\n|---|\n| 1 |\n", "1:a 3:1"},
      {"   | a |\n  |---|\n | 1 |\n", "1:a 3:1"},
  });
}

TEST_CASE("what only looks like a table is none") {
  check({
      {"", ""},
      {"\n\n", ""},
      {"|", ""},
      {"| a | b |\n", ""},
      {"| a | b |\n| 1 | 2 |\n", ""},
      {"| a | b |\n|---|\n| 1 | 2 |\n", ""},
      {"| a |\n|---|---|\n", ""},
      {"| a | b |\n\n|---|---|\n", ""},
      {"| a | b |\n|---|--x|\n", ""},
      {"| a | b |\n|---| |\n", ""},
      {"| a | b |\n|::|---|\n", ""},
      {"title\n---\n", ""},
      {"    | a |\n    |---|\n    | 1 |\n", ""},
      {std::string("\0|\0\n|-|\n", 8), ""},
  });
}

TEST_CASE("rows may be ragged") {
  const std::string document = "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n||\n|\n";
  CHECK(tables_in(document) == "1:a,b 3:1 4:1,2,3 5: 6:");
  const auto table = markdown_tables(document).at(0);
  CHECK(table.rows[0].text(0) == "1");
  CHECK(table.rows[0].text(1).empty());
}

TEST_CASE("a pipe in a cell is escaped, or in a code span that makes a cell too many") {
  check({
      {"| a \\| b | c |\n|---|---|\n| 1 \\| 2 | `x \\| y` |\n", "1:a | b,c 3:1 | 2,`x | y`"},
      {"| a | b |\n|---|---|\n| `x | y` | 2 |\n", "1:a,b 3:`x | y`,2"},
      {"| a | b |\n|---|---|\n| it`s | that`s |\n", "1:a,b 3:it`s,that`s"},
      {"| a | b |\n|---|---|\n| `x | 1 | 2 |\n", "1:a,b 3:`x,1,2"},
      {"| `a|b` | c |\n|---|---|\n| 1 | 2 |\n", "1:`a|b`,c 3:1,2"},
      {"| a | b |\n|---|---|\n| ``x`|y`` | 2 |\n", "1:a,b 3:``x`|y``,2"},
      // A backtick that is escaped, or never closed, begins no code.
      {"| a | b |\n|---|---|\n| 1 | x \\` | y |\n", "1:a,b 3:1,x `,y"},
      {"| a | b |\n|---|---|\n| 1 | x `` | y ` |\n", "1:a,b 3:1,x ``,y `"},
      {"| a | b |\n|---|---|\n| 1 | 2 \\|\n", "1:a,b 3:1,2 |"},
  });
}

TEST_CASE("a table in a code block or a comment is none") {
  const std::string table = "| a |\n|---|\n| 1 |\n";
  check({
      {"```\n" + table + "```\n" + table, "6:a 8:1"},
      {"~~~ sh\n" + table + "```\n~~~~\n" + table, "7:a 9:1"},
      {"````\n```\n" + table + "````\n" + table, "7:a 9:1"},
      {"```\n" + table, ""},
      {"```a`b`\n" + table, "2:a 4:1"},
      {"<!-- x\n" + table + "-->\n" + table, "6:a 8:1"},
      {"<!-- x -->\n" + table, "2:a 4:1"},
      {"<!-- x\n\n" + table, ""},
      {"- x\n\n  ```\n  " + table + "\n" + table, "8:a 10:1"},
      {table + "```\n| 2 |\n```\n", "1:a 3:1"},
      {table + "<!-- | -->\n| 2 |\n", "1:a 3:1"},
      {table + "# | x\n| 2 |\n", "1:a 3:1"},
      {table + "- x | y\n", "1:a 3:1"},
  });
}

TEST_CASE("tables stand in lists and quotes too") {
  check({
      {"- x\n\n  | a |\n  |---|\n  | 1 |\n", "3:a 5:1"},
      {"1. x\n\n    | a |\n    |---|\n    | 1 |\n", "3:a 5:1"},
      {"- | a |\n  |---|\n  | 1 |\n", "1:a 3:1"},
      {"> | a |\n> |---|\n> | 1 |\n| 2 |\n", "1:a 3:1"},
      {">> | a |\n>> |---|\n>> | 1 |\n> | 2 |\n", "1:a 3:1"},
      {"> ```\n> | a |\n> |---|\n\n| b |\n|---|\n", "5:b"},
      {"-\n  | a |\n  |---|\n", "2:a"},
      {"- - x\n    | a |\n    |---|\n", "2:a"},
  });
}

TEST_CASE("each cell knows its bytes") {
  const std::string document = "é\r\n|  größe | b|\r\n|---|:-:|\r\n| `x\\|y` |  |\r\n|1|**2** \r\n";
  for (const auto& table : markdown_tables(document)) {
    std::vector<MarkdownRow> rows = table.rows;
    rows.push_back(table.header);
    for (const auto& row : rows) {
      for (const auto& cell : row.cells) {
        const std::string raw = document.substr(cell.begin, cell.end - cell.begin);
        const std::string whole = document.substr(cell.from, cell.to - cell.from);
        CAPTURE(raw, whole);
        CHECK(trim(whole) == raw);
        CHECK((raw == cell.text || cell.text == "`x|y`"));
        CHECK((cell.from <= cell.begin && cell.end <= cell.to));
        CHECK(whole.find_first_of("\r\n") == std::string::npos);
      }
    }
    CHECK(document.substr(table.begin, table.end - table.begin) ==
          document.substr(4, document.size() - 4 - 3));
    CHECK(table.aligns == std::vector<Align>{Align::kNone, Align::kCenter});
  }
  CHECK(tables_in(document) == "2:größe,b 4:`x|y`, 5:1,**2**");
}

TEST_CASE("a table knows what stands above it") {
  const std::string document =
      "Title\n=====\n\n## One ##\n**A**\n\n__B__:\ntext\n**not all** bold\n\n- item\n"
      "| a |\n|---|\n| 1 |\n---\n32GB nodes:\n\n| b |\n|---|\n### Three\n| c |\n|---|\n"
      "# C#\n**D**\n\ntext\n\n**E**\n| d |\n|---|\n";
  const auto tables = markdown_tables(document);
  REQUIRE(tables.size() == 4);
  using Texts = std::vector<std::string>;
  CHECK(tables[0].headings == Texts{"Title", "One"});
  CHECK(tables[0].captions == Texts{"A", "B"});
  CHECK(tables[0].above == Texts{"text", "**not all** bold", "", "- item"});
  CHECK(tables[1].captions == Texts{"A", "B"});
  CHECK(tables[1].above == Texts{"32GB nodes:", ""});
  CHECK(tables[2].headings == Texts{"Title", "One", "Three"});
  CHECK(tables[2].captions.empty());
  CHECK(tables[3].headings == Texts{"C#"});
  CHECK(tables[3].captions == Texts{"E"});
}

TEST_CASE("every table of the GPT-2 notes is found") {
  const std::string notes = test::gpt2_notes();
  const auto tables = markdown_tables(notes);
  std::vector<std::size_t> lines;
  for (const auto& table : tables) lines.push_back(table.header.line);
  CHECK(lines == std::vector<std::size_t>{71, 82, 97, 178, 211, 226, 248, 285, 336, 369, 387, 398,
                                          409, 430, 443, 464, 474});
  for (const auto& table : tables) {
    for (const auto& row : table.rows) CHECK(row.cells.size() == table.header.cells.size());
  }
  CHECK(tables[9].captions == std::vector<std::string>{"With Offload off", "Performance"});
}

TEST_CASE("a document of a million lines is read in a moment") {
  std::string document = "| a | b |\n|---|---|\n";
  for (int i = 0; i < 500'000; ++i) document += "| `1 | 2 |\n";
  document += "\n";
  for (int i = 0; i < 500'000; ++i) document += "- text `|` and ``` | more\n";
  document += std::string(1'000'000, '`') + "|\n" + std::string(1'000'000, '>') + "\n";
  CHECK(markdown_tables(document).at(0).rows.size() == 500'000);
}

TEST_CASE("edits replace their bytes and no other") {
  CHECK(edited("abc", {}) == "abc");
  CHECK(edited("abc", {{0, 1, "xy"}, {1, 1, "-"}, {2, 3, ""}}) == "xy-b");
}

namespace {

/// Headings, captions and lines above the last table: "a/b | c | d\n".
std::string context_of(const std::string& above) {
  const auto tables = markdown_tables(above + "| a |\n|---|\n| 1 |\n");
  if (tables.empty()) return "no table";
  const auto& table = tables.back();
  return join(table.headings, "/") + " | " + join(table.captions, "/") + " | " +
         join(table.above, "/");
}

}  // namespace

TEST_CASE("lines above a table begin behind headings, captions, tables, rules, code and comments") {
  CHECK(context_of("x\n# A\ny\n") == "A |  | y");
  CHECK(context_of("x\n---\n\ny\n") == "x |  | /y");
  CHECK(context_of("x\n===\ny\n") == "x |  | y");
  CHECK(context_of("x\n\n---\ny\n") == " |  | y");
  CHECK(context_of("x\n\n* * *\ny\n") == " |  | y");
  CHECK(context_of("x\n```\ncode\n```\ny\n") == " |  | y");
  CHECK(context_of("x\n<!-- c -->\ny\n") == " |  | y");
  CHECK(context_of("x\n**C**\ny\n") == " | C | y");
  CHECK(context_of("| b |\n|---|\n| 2 |\n\ny\n") == " |  | /y");
  CHECK(context_of("x\n- y\n\nz\n") == " |  | x/- y//z");
  CHECK(context_of("") == " |  | ");
}

TEST_CASE("headings stand in each other by their levels") {
  CHECK(context_of("# A\n## B\n# C\n") == "C |  | ");
  CHECK(context_of("# A\n### B\n") == "A/B |  | ");
  CHECK(context_of("## A ##\n###### B\n") == "A/B |  | ");
  CHECK(context_of("####### A\n") == " |  | ####### A");
  CHECK(context_of("#A\n") == " |  | #A");
  CHECK(context_of("## C#\n") == "C# |  | ");
  CHECK(context_of("#\n") == " |  | ");
  CHECK(context_of("A\n===\nB\n---\n") == "A/B |  | ");
}

TEST_CASE("a caption is a whole line in bold, and one right under another is one more") {
  CHECK(context_of("**A**\n\n__B__:\n") == " | A/B | ");
  CHECK(context_of("**A**\ntext\n**B**\n") == " | B | ");
  CHECK(context_of("**A**\n# H\n") == "H |  | ");
  CHECK(context_of("**A** b\n") == " |  | **A** b");
  CHECK(context_of("**A** **B**\n") == " |  | **A** **B**");
  CHECK(context_of("****\n") != " | | ");
  CHECK(context_of("**A__\n") == " |  | **A__");
  CHECK(context_of("*A*\n") == " |  | *A*");
}

TEST_CASE("aligns are those of the rule") {
  const auto tables = markdown_tables("|a|b|c|d|\n|-|:-|-:|:-:|\n");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].aligns ==
        std::vector<Align>{Align::kNone, Align::kLeft, Align::kRight, Align::kCenter});
}

TEST_CASE("blanks, tabs and marks decide what a line is") {
  const std::string table = "| a |\n|---|\n| 1 |\n";
  check({
      {"   | a |\n   |---|\n", "1:a"},
      {"\t| a |\n\t|---|\n", ""},
      {"  \t| a |\n  \t|---|\n", ""},
      {"- | a |\n  |---|\n", "1:a"},
      {"- \n     | a |\n     |---|\n", "2:a"},  // an item that begins with its second line
      {"9. | a |\n   |---|\n", "1:a"},
      {"9) | a |\n   |---|\n", "1:a"},
      {"123456789. | a |\n           |---|\n", "1:a"},
      {"1234567890. | a |\n            |---|\n", ""},
      {"> | a |\n> |---|\n", "1:a"},
      {">> | a |\n>> |---|\n", "1:a"},
      {">    | a |\n>    |---|\n", "1:a"},  // one blank is the quote's
      {">     | a |\n>     |---|\n", ""},
      {"> | a |\n|---|\n", ""},
      {"``\n" + table + "``\n", "2:a 4:1"},
      {"```\n" + table + "``\n", ""},
      {"~~~\n" + table + "~~~~\n" + table, "6:a 8:1"},
      {"> ```\n" + table, "2:a 4:1"},
      {"- ```\n" + table, "2:a 4:1"},
      {"   \n" + table, "2:a 4:1"},
      {" \t \n" + table, "2:a 4:1"},
      {table + " ", "1:a 3:1"},
      {table + "  \t", "1:a 3:1"},
      {"<!-->\n" + table, ""},
      {"\r\n" + table, "2:a 4:1"},
  });
}
