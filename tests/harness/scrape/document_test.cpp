#include "harness/scrape/document.h"

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::dump;
using test::row;

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
  CHECK(document_signs("#!/bin/sh\n").script);
  CHECK(document_signs("\n#PBS -l select=1\n").script);
  CHECK_FALSE(document_signs("text\n#!/bin/sh\n").script);
  CHECK(document_signs("# Title\n").note);
  CHECK_FALSE(document_signs("# nThread 1 nGpus 1\nfoo\n#\n").script);
  CHECK_FALSE(document_signs("text\n# a comment\n").note);
  CHECK(document_signs("~~~\nx\n~~~\n").fenced);
  CHECK_FALSE(document_signs(dump() + row(1, 100)).any());
}
