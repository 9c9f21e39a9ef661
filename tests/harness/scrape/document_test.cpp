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
  std::string lines;
  for (int i = 1; i <= 9; ++i) lines += row(i, 100 + i);
  CHECK(scrape("# run by alice\n" + lines).empty());
  const auto runs = scrape("# run by alice\n" + lines + row(10, 90));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.size() == 10);
  CHECK(scrape("# Notes\n\n## Speed\n\n" + lines + row(10, 90)).empty());
  CHECK(scrape("# Notes\n\n```\n" + lines + row(10, 90) + "```\n").empty());
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
