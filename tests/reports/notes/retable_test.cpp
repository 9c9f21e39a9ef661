// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/retable.h"

#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/notes/line_diff.h"
#include "tests/reports/notes/gpt2.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string mended(const std::string& document,
                   const NoteSettings& settings = test::gpt2_settings()) {
  std::vector<TextEdit> edits;
  for (const auto& change : retable(document, settings).changes) edits.push_back(change.edit);
  return edited(document, edits);
}

NoteSettings said(const std::string& seq, const std::string& recompute) {
  return note_settings({seq, "formula=params", "recompute=" + recompute});
}

std::vector<std::string> texts(const std::vector<NoteRemark>& remarks) {
  std::vector<std::string> texts;
  for (const auto& remark : remarks)
    texts.push_back(fmt::format("{}: {}", remark.line, remark.what));
  return texts;
}

/// A table of one row. With GBS 1000, size 10B and 80 GPUs, 1.024 s are 1000 TFLOPS.
std::string one_row(const std::string& time, const std::string& tflops) {
  return "| GPUs | Size | GBS | Time | TFLOPS |\n| ---: | ---: | --: | ---: | -----: |\n|   80 |  "
         "10B | 1000 | " +
         time + " | " + tflops + " |\n";
}

std::string last_line(const std::string& document) {
  return std::string(split(trim(document), '\n').back());
}

/// A cell of the notes that a row's numbers decide: where its text stands.
struct Cell {
  std::size_t line = 0, begin = 0, end = 0;
};

/// The TFLOPS cells of the mended notes that are computable, found without retable's own reader.
std::vector<Cell> computable_cells(const std::string& notes) {
  std::vector<Cell> cells;
  std::size_t number = 0, from = 0;
  for (std::string_view line : split(notes, '\n')) {
    ++number;
    const auto columns = split(line, '|');
    for (std::size_t i = 1; line.substr(0, 1) == "|" && i < columns.size(); ++i) {
      const std::string_view time = trim(columns[i - 1]), text = trim(columns[i]);
      const bool is_time = !time.empty() && parse_number(time.substr(0, time.find('s')));
      const bool is_tflops = text.find('.') != std::string_view::npos && parse_number(text);
      if (!is_time || !is_tflops || number < 70 || (number > 284 && number < 298)) continue;
      const auto begin = from + static_cast<std::size_t>(text.data() - line.data());
      cells.push_back({number, begin, begin + text.size()});
    }
    from += line.size() + 1;
  }
  return cells;
}

}  // namespace

TEST_CASE("the GPT-2 notes have six wrong numbers in 83 rows and three contradictions") {
  const Retabled result = retable(test::gpt2_notes(), test::gpt2_settings());
  CHECK(result.computable == 83);
  std::vector<std::string> changes;
  for (const auto& change : result.changes) {
    changes.push_back(fmt::format("{}: {} {}", change.line, change.before, change.after));
  }
  CHECK(changes == std::vector<std::string>{"180: 46.7 49.7", "213: 48.8 49.7", "231: 49.1 49.2",
                                            "250: 49.1 49.2", "433: 38.3 43.1", "466: 14.0 14.1"});
  CHECK(texts(result.contradictions) ==
        std::vector<std::string>{"77: GBS 4 is not MBS 1 × GAS 4 × DP 4 = 16",
                                 "181: GBS 1536 is not MBS 4 × GAS 256 × DP 1 = 1024",
                                 "182: GBS 2048 is not MBS 4 × GAS 256 × DP 1 = 1024"});
  CHECK(result.doubts.empty());
}

TEST_CASE("mending the notes changes six lines, and once") {
  const std::string notes = test::gpt2_notes(), after = mended(notes);
  std::vector<std::size_t> changed;
  for (std::size_t line = 1; line <= split(notes, '\n').size(); ++line) {
    if (test::line_of(notes, line) != test::line_of(after, line)) changed.push_back(line);
  }
  CHECK(changed == std::vector<std::size_t>{180, 213, 231, 250, 433, 466});
  CHECK(split(notes, '\n').size() == split(after, '\n').size());
  CHECK(mended(after) == after);
  CHECK(test::line_of(after, 180) ==
        "|   64 | 52B  | Y  | 26GB  |  1 | 16 |  256 |   4 | 1024 | 137s  |   49.7 | 06-10 |");
}

TEST_CASE("any number in place of the right one is mended to the very same text") {
  const std::string right = mended(test::gpt2_notes());
  const auto cells = computable_cells(right);
  CHECK(cells.size() == 83);
  for (const auto& cell : cells) {
    for (const std::string junk : {"0", "0.0", "999.9", "1000", "-5", "-46.71", "46,7", "0,0",
                                   "1e9", "1,024", "0.001", "**7**", "123456789.123456789"}) {
      const std::string wrong = edited(right, {{cell.begin, cell.end, junk}});
      CAPTURE(cell.line, junk);
      const bool bold = junk[0] == '*';
      const std::string original = test::line_of(right, cell.line);
      if (!bold) CHECK(test::line_of(mended(wrong), cell.line) == original);
      if (bold) CHECK(mended(wrong).find("**" + right.substr(cell.begin, cell.end - cell.begin)));
    }
  }
}

TEST_CASE("a wrong number as wide as the cell leaves its width alone") {
  const std::string right = mended(test::gpt2_notes());
  for (const auto& cell : computable_cells(right)) {
    const std::size_t length = cell.end - cell.begin;
    const std::string wrong = edited(right, {{cell.begin, cell.end, std::string(length, '9')}});
    CAPTURE(cell.line);
    CHECK(mended(wrong) == right);
  }
}

TEST_CASE("a number that is right to its own decimals stays as it is written") {
  // 1000 / 1.024 = 976.5625; size and GPUs as in one_row
  const std::vector<std::string> kept{"976.6",     "977",    "976.56",  "976.5625",
                                      "**976.6**", "+976.6", "976.562", "976.563"};
  for (const auto& text : kept) {
    CAPTURE(text);
    CHECK(mended(one_row("1.048576", text)) == one_row("1.048576", text));
  }
}

TEST_CASE("next to nothing is 0 and stays so") {
  for (const std::string text : {"0", "0.0", "0.000"}) {
    CHECK(mended(one_row("1e27s", text)) == one_row("1e27s", text));
  }
}

TEST_CASE("a cell alone in its notes keeps its decimals") {
  struct Case {
    std::string before, after;
  };
  for (const auto& c : std::vector<Case>{{"976.7", "976.6"},
                                         {"976.50", "976.56"},
                                         {"970", "977"},
                                         {"**970.1**", "**976.6**"},
                                         {"970,1", "976,6"},
                                         {"0", "976.6"}}) {
    const std::string line = last_line(mended(one_row("1.048576", c.before)));
    CAPTURE(c.before);
    CHECK_THAT(line, Catch::Contains(" " + c.after + " |"));
  }
}

TEST_CASE("what was mended needs no more, however its decimals were mixed") {
  // 10223.6 and 5111.8
  const auto table = [](const std::string& first, const std::string& second) {
    return "| GPUs | Size | GBS | Time | TFLOPS |\n|-|-|-|-|-|\n| 80 | 10B | 1000 | 0.1001602s | " +
           first + " |\n| 80 | 10B | 1000 | 0.2003203s | " + second + " |\n\n";
  };
  const std::vector<std::string> cells{"7",   ",7",   "1.463",  "143.626", "1.5",
                                       "1,5", "9984", "9984,1", "9984.1",  "4992,0"};
  for (const auto& a : cells)
    for (const auto& b : cells)
      for (const auto& c : cells) {
        const std::string document = table(a, b) + table(c, "4992,0") + one_row("1.048576", b);
        const std::string once = mended(document);
        CAPTURE(a, b, c, once);
        CHECK(mended(once) == once);
      }
}

TEST_CASE("a table of commas keeps them among tables of points") {
  const auto rows = [](const std::string& first, const std::string& second) {
    return "| GPUs | Size | GBS | Time | TFLOPS |\n|-|-|-|-|-|\n| 80 | 10B | 1000 | 1.048576s | " +
           first + " |\n| 80 | 10B | 1000 | 1.024s | " + second + " |\n\n";
  };
  const std::string points = rows("976.6", "1000.0") + rows("976.6", "1000.0");
  CHECK(mended(points + rows("976,6", "1000,0")) == points + rows("976,6", "1000,0"));
  CHECK(mended(points + rows("976,6", "1,0")) == points + rows("976.6", "1000.0"));
}

TEST_CASE("a row without one of its numbers is left alone") {
  const std::vector<std::string> rows{"|    | 10B | 1000 | 1s | 1.0 |",
                                      "| 80 |     | 1000 | 1s | 1.0 |",
                                      "| 80 | 10B |      | 1s | 1.0 |",
                                      "| 80 | 10B | 1000 |    | 1.0 |",
                                      "| 80 | 10B | 1000 | 1s |     |",
                                      "| 80 | 10B | 1000 | OOM | 1.0 |",
                                      "| 80 | 10B | 1000 | 1s | ? |",
                                      "| 80 | XL  | 1000 | 1s | 1.0 |",
                                      "| 80 | 10B | 1k | 1s | 1.0 |",
                                      "| 80 | 10B | 1000 | 1,5s | 1.0 |",
                                      "| 80 |",
                                      "|"};
  for (const auto& row : rows) {
    const std::string document =
        "| GPUs | Size | GBS | Time | TFLOPS |\n|-|-|-|-|-|\n" + row + "\n";
    CAPTURE(row);
    CHECK(mended(document) == document);
    CHECK(retable(document, test::gpt2_settings()).computable == 0);
    CHECK(retable(document, test::gpt2_settings()).contradictions.empty());
  }
}

TEST_CASE("zeros and monstrous numbers are named and never computed with") {
  struct Case {
    std::string row, what;
  };
  const std::vector<Case> cases{
      {"| 0 | 10B | 1000 | 1s | 1.0 |", "3: GPUs 0 is not above 0"},
      {"| 80 | 10B | 1000 | 0s | 1.0 |", "3: step time 0 is not above 0"},
      {"| 80 | 10B | 1000 | -1s | 1.0 |", "3: step time -1 is not above 0"},
      {"| 80 | 0B | 1000 | 1s | 1.0 |", "3: size 0 is not above 0"},
      {"| 80 | 10B | 0 | 1s | 1.0 |", "3: GBS 0 is not above 0"},
      {"| 80 | 10B | 1000 | 1e-300s | 1.0 |", "3: numbers too large or too small to compute with"},
      {"| 80 | 1e250B | 1000 | 1s | 1.0 |", "3: numbers too large or too small to compute with"}};
  for (const auto& c : cases) {
    const std::string document =
        "| GPUs | Size | GBS | Time | TFLOPS |\n|-|-|-|-|-|\n" + c.row + "\n";
    CAPTURE(c.row);
    CHECK(mended(document) == document);
    CHECK(texts(retable(document, test::gpt2_settings()).contradictions) ==
          std::vector<std::string>{c.what});
  }
}

TEST_CASE("a row that contradicts itself is named once, with what it says") {
  struct Case {
    std::string header, row, what;
  };
  const std::vector<Case> cases{
      {"GBS|MBS|GAS|DP", "16|1|4|4", ""},
      {"GBS|MBS|GAS|DP", "4|1|4|4", "GBS 4 is not MBS 1 × GAS 4 × DP 4 = 16"},
      {"GBS|MBS|GAS|DP", "4|1||4", ""},
      {"GBS|MBS|GAS", "4|1|5", ""},
      {"GBS|MBS|DP", "768|48|16", ""},
      {"GBS|MBS|DP", "512|48|16", "GBS 512 is not MBS 48 × DP 16 = 768"},
      {"GBS|MBS|DP|PP", "1536|48|16|2", ""},
      {"GBS|MBS|DP|PP", "1000|48|16|2", "GBS 1000 is no multiple of MBS 48 × DP 16 = 768"},
      {"GPUs|TP|PP|DP", "64|4|8|2", ""},
      {"GPUs|TP|PP|DP", "64|4|8|1", "GPUs 64 is not TP 4 × PP 8 × DP 1 = 32"},
      {"GPUs|TP|PP|DP|CP", "64|4|8|1|2", ""},
      {"GPUs|TP|DP", "64|4|1", ""},
      {"GPUs|TP|PP|DP|GBS|MBS", "8|1|1|1|3|2",
       "GBS 3 is no multiple of MBS 2 × DP 1 = 2; GPUs 8 is not TP 1 × PP 1 × DP 1 = 1"}};
  for (const auto& c : cases) {
    std::string dashes;
    for (std::size_t i = 0; i < split(c.header, '|').size(); ++i) dashes += "-|";
    const std::string document = "|" + c.header + "|\n|" + dashes + "\n|" + c.row + "|\n";
    CAPTURE(document);
    const auto found = texts(retable(document, test::gpt2_settings()).contradictions);
    CHECK(found ==
          (c.what.empty() ? std::vector<std::string>{} : std::vector<std::string>{"3: " + c.what}));
  }
}

TEST_CASE("GBS follows from its factors where it has no column") {
  const std::string table =
      "|GPUs|Size|MBS|PP chunks|DP|Time (ms)|TFLOPS|\n|-|-|-|-|-|-|-|\n"
      "|80|10B|2|100|5|1048.576|9.1|\n|80|10B|2||5|1048.576|9.1|\n";
  CHECK_THAT(mended(table), Catch::Contains("|1048.576|976.6|\n") && Catch::Contains("|9.1|\n"));
}

TEST_CASE("sequence length and factor are the caller's unless the table has its own") {
  const std::string table = one_row("1.048576", "9.1");
  CHECK_THAT(mended(table, said("seq=2048", "full")), Catch::Contains(" 1953.1 |"));
  CHECK_THAT(mended(table, said("seq=1024", "none")), Catch::Contains(" 732.4 |"));
  const std::string own =
      "|GPUs|Size|GBS|seq|Time|TFLOPS|\n|-|-|-|-|-|-|\n|80|10B|1000|2048|1.048576|9.1|\n"
      "|80|10B|1000||1.048576|9.1|\n";
  CHECK_THAT(mended(own), Catch::Contains("|1953.1|\n") && Catch::Contains("||1.048576|9.1|\n"));
}

TEST_CASE("a table whose columns are in doubt is left alone and named") {
  const std::string table =
      "|GPUs|Size|GBS|Speed|Time|TFLOPS|\n|-|-|-|-|-|-|\n|80|10B|1000|1s|2s|9.1|\n";
  CHECK(mended(table) == table);
  CHECK(texts(retable(table, test::gpt2_settings()).doubts) ==
        std::vector<std::string>{"1: two columns may be step_time: 'Speed' and 'Time'; rename one, "
                                 "the table is left as it is"});
  const std::string model =
      "|GPUs|Model|Size|GBS|Time|TFLOPS|\n|-|-|-|-|-|-|\n|80|GPT|10B|1000|1.048576|9.1|\n";
  CHECK_THAT(mended(model), Catch::Contains("|976.6|"));
}

TEST_CASE("line ends, odd characters and everything else stay byte for byte") {
  const std::string before =
      "# Größe\r\n| GPUs | Größe | Size | GBS | Time | TFLOPS |\r\n"
      "|-|-|-|-|-|-|\r\n| 80 | ü\\|x | 10B | 1,000 | 1.048576 | 9.1 ";
  CHECK(mended(before) == std::string(before).replace(before.size() - 4, 4, "976.6 "));
  const std::string fenced = "```\n" + one_row("1s", "9.1") + "```\n";
  CHECK(mended(fenced) == fenced);
}

TEST_CASE("a cell keeps its side and grows where it must") {
  struct Case {
    std::string before, after;
  };
  for (const auto& c : std::vector<Case>{{"|    1.0 |", "|  976.6 |"},
                                         {"| 1.0    |", "| 976.6  |"},
                                         {"|1.0|", "|976.6|"},
                                         {"| 1.0 |", "| 976.6 |"},
                                         {"|  1.0  |", "| 976.6 |"},
                                         {"|\t1.0\t|", "|\t976.6\t|"},
                                         {"|  12345.0 |", "|    976.6 |"},
                                         {"| 1.0", "| 976.6"}}) {
    const std::string head = "|GPUs|Size|GBS|Time| TFLOPS |\n|-|-|-|-|-:|\n";
    const std::string row = "|80|10B|1000|1.048576", twin = row + "|9|\n";
    CAPTURE(c.before);
    const std::string after = mended(head + row + c.before + "\n");
    CHECK(last_line(after) == row + c.after);
  }
}

TEST_CASE("tables that pippin writes between markers are not kept by hand") {
  const std::string table =
      "| GPUs | Size | GBS | Speed | TFlops |\n|-|-|-|-|-|\n| 64 | 52B | 1024 | 137s | 1.0 |\n";
  const std::string marked =
      "<!-- pippin:begin s -->\n\n" + table + "\n<!-- pippin:end -->\n\ntext\n\n";
  CHECK(retable(table, test::gpt2_settings()).changes.size() == 1);
  CHECK(retable(marked, test::gpt2_settings()).changes.empty());
  CHECK(retable(marked + table, test::gpt2_settings()).changes.at(0).line == 13);
}

TEST_CASE("the differences read as diff prints them") {
  CHECK(line_diff("a\n", "a\n", "x").empty());
  CHECK(line_diff("", "", "x").empty());
  CHECK(line_diff("a", "b", "x") ==
        "--- x\n+++ x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of "
        "file\n");
  CHECK(line_diff("1\n2\n3\n4\n5\na\nb\n", "1\n2\n3\n4\n5\nA\nB\n", "x y") ==
        "--- x y\t\n+++ x y\t\n@@ -3,5 +3,5 @@\n 3\n 4\n 5\n-a\n-b\n+A\n+B\n");
  const std::string far = "a\n1\n2\n3\n4\n5\n6\n7\nb\n";
  CHECK(line_diff(far, "A" + far.substr(1, far.size() - 3) + "B\n", "x") ==
        "--- x\n+++ x\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST_CASE("a difference shows three lines around a change, and joins what is near") {
  const auto lines = [](std::size_t changed, std::size_t other = 0) {
    std::string text;
    for (std::size_t i = 1; i <= 12; ++i)
      text += std::to_string(i) + (i == changed || i == other ? "x\n" : "\n");
    return text;
  };
  CHECK(line_diff(lines(0), lines(0), "f").empty());
  CHECK(line_diff(lines(0), lines(1), "f") ==
        "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-1\n+1x\n 2\n 3\n 4\n");
  CHECK(line_diff(lines(0), lines(12), "a b") ==
        "--- a b\t\n+++ a b\t\n@@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12\n+12x\n");
  CHECK(line_diff(lines(0), lines(6), "f") ==
        "--- f\n+++ f\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+6x\n 7\n 8\n 9\n");
  CHECK(line_diff(lines(0), lines(3, 4), "f") ==
        "--- f\n+++ f\n@@ -1,7 +1,7 @@\n 1\n 2\n-3\n-4\n+3x\n+4x\n 5\n 6\n 7\n");
  // Six lines between: one hunk; seven: two.
  const std::string one = line_diff(lines(0), lines(2, 9), "f");
  CHECK(one.find("@@ -1,12 +1,12 @@") != std::string::npos);
  const std::string two = line_diff(lines(0), lines(2, 10), "f");
  CHECK(two.find("@@ -1,5 +1,5 @@") != std::string::npos);
  CHECK(two.find("@@ -7,6 +7,6 @@") != std::string::npos);
  CHECK(line_diff("a", "b", "f") ==
        "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
        "\\ No newline at end of file\n");
}

namespace {

/// Two rows whose TFLOPS are those of sequences of 2048 with recomputation.
const std::string kUnsaidSeq =
    "## Speed\n\n| GPUs | Size | GBS | Time | TFLOPS |\n|-|-|-|-|-|\n"
    "| 80 | 10B | 1000 | 1.048576 | 1953.1 |\n| 80 | 20B | 1000 | 1.5 | 2730.7 |\n";

}  // namespace

TEST_CASE("TFLOPS of which something is unsaid are left as they are, with what to say") {
  CHECK(mended(kUnsaidSeq, {}) == kUnsaidSeq);
  const std::string unsaid =
      "3: table 'Speed', column 'TFLOPS': nothing says seq and formula and recompute; the table is "
      "left as it is; say it, such as --set seq=2048 --set formula=params --set recompute=full; "
      "its figures fit --set seq=2048 --set formula=params --set recompute=full in 2 of 2 rows";
  CHECK(texts(retable(kUnsaidSeq, {}).doubts) == std::vector<std::string>{unsaid});
  CHECK(retable(kUnsaidSeq, {}).tables == 0);
  const auto doubts =
      texts(retable(kUnsaidSeq, note_settings({"formula=params", "recompute=full"})).doubts);
  REQUIRE(doubts.size() == 1);
  CHECK_THAT(doubts[0], Catch::Contains("nothing says seq; the table") &&
                            Catch::Contains("fit --set seq=2048 in 2 of 2 rows"));
  CHECK(mended(kUnsaidSeq, said("seq=2048", "full")) == kUnsaidSeq);
}

TEST_CASE("a heading or the lines right above a table say what its columns do not") {
  std::string table = kUnsaidSeq;
  table.replace(3, 5, "seq=1024");
  const NoteSettings law = note_settings({"formula=params", "recompute=full"});
  CHECK_THAT(mended(table, law), Catch::Contains("| 976.6 "));
  table = "## Speed\n\n- Seq length is 2048\n" + kUnsaidSeq.substr(10);
  CHECK(mended(table, law) == table);
  CHECK(retable(table, law).doubts.empty());
}

TEST_CASE("what a heading says in two ways is unsaid") {
  const NoteSettings law = note_settings({"formula=params", "recompute=full"});
  for (const std::string text : {"seq=1024,2048", "seq 1024 or 2048", "seq=1024, seq=2048",
                                 "seq=1k", "PP*seq=8*4", "seq=1024, 2048 and 4096"}) {
    std::string table = kUnsaidSeq;
    table.replace(3, 5, text);
    CAPTURE(text);
    CHECK(mended(table, law) == table);
    CHECK(retable(table, law).doubts.size() == 1);
  }
}

TEST_CASE("BLOOM's own figure stays until a formula is said, and by its own then too") {
  const std::string bloom =
      "| GPUs | Size | layers | hidden | seq | vocab | GBS | Time | TFLOPS |\n"
      "|-|-|-|-|-|-|-|-|-|\n| 384 | 176B | 70 | 14336 | 2048 | 250880 | 2048 | 105.22 | 149.02 |\n";
  CHECK(mended(bloom, {}) == bloom);
  CHECK(mended(bloom, note_settings({"seq=1024"})) == bloom);
  CHECK(mended(bloom, note_settings({"formula=hardware"})) == bloom);
  CHECK(retable(bloom, note_settings({"formula=hardware"})).computable == 1);
  // The same figure without what formula `hardware` needs is no ground to compute, whatever seq is.
  const std::string bare =
      "| GPUs | Size | GBS | Time | TFLOPS |\n|-|-|-|-|-|\n| 384 | 176B | 2048 | 105.22 | 149.02 "
      "|\n";
  CHECK(mended(bare, {}) == bare);
  CHECK(texts(retable(bare, note_settings({"formula=hardware"})).doubts) ==
        std::vector<std::string>{
            "1: table of line 1, column 'TFLOPS': nothing says seq and layers and hidden and "
            "vocab; the table is left as it is; say it, such as --set seq=2048 --set layers=64 "
            "--set hidden=8192 --set vocab=50257"});
}

TEST_CASE("figures that fit no usual assumption get no hint") {
  std::string table = kUnsaidSeq;
  table.replace(table.find("1953.1"), 6, "1234.5");
  table.replace(table.find("2730.7"), 6, "2000.0");
  const auto doubts = texts(retable(table, {}).doubts);
  REQUIRE(doubts.size() == 1);
  CHECK_THAT(doubts[0], !Catch::Contains("fit"));
}
