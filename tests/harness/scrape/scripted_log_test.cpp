// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scripted_log.h"

#include <fmt/format.h>
#include <string>

#include "harness/scrape/scrape.h"
#include "harness/scrape/script_text.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr const char* kScript =
    "#!/bin/bash\n"
    "#SBATCH --nodes=1\n"
    "#SBATCH --gpus-per-node=4\n"
    "## the environment\n"
    "export WANDB_MODE=offline  # it's slow\n"
    "BLOCK=1024\n"
    "if [ -z \"$SLURM_JOB_ID\" ]; then\n"
    "  exit 1\n"
    "fi\n"
    "cat $0\n"
    "srun python train.py config/train_gpt2.py \\\n"
    "    --block_size=$BLOCK --log_interval=1\n";
constexpr const char* kBeginning =
    "tokens per iteration will be: 491,520\n"
    "Initializing a new model from scratch\n"
    "number of parameters: 123.59M\n";

std::string steps(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i)
    text += fmt::format("iter {}: loss 4.08{}, time 56{}.94ms, mfu 31.{}%\n", i, i % 10, i % 10,
                        i % 10);
  return text;
}

Scraped read(const std::string& text) {
  return scrape_parts([&](const auto& take) { take(text); });
}

void check_refused(const std::string& text) {
  CAPTURE(text);
  const Scraped found = read(text);
  CHECK(found.runs.empty());
  CHECK(found.quoted.problem == "quotes a log in a job script: keep only the lines of one log");
}

}  // namespace

TEST_CASE("a trainer's log that begins with its job script is read behind it") {
  const Scraped found = read(std::string(kScript) + kBeginning + steps(0, 11));
  REQUIRE(found.runs.size() == 1);
  CHECK(found.runs[0].point.trainer == "nanogpt");
  CHECK(found.runs[0].iterations.size() == 12);
  CHECK(found.runs[0].iterations.at(3).step_time_ms == 563.94);
  CHECK(found.quoted.document.script_lines == 12);
  CHECK(found.quoted.problem.empty());
}

TEST_CASE("a trainer's log that begins with the trace of its script is read, too") {
  const std::string log = std::string("+ cat /var/spool/slurmd/job12/slurm_script\n") + kScript +
                          "+ srun python train.py config/train_gpt2.py --block_size=1024\n" +
                          kBeginning + steps(0, 9);
  CHECK(read(log).runs.size() == 1);
  const std::string with_document =
      std::string(kScript) + "cat <<END > hosts\n" + steps(0, 3) + "END\n";
  const auto runs = read(with_document + kBeginning + steps(20, 31)).runs;
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.at(0).number == 20);
}

TEST_CASE("what a script says in itself is no fact of the launch") {
  const std::string log = std::string(kScript) +
                          "echo \"tokens per iteration will be: 7\"\n"
                          "# number of parameters: 5.00M\n" +
                          steps(0, 11);
  const auto runs = read(log).runs;
  REQUIRE(runs.size() == 1);
  CHECK_FALSE(runs[0].point.model.params);
}

TEST_CASE("the first step behind a script is the first of its launch") {
  const auto runs = read(std::string(kScript) + steps(10, 21)).runs;
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].iterations.at(0).flags == kFirst);
  CHECK(runs[0].iterations.at(1).flags == 0);
}

TEST_CASE("a script with a few steps behind it quotes them") {
  check_refused(std::string(kScript) + "exit\n" + steps(0, 2));
  check_refused(std::string(kScript) + kBeginning + steps(0, 8));
}

TEST_CASE("a script that goes on behind the steps quotes them") {
  for (const char* end :
       {"fi\n", "done\n", "# Second try:\n", "srun hostname\n", "exit 0\n", "\"\n", "EOF\n",
        "#SBATCH -N 2\n", "python train.py \\\n", "cat <<END\nx\nEND\n", "## Results\n"}) {
    check_refused(std::string(kScript) + kBeginning + steps(0, 11) + end);
    check_refused(std::string(kScript) + kBeginning + steps(0, 11) + end + steps(12, 15));
  }
}

TEST_CASE("a script whose quotes or here-documents are open quotes the steps") {
  check_refused(std::string(kScript) + "echo \"it was\n" + steps(0, 11));
  check_refused(std::string(kScript) + "echo 'it was\n" + steps(0, 11));
  check_refused(std::string(kScript) + "cat > sample.txt <<EOF\n" + steps(0, 11));
  check_refused(std::string(kScript) + "cat > sample.txt <<EOF\n" + steps(0, 11) + "EOF\n");
}

TEST_CASE("a text that has a script further down is a note") {
  check_refused("My script and what it prints:\n" + std::string(kScript) + kBeginning +
                steps(0, 11));
  CHECK(read("# Notes\n" + std::string(kScript) + kBeginning + steps(0, 11)).runs.empty());
  CHECK(read(std::string(kScript) + "```\n" + steps(0, 11) + "```\n").runs.empty());
  CHECK(read(std::string(kScript) + "```\nls\n```\nThe log:\n```\necho\n" + kBeginning +
             steps(0, 11) + "```\n")
            .runs.empty());
  CHECK(read(std::string(kScript) + "| a | b |\n|---|---|\n" + steps(0, 11)).runs.empty());
  std::string commented;
  for (int i = 0; i < 12; ++i) commented += "# " + steps(i, i);
  CHECK(read(std::string(kScript) + commented).runs.empty());
}

TEST_CASE("Megatron's steps behind a script need their dump") {
  std::string rows;
  for (int i = 1; i <= 12; ++i) rows += test::row(i, 100);
  CHECK(read(kScript + rows).runs.empty());
  CHECK(read(kScript + test::dump() + rows).runs.size() == 1);
}

TEST_CASE("the lines of a leading script are explained as such") {
  const std::string log =
      std::string(kScript) + "# number of parameters: 5.00M\n" + kBeginning + steps(0, 11);
  const auto take_all = [&](const auto& take) { take(log); };
  std::size_t given = 0;
  std::string why;
  explain_lines(
      take_all,
      [&](const ExplainedLine& line) {
        given += line.gave.starts_with("nanogpt step") ? 1 : 0;
        if (line.text.starts_with("# number")) why = line.why;
      },
      {}, read(log).quoted.document);
  CHECK(given == 12);
  CHECK(why == "is quoted by the script or the note that the text is");
}

TEST_CASE("lines of scripts are known") {
  for (const char* line : {"# a comment", "#!/bin/sh", "#SBATCH -N 2", "fi", "  done", "exit 1",
                           "srun x", "python x \\", "\"", "echo hello"})
    CHECK(is_of_script(line));
  for (const char* line : {"python3 train.py", "A_1=2", "PATH+=:x", "for i in 1 2; do", "source x"})
    CHECK((may_be_of_script(line) && !is_of_script(line)));
  for (const char* line : {"iter 3: loss 4", "exiting", "Doing", "=====", "2=3", "#1", "done.", ""})
    CHECK_FALSE(is_of_script(line));
  CHECK(begins_script("++ cat job.sh"));
  CHECK_FALSE(begins_script("+ srun cat"));
  CHECK_FALSE(begins_script("cat job.sh"));
}

TEST_CASE("quotes of a script go on over lines") {
  const auto is_open = [](const char* a, const char* b = "") {
    ScriptQuotes quotes;
    quotes.see(a);
    quotes.see(b);
    return quotes.is_open();
  };
  CHECK(is_open("echo \"a"));
  CHECK_FALSE(is_open("echo \"a", "b\""));
  CHECK_FALSE(is_open("echo \"it's\""));
  CHECK_FALSE(is_open("echo \\\""));
  CHECK(is_open("echo 'a\\'", "'"));
  CHECK_FALSE(is_open("x  # it's"));
  CHECK_FALSE(is_open("# it's"));
  CHECK(is_open("x#'"));
}
