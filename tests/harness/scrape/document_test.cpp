// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/document.h"

#include "core/base/text.h"
#include "harness/scrape/line_scanner.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/needles_of.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::dump;
using test::row;

namespace {

/// Sees those lines of a text that may be signs.
class Signs : public LineSink {
 public:
  bool wants_next_line() const override { return watch.wants_next_line(); }
  void take(const FoundLine& line) override {
    if (line.after_feed) watch.see(line.raw);
  }
  const Needles& needles() const override { return needles_; }
  DocumentWatch watch;

 private:
  const Needles needles_ = test::needles_of(DocumentWatch::texts());
};

DocumentSigns signs_of(std::string_view text) {
  Signs signs;
  LineScanner scanner(signs);
  scanner.add(text);
  scanner.finish();
  return signs.watch.signs();
}

}  // namespace

TEST_CASE("a job script that quotes a log is none") {
  const std::string sample = dump() + row(1, 100) + row(2, 90);
  const std::string head = "#!/bin/bash\n#SBATCH --nodes=16\nset -x\n";
  CHECK(scrape(head + "cat > sample.txt <<EOF\n" + sample + "EOF\nsrun train\n").empty());
  CHECK(scrape(head + "cat <<-'END'\n" + sample + "\tEND\n").empty());
  CHECK(scrape(head + "# " + row(1, 100) + "srun train\n").empty());
  CHECK(scrape(head + "srun train\nexit\n" + row(1, 100)).empty());
  CHECK(scrape("#SBATCH --nodes=2\n" + row(1, 100)).empty());
  CHECK(scrape("echo '" + row(1, 100) + "'\n").empty());
}

TEST_CASE("notes that quote a log are none") {
  const std::string sample = dump() + row(1, 100);
  CHECK(scrape("# Notes\n\n```\n" + sample + "```\n").empty());
  CHECK(scrape("Monday\n\n## Speed\n\n    " + row(1, 100)).empty());
  CHECK(scrape("| run | line |\n|---|---|\n| 1 | " + row(1, 100)).empty());
  CHECK(scrape("Monday.\n> " + row(1, 100)).empty());
  CHECK(scrape("- " + row(1, 100)).empty());
  CHECK(scrape("{\"line\": \"" + row(1, 100) + "\"}").empty());
}

TEST_CASE("a trace that quotes a dump opens none") {
  const std::string rule = "------------------------ arguments ------------------------\n";
  for (const char* quote : {"+ echo ", "echo '", "> ", "# "}) {
    CAPTURE(quote);
    const auto runs = scrape(dump() + row(1, 100) + quote + rule + row(2, 100));
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].iterations.size() == 2);
  }
}

TEST_CASE("a log that begins with the text of its job script is one") {
  const std::string log = "#!/bin/bash\n#SBATCH --nodes=16\ncat <<EOF\n" + row(9, 1) + "EOF\n" +
                          dump() + row(1, 100) + row(2, 90);
  const auto runs = scrape(log);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 2);
}

TEST_CASE("a shift in a job script opens no quotation") {
  const auto runs = scrape("#!/bin/bash\nsize=$((1 << 20)); cat <<< text\n" + dump() + row(1, 100));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 1);
}

TEST_CASE("a lone fence or a table inside of a log does not hide it") {
  const auto runs =
      scrape(dump() + row(1, 100) + "```\n" + row(2, 90) + "|---|---|\n" + row(3, 90));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 3);
  CHECK(scrape(row(1, 100) + "|---------+--------|\n" + row(2, 90)).size() == 1);
}

TEST_CASE("a log and another one within a fence below it are a document") {
  const std::string first = row(1, 100) + row(2, 90), second = row(20, 100) + row(21, 90);
  for (const char* between :
       {"```\n\nThe other:\n\n```\n", "```\n\nThe other:\n\n```text\n", "\nThe other:\n\n```\n",
        "The other:\n```text\n", "```\n\n```console\n"}) {
    CAPTURE(between);
    for (const std::string& end : {std::string(), std::string("```\n"), row(22, 90) + "```\n"}) {
      CHECK(scrape(first + between + second + end).empty());
      CHECK(scrape(first + between + row(20, 100) + end).empty());
    }
    const std::string text = first + between + second;
    const Scraped found = scrape_parts([&](const auto& take) {
      for (const char& c : text) take(std::string_view(&c, 1));
    });
    CHECK(found.runs.empty());
    CHECK(found.quoted.problem ==
          "quotes a log in a Markdown document: keep only the lines of one log");
  }
}

TEST_CASE("a log in a fence below another one is read where lines tell whether it is the same") {
  const char* between = "```\n\nThe other:\n\n```text\n";
  const auto runs = scrape(row(10, 100) + row(11, 90) + between + row(3, 80) + row(4, 80));
  REQUIRE(runs.size() == 2);
  CHECK(runs[1].iterations.size() == 2);
  CHECK(scrape(row(10, 100) + between + row(3, 80) + between + row(4, 80)).empty());
  const std::string dated = "[2025-10-24 09:52:21]";
  const auto same =
      scrape(dated + row(10, 100) + dated + row(11, 90) + between + dated + row(12, 80));
  REQUIRE(same.size() == 1);
  CHECK(same[0].iterations.size() == 3);
}

TEST_CASE("fences of what a model writes between steps make no document") {
  const std::string first = row(1, 100) + row(2, 90);
  for (const char* between :
       {"```python\nx = 1\n```\n", "```python\nx = 1\n\n```\n", "```\nx = 1\n```\n",
        "```\nx = 1\n\n```\n", "Sure:\n\n```\nx = 1\n```\n", "```python\nx = 1\n```\n\nDone.\n",
        "```python\nx = (\n", "```\n"}) {
    CAPTURE(between);
    std::string log = first;
    for (int i = 3; i < 8; ++i) log += between + row(i, 90);
    REQUIRE(scrape(log).size() == 1);
    CHECK(scrape(log)[0].iterations.size() == 7);
  }
}

TEST_CASE("signs of a document are found line by line") {
  CHECK(signs_of("#!/bin/sh\n").script);
  CHECK(signs_of("\n#PBS -l select=1\n").script);
  CHECK_FALSE(signs_of("text\n#!/bin/sh\n").script);
  CHECK(signs_of("# Title\n").titled);
  CHECK_FALSE(signs_of("# Title\n").note);
  CHECK_FALSE(signs_of("# nThread 1 nGpus 1\nfoo\n#\n").script);
  CHECK_FALSE(signs_of("text\n# a comment\n").any());
  CHECK(signs_of("~~~\nx\n~~~\n").fenced);
  CHECK_FALSE(signs_of(dump() + row(1, 100)).any());
}

TEST_CASE("a rule of a table has two dashes and two bars at the least") {
  CHECK(signs_of("|--|\n").note);
  CHECK(signs_of(" |-|-|\n").note);
  CHECK(signs_of("|:-:|-|\n").note);
  for (const char* rule :
       {"|  ---  |  ---  |\n", "|- |- |\n", "|:- |:- |\n", "|- | -|\n", "| - | - |\n"})
    CHECK(signs_of(std::string("text\n") + rule).note);
  CHECK_FALSE(signs_of("|-|\n").note);
  CHECK_FALSE(signs_of("|--\n").note);
  CHECK_FALSE(signs_of("|--|x\n").note);
  CHECK_FALSE(signs_of("||\n").note);
}

TEST_CASE("a heading is a word behind its marks, and a single mark is one in the first line only") {
  CHECK(signs_of("# T\n").titled);
  CHECK(signs_of("text\n## T\n").note);
  CHECK(signs_of("text\n### T\n").note);
  CHECK(signs_of("\n  \n# T\n").titled);
  CHECK_FALSE(signs_of("text\n# T\n").any());
  CHECK_FALSE(signs_of("## 7\n").note);
  CHECK_FALSE(signs_of("##T\n").note);
  CHECK_FALSE(signs_of("## \n").note);
  CHECK_FALSE(signs_of("##\n").note);
}

TEST_CASE("a part of a prompt is no heading, but what ends like one is") {
  CHECK_FALSE(signs_of("Loading\n### Response:\n").note);
  CHECK_FALSE(signs_of("Loading\n### Instruction:\n").note);
  CHECK(signs_of("Loading\n### Speed:\n").note);
  CHECK(signs_of("Loading\n### Response times\n").note);
}

TEST_CASE("what a progress bar writes over itself is no heading, wherever a log is cut") {
  const std::string log = row(1, 100) + "bar\r### x y\n" + row(2, 90);
  const std::size_t cut = log.find('\r') + 1;
  const auto runs = scrape_parts([&](const auto& take) {
                      take(std::string_view(log).substr(0, cut));
                      take(std::string_view(log).substr(cut));
                    }).runs;
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 2);
  CHECK(scrape(log).size() == 1);
}

TEST_CASE("a log may begin with a line that looks like a title") {
  std::string lines, note = "# run by alice\n";
  for (int i = 1; i <= 9; ++i) {
    lines += row(i, 100 + i);
    note += "It was slow today.\n\n";
  }
  CHECK(scrape(note + "As I said.\n" + lines).empty());
  CHECK(scrape("# Notes\n\n    " + row(1, 100)).empty());
  const auto runs = scrape(note + "As I said.\n" + lines + row(10, 90));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 10);
  CHECK(scrape("# run by alice\n\n" + lines).size() == 1);
  CHECK(scrape("# Notes\n\n## Speed\n\n" + lines + row(10, 90)).empty());
  CHECK(scrape("# Notes\n\n```\n" + lines + row(10, 90) + "```\n").empty());
}

namespace {

const std::string kNanotron =
    "iteration: 520 / 520 | consumed_tokens: 266K | time_per_iteration_ms: 46 | "
    "tokens_per_sec: 11.1K | tokens_per_sec_per_gpu: 11.1K | global_batch_size: 512 | "
    "lm_loss: 9.16 | lr: 0.000293 | model_tflops_per_gpu: 1.54\n";

QuotedText quoted_in(const std::string& text) {
  const Scraped found = scrape_parts([&](const auto& take) { take(text); });
  if (!found.quoted.problem.empty()) {
    CHECK(found.runs.empty());
    CHECK(found.problems.empty());
    CHECK(found.unused.empty());
  }
  return found.quoted;
}

}  // namespace

TEST_CASE(
    "a text that begins within a fence and ends in another is the log of the one with steps") {
  const std::string first = "last_train_step=500\n```\n\nThe last line:\n\n```text\n";
  const auto runs = scrape(first + kNanotron);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 1);
  CHECK(scrape(first + kNanotron + "```\n\n```bash\nls\n").size() == 1);
  CHECK_FALSE(signs_of("```\n```text```\n").torn);
  const std::string several = first + kNanotron + "```\n\nOf the other:\n\n```text\n";
  CHECK(scrape(several + kNanotron).empty());
  CHECK(quoted_in(several + kNanotron).problem ==
        "quotes a log in a Markdown document: keep only the lines of one log");
}

TEST_CASE("a text whose lines are all quoted is the log without the marks") {
  const std::string log = dump() + row(1, 100) + "\n" + row(2, 90);
  std::string quoted;
  for (const auto line : split(log, '\n')) quoted += "> " + std::string(line) + "\n";
  const auto runs = scrape(quoted);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 2);
  CHECK(quoted_in(quoted).is_marked);
  CHECK_FALSE(quoted_in(log).is_marked);
  const std::string note = "Monday.\n" + quoted;
  CHECK(scrape(note).empty());
  CHECK(quoted_in(note).problem ==
        "quotes a log in a Markdown document: keep only the lines of one log");
}

TEST_CASE("a document that quotes a log is refused with that reason, another one is not") {
  constexpr const char* kNote =
      "quotes a log in a Markdown document: keep only the lines of one log";
  CHECK(quoted_in("# Notes\n\n```\n" + row(1, 100) + "```\n").problem == kNote);
  CHECK(quoted_in("# Notes\n\n```\n{'train_runtime': 3.5, 'epoch': 1.0}\n```\n").problem == kNote);
  CHECK(quoted_in("#!/bin/bash\ncat <<EOF\n" + row(1, 100) + "EOF\n").problem ==
        "quotes a log in a job script: keep only the lines of one log");
  CHECK(quoted_in("# Notes\n\n```\nls\n```\n").problem.empty());
  const std::string log = "#!/bin/bash\ncat <<EOF\n" + row(9, 1) + "EOF\n" + dump() + row(1, 100);
  CHECK(quoted_in(log).problem.empty());
  CHECK(quoted_in(log).document.script);
}

TEST_CASE("of a log that begins with its script the quoted lines are explained as such") {
  const std::string log = "#!/bin/bash\ncat <<EOF\n" + row(9, 1) + "EOF\n" + dump() + row(1, 100);
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  std::string why, gave;
  explain_lines([&](const auto& take) { take(log); },
                [&](const ExplainedLine& line) {
                  if (line.text.find("iteration        9") != std::string::npos) why = line.why;
                  if (line.text.find("iteration        1") != std::string::npos) gave = line.gave;
                },
                {}, found.quoted.document);
  CHECK(why == "is quoted by the script or the note that the text is");
  CHECK(gave.find("iteration 1") != std::string::npos);
}

TEST_CASE("fences stand in pairs") {
  CHECK(signs_of("```\n```\n").fenced);
  CHECK(signs_of("```\n```\n").note);
  CHECK(signs_of("```\n~~~\n```\n```\n").fenced);
  CHECK_FALSE(signs_of("```\n").fenced);
  CHECK_FALSE(signs_of("```\n```\n```\n").fenced);
  CHECK_FALSE(signs_of("``\n``\n").fenced);
}

TEST_CASE("each scheduler's directives make a script") {
  for (const char* line : {"#SBATCH -n 1\n", "#PBS -l x\n", "#BSUB -n 1\n", "#!/bin/sh\n"})
    CHECK(signs_of(line).script);
  CHECK(signs_of("x\n#BSUB -n 1\n").script);
  CHECK_FALSE(signs_of("#SBATCH\n").script);
  CHECK_FALSE(signs_of("x #PBS -l y\n").script);
}

TEST_CASE("a here-document ends with its word, quoted or not, and only a whole word opens one") {
  const auto covered = [](const std::string& opening, const std::string& end) {
    const std::string text = "#!/bin/bash\n" + opening + "\ninside\n" + end + "\noutside\n";
    Quotation quotation(signs_of(text));
    for (const auto line : split(text, '\n')) quotation.see(line);
    quotation.covers(opening);
    const bool inside = quotation.covers("inside");
    quotation.covers(end);
    CHECK_FALSE(quotation.covers("outside"));
    return inside;
  };
  for (const char* opening : {"cat <<EOF", "cat << EOF", "cat <<'EOF'", "cat <<\"EOF\" >x",
                              "cat <<-EOF", "cat <<\\EOF", "cat <<EOF; ls"})
    CHECK(covered(opening, "EOF"));
  CHECK(covered("cat <<E_1", "\tE_1 "));
  CHECK_FALSE(covered("cat <<<EOF", "EOF"));
  CHECK_FALSE(covered("cat <<EOF", "E-O-F"));
  CHECK_FALSE(covered("cat <<", "EOF"));
  // The word that ends it is a line of its own: "x-EOF" is none.
  CHECK_FALSE(covered("cat <<x", "x-"));
}
