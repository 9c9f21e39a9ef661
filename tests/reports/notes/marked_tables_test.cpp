// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/marked_tables.h"

#include "core/base/text.h"
#include "reports/notes/kept_lines.h"
#include "reports/notes/markdown.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string between(const std::string& document, const MarkedTable& table) {
  return document.substr(table.begin, table.end - table.begin);
}

std::vector<std::string> words_of(const std::string& marker) {
  return marked_tables(marker + "\n<!-- pippin:end -->\n", "f.md").at(0).words;
}

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string refused(const std::string& document) {
  return error_of([&] { marked_tables(document, "f.md"); });
}

/// A row of the table below: its TP and its mean time are what it is known by.
Summary row_of(std::int64_t tp, double seconds, std::vector<std::string> notes = {}) {
  Summary row = test::row_52b("tp" + std::to_string(tp), seconds);
  row.point.layout.tp = tp;
  row.past_notes = notes;
  row.notes = std::move(notes);
  return row;
}

Report report_of(std::vector<Summary> rows, const std::string& columns = "GPUs,TP,Speed,Notes") {
  Report report{std::move(rows)};
  if (!columns.empty()) report.columns = columns_named(columns, report.rows);
  return report;
}

std::string document_of(const std::string& text) {
  return "# Results\n\n<!-- pippin:begin s -->\n" + text + "<!-- pippin:end -->\n\nThe end.\n";
}

/// The document as `report --update` leaves it.
std::string updated(const std::string& document, Report report) {
  const auto table = marked_tables(document, "f.md").at(0);
  const KeptLines kept = keep_notes(report, document, markdown_tables(document), table, "f.md");
  return edited(document, {{table.begin, table.end, marked_text(report, document, kept)}});
}

/// The notes of each row of the document's table, by line.
std::vector<std::string> notes_in(const std::string& document) {
  std::vector<std::string> notes;
  const auto tables = markdown_tables(document);
  REQUIRE(tables.size() == 1);
  for (const auto& row : tables[0].rows) notes.emplace_back(row.cells.back().text);
  return notes;
}

/// A table with a note of a person in each row.
std::string noted_document(const std::string& first, const std::string& second) {
  return document_of(
      "\n| GPUs | TP | Speed | Notes |\n| --- | --- | --- | --- |\n| 64 | 4 | 1.00 s | " + first +
      " |\n| 64 | 8 | 2.00 s | " + second + " |\n");
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a marker's words are split as a shell splits them") {
  const std::vector<std::pair<std::string, Texts>> cases{
      {"<!-- pippin:begin s -->", {"s"}},
      {"<!--pippin:begin s-->", {"s"}},
      {"<!-- pippin:begin -->", {}},
      {"<!-- pippin:begin\ts\t--sort  tflops -->", {"s", "--sort", "tflops"}},
      {"<!-- pippin:begin 'two words' \"more of them\" -->", {"two words", "more of them"}},
      {"<!-- pippin:begin s --where 'state == \"ok\"' -->", {"s", "--where", "state == \"ok\""}},
      {"<!-- pippin:begin s --where=\"x == \\\"a\\\"\" -->", {"s", "--where=x == \"a\""}},
      {"<!-- pippin:begin a\\ b \"c\\d\" '\\' '' -->", {"a b", "c\\d", "\\", ""}},
      {"<!-- pippin:begin a\"b c\"d -->", {"ab cd"}},
      {"<!-- pippin:begin \"a\\\\b\" \"a\\\"b\" \"a\\$b\" \"a\\`b\" -->",
       {"a\\b", "a\"b", "a$b", "a`b"}},
      {"<!-- pippin:begin s --columns 'GPUs,PP Chunks' -->", {"s", "--columns", "GPUs,PP Chunks"}}};
  for (const auto& [marker, words] : cases) {
    CAPTURE(marker);
    CHECK(words_of(marker) == words);
  }
}

TEST_CASE("a marked table is the whole lines between its markers") {
  const std::string document =
      "text\n<!-- pippin:begin a -->\n<!-- pippin:end -->\n  <!-- pippin:begin b -->\nx\n\ny\n"
      "  <!-- pippin:end -->\n";
  const auto tables = marked_tables(document, "f.md");
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].line == 2);
  CHECK(between(document, tables[0]).empty());
  CHECK(tables[1].line == 4);
  CHECK(between(document, tables[1]) == "x\n\ny\n");
  CHECK(marked_tables("no marker\n<!-- of pippin:begin -->", "f.md").empty());
  CHECK(marked_tables("", "f.md").empty());
}

TEST_CASE("markers are found with other line ends and at the document's ends") {
  const std::string document =
      "\xef\xbb\xbf<!-- pippin:begin a -->\r\n\r\n| x |\r\n<!-- pippin:end -->";
  const auto tables = marked_tables(document, "f.md");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].line == 1);
  CHECK(tables[0].words == Texts{"a"});
  CHECK(between(document, tables[0]) == "\r\n| x |\r\n");
}

TEST_CASE("markers in code are text") {
  const std::string document =
      "```\n<!-- pippin:begin a -->\n```\n\n    <!-- pippin:end -->\n\n`<!-- pippin:end -->`\n"
      "~~~ md\n<!-- pippin:begin b\n~~~\n<!-- pippin:begin c -->\n```\n<!-- pippin:end -->\n```\n"
      "<!-- pippin:end -->\n";
  const auto tables = marked_tables(document, "f.md");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].line == 11);
  CHECK(between(document, tables[0]) == "```\n<!-- pippin:end -->\n```\n");
}

TEST_CASE(
    "each of several marked tables keeps the notes that stood in it, and the others are a "
    "person's") {
  const auto table = [](const std::string& note) {
    return "\n| GPUs | TP | Speed | Notes |\n| --- | --- | --- | --- |\n| 64 | 4 | 1.00 s | " +
           note + " |\n\n";
  };
  const std::string document = table("mine") + document_of(table("first")) + table("also mine") +
                               document_of("") + document_of(table("third")) + table("last");
  const auto marked = marked_tables(document, "f.md");
  const auto all = markdown_tables(document);
  REQUIRE(marked.size() == 3);
  REQUIRE(all.size() == 5);
  Texts notes;
  for (const auto& place : marked) {
    Report report = report_of({row_of(4, 1)});
    keep_notes(report, document, all, place, "f.md");
    notes.push_back(join(report.rows[0].notes, "; "));
  }
  CHECK(notes == Texts{"first", "", "third"});
  Texts by_hand;
  for (const auto& one : tables_by_hand(document, "f.md"))
    by_hand.emplace_back(one.rows[0].text(3));
  CHECK(by_hand == Texts{"mine", "also mine", "last"});
}

TEST_CASE("a marker that cannot be is refused with its place") {
  const std::string begin = "<!-- pippin:begin s -->\n", end = "<!-- pippin:end -->\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a\n" + begin + "b\n", "f.md:2: this table has no '<!-- pippin:end -->'"},
      {"a\n\n" + end, "f.md:3: '<!-- pippin:end -->' without a '<!-- pippin:begin … -->'"},
      {begin + end + end, "f.md:3: '<!-- pippin:end -->' without a '<!-- pippin:begin … -->'"},
      {begin + "x\n" + begin + end,
       "f.md:3: the table that begins in line 1 has no '<!-- pippin:end -->' before this"},
      {begin + begin,
       "f.md:2: the table that begins in line 1 has no '<!-- pippin:end -->' before "
       "this"},
      {"<!-- pippin:begin s 'x -->\n" + end, "f.md:1: a quote is not closed"},
      {"<!-- pippin:begin s\n-->\n" + end,
       "f.md:1: a marker is one line: '<!-- pippin:begin SWEEP -->'"},
      {"<!-- pippin:begin s --> text\n" + end,
       "f.md:1: a marker is one line: '<!-- pippin:begin SWEEP -->'"}};
  for (const auto& [document, message] : cases) {
    CAPTURE(document);
    CHECK(refused(document) == message);
  }
}

TEST_CASE("a table is written with blank lines around it and the document's line ends") {
  const Report report = report_of({row_of(4, 1)}, "TP,Speed");
  const std::string text =
      "\n|  TP |  Speed |\n| --: | -----: |\n|   4 | 1.00 s |\n\n"
      "- no ±: one allocation\n\n" +
      wrote_comment({"TP", "Speed", "- no ±: one allocation"}) + "\n\n";
  CHECK(marked_text(report, "a\nb", {}) == text);
  CHECK(marked_text(report, "", {}) == text);
  const std::string returns = marked_text(report, "a\r\nb\n", {});
  CHECK(split(returns, '\n').size() == split(text, '\n').size());
  for (const auto line : split(returns, '\n'))
    if (line.data() + line.size() != returns.data() + returns.size()) CHECK(line.back() == '\r');
}

TEST_CASE("an update of what was just written changes nothing") {
  for (const std::string columns : {"", "GPUs,TP,Speed", "TP,Speed,Notes"}) {
    const Report report = report_of({row_of(4, 1, {"a|b", "c"}), row_of(8, 2)}, columns);
    const std::string once = updated(document_of(""), report);
    CHECK(updated(once, report) == once);
    CHECK(once.rfind("# Results\n\n<!-- pippin:begin s -->\n\n| ", 0) == 0);
    CHECK(once.find("\n\n<!-- pippin:end -->\n\nThe end.\n") != std::string::npos);
  }
}

TEST_CASE("notes of people stay with their rows wherever these go") {
  const std::string document = noted_document("good", "bad \\| `a\\|b` *so*");
  CHECK(notes_in(updated(document, report_of({row_of(8, 2.5), row_of(2, 3), row_of(4, 1.5)}))) ==
        Texts{"bad | `a|b` *so*", "", "good"});
  // Other columns of the same names are enough to know a row by.
  CHECK(
      notes_in(updated(document, report_of({row_of(8, 2.5), row_of(4, 1.5)}, "TP,tflops,notes"))) ==
      Texts{"bad | `a|b` *so*", "good"});
}

TEST_CASE("a table with a column of notes keeps the one that it has") {
  const std::string after =
      updated(noted_document("mine", ""), report_of({row_of(4, 1), row_of(8, 2)}));
  const auto tables = markdown_tables(after);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].header.cells.size() == 4);
  CHECK(notes_in(after) == Texts{"mine", ""});
}

TEST_CASE("a table without a column of notes gets one where people wrote some") {
  const auto with =
      updated(noted_document("good", ""), report_of({row_of(4, 1), row_of(8, 2)}, "GPUs,TP,Speed"));
  CHECK(markdown_tables(with).at(0).header.cells.back().text == "notes");
  CHECK(notes_in(with) == Texts{"good", ""});
  // What pippin itself wrote is in the database and needs no keeping.
  const auto without = updated(noted_document("ours", ""),
                               report_of({row_of(4, 1, {"ours"}), row_of(8, 2)}, "GPUs,TP,Speed"));
  CHECK(markdown_tables(without).at(0).header.cells.back().text == "Speed");
}

TEST_CASE("what pippin wrote of a row is written anew") {
  Summary row = row_of(4, 1, {"first", "a; b", "line\nbreak", "new"});
  row.notes = {"new"};
  for (const std::string old :
       {"first", "first; new", "a; b", "new; a; b; first", "line\\nbreak; new"}) {
    CAPTURE(old);
    CHECK(notes_in(updated(noted_document(old, ""), report_of({row, row_of(8, 2)}))) ==
          Texts{"new", ""});
  }
  for (const std::string own : {"first and more", "a", "b", "new;", "a; b; c"}) {
    CAPTURE(own);
    CHECK(notes_in(updated(noted_document(own, ""), report_of({row, row_of(8, 2)}))) ==
          Texts{own, ""});
  }
}

TEST_CASE("rows that look alike are told apart by their times") {
  Summary a = row_of(4, 1), b = row_of(4, 2), c = row_of(4, 3);
  const std::string document = document_of(
      "| TP | Speed | Notes |\n|---|---|---|\n| 4 | 2.00 s | two |\n| 4 | 1.00 s | one |\n");
  CHECK(notes_in(updated(document, report_of({a, b, c}, "TP,Speed,Notes"))) ==
        Texts{"one", "two", ""});
  // Alike in time too, and as many notes as rows: in their order.
  CHECK(notes_in(updated(document_of("| TP | Speed | Notes |\n|---|---|---|\n| 4 | 1.00 s | x |\n"
                                     "| 4 | 1.00 s | y |\n"),
                         report_of({c, a, a}, "TP,Speed,Notes"))) == Texts{"", "x", "y"});
}

TEST_CASE("a note of ours is known among rows that look alike") {
  const std::string document =
      document_of("| TP | Speed | Notes |\n|---|---|---|\n| 4 | 9.00 s | ours |\n");
  CHECK(notes_in(updated(document, report_of({row_of(4, 1), row_of(4, 2, {"ours"})},
                                             "TP,Speed,Notes"))) == Texts{"", "ours"});
}

TEST_CASE("a note whose row is gone or not the only one is refused with its place") {
  const auto refuses = [](const std::string& document, const Report& report) {
    return error_of([&] { updated(document, report); });
  };
  CHECK(refuses(noted_document("good", ""), report_of({row_of(8, 2)})) ==
        "f.md:7: the note 'good' stands in a row that the table has no longer; move or delete it, "
        "then repeat the command");
  CHECK(refuses(document_of("| TP | Speed | Notes |\n|---|---|---|\n| 4 | 9.00 s | x |\n"),
                report_of({row_of(4, 1), row_of(4, 2)}, "TP,Speed,Notes")) ==
        "f.md:6: the note 'x' may belong to 2 rows; add a column that tells them apart, or move "
        "it, then repeat the command");
  // As many notes as rows, but the times tell that these are no longer the same.
  CHECK(refuses(document_of("| TP | Speed | Notes |\n|---|---|---|\n| 4 | 8.00 s | x |\n"
                            "| 4 | 9.00 s | y |\n"),
                report_of({row_of(4, 1), row_of(4, 2)}, "TP,Speed,Notes"))
            .rfind("f.md:6: the note 'x' may belong to 2 rows", 0) == 0);
  // Two rows of runs that are one point now.
  CHECK(refuses(document_of("| TP | Notes |\n|---|---|\n| 4 | x |\n| 4 | y |\n"),
                report_of({row_of(4, 1)}, "TP,Notes"))
            .rfind("f.md:7: the note 'y' stands in a row that the table has no longer", 0) == 0);
}

TEST_CASE("nothing else that people wrote gets lost without a word") {
  const auto refuses = [](const std::string& between) {
    return error_of([&] { updated(document_of(between), report_of({row_of(4, 1)}, "TP,Notes")); });
  };
  CHECK(refuses("| TP | Notes |\n|---|---|\n| 4 | |\n\n| mine |\n|---|\n") ==
        "f.md:8: a second table stands between the markers and would be lost; move it out, then "
        "repeat the command");
  CHECK(refuses("\n| TP | Notes |\n|---|---|\n| 4 | a | b |\n") ==
        "f.md:7: a row of 3 cells under a header of 2: write a pipe in a text as '\\|', then "
        "repeat the command");
  CHECK(refuses("\n| TP | Notes | Mine |\n|---|---|\n| 4 | a | b |\n") ==
        "f.md:5: this is no table that Markdown knows: its header and its rule have not as many "
        "cells; mend it, then repeat the command");
  CHECK(refuses("\n| TP | Notes |\n|---|---|\n| 4 | a | |\n").empty());
  CHECK(refuses("\nsome text | more\n").empty());
}

TEST_CASE("what people wrote above and below a table stays there") {
  const Report report = report_of({row_of(4, 1), row_of(8, 2)}, "TP,Speed");
  std::string document = updated(document_of(""), report);
  const auto add = [&](const std::string& before, const std::string& text) {
    document.insert(document.find(before), text);
  };
  add("| ", "Measured in May.\n\n");
  add("- no ±", "- mine, at the top\n");
  add("<!-- pippin:wrote",
      "- mine\n\nA paragraph | with a pipe\nof two lines.\n\n- another list\n\n");
  const std::string after = updated(document, report_of({row_of(4, 1), row_of(8, 3)}, "TP,Speed"));
  const auto position = [&](const std::string& text) {
    CAPTURE(after, text);
    REQUIRE(after.find(text) != std::string::npos);
    CHECK(after.find(text) == after.rfind(text));
    return after.find(text);
  };
  CHECK(position("Measured in May.\n\n| ") < position("3.00 s"));
  CHECK(position("3.00 s") < position("- mine, at the top\n"));
  CHECK(position("- mine, at the top\n") < position("- mine\n"));
  CHECK(position("- mine\n") <
        position("A paragraph | with a pipe\nof two lines.\n\n- another list\n"));
  position("- no ±");
  CHECK(updated(after, report_of({row_of(4, 1), row_of(8, 3)}, "TP,Speed")) == after);
}

TEST_CASE("a table of before gives up its own list and keeps the rest") {
  const std::string old =
      "\n| TP | Speed |\n|---|---|\n| 4 | 1 s |\n\n- no ±: one day\n- TFLOPS\n\nMine.\n\n- mine, "
      "too\n";
  const std::string after = updated(document_of(old), report_of({row_of(4, 1)}, "TP,Speed"));
  CHECK(after.find("one day") == std::string::npos);
  CHECK(after.find("Mine.\n\n- mine, too\n") != std::string::npos);
}

TEST_CASE("a column of a person's own is not lost without a word") {
  const auto refusal = [&](const std::string& document, const std::string& columns) {
    return error_of([&] { updated(document, report_of({row_of(4, 1)}, columns)); });
  };
  const std::string table = "| TP | Speed | jobs |\n|---|---|---|\n| 4 | 1 s | 42 |\n";
  for (const std::string& wrote : {std::string(), wrote_comment({"TP", "Speed"})}) {
    CHECK(
        refusal(document_of(table + "\n" + wrote + "\n"), "TP,Speed") ==
        "f.md:4: the column 'jobs' is not pippin's and would be lost; move it out of the markers, "
        "or write it as notes, then repeat the command");
  }
  // A column that pippin wrote goes when it is asked for no longer, whatever its title.
  const std::string ours = updated(document_of(""), report_of({row_of(4, 1)}, "TP,mine=Speed"));
  CHECK(refusal(ours, "TP").empty());
}

TEST_CASE("columns of the same title are told apart by their order") {
  Summary a = row_of(4, 1), b = row_of(4, 2);
  a.point.layout.dp = 1;
  b.point.layout.dp = 2;
  const std::string document =
      document_of("| X | X | Notes |\n|---|---|---|\n| 4 | 2 | two |\n| 4 | 1 | one |\n");
  CHECK(notes_in(updated(document, report_of({a, b}, "X=tp,X=dp,Notes"))) == Texts{"one", "two"});
}
