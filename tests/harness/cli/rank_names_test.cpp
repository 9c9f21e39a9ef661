// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/rank_names.h"

#include <fmt/format.h>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// "JOB sign: 0=a 1=b" of each group, in lines.
std::string groups(const std::vector<std::string>& names,
                   const std::vector<std::string>& patterns = {}) {
  constexpr const char* kSigns[] = {"number", "rank", "folder", "said"};
  const std::vector<fs::path> paths(names.begin(), names.end());
  std::string text;
  RankNames ranks(patterns);
  for (const auto& job : ranks.find(paths)) {
    text += fmt::format("{} {}:", job.job, kSigns[static_cast<int>(job.sign)]);
    for (const auto& file : job.files) text += fmt::format(" {}={}", file.rank, file.place);
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("files that are numbered from 0 may be of one job") {
  CHECK(groups({"logs/out.0", "logs/out.1", "logs/out.2"}) ==
        "logs/out.{rank} number: 0=0 1=1 2=2\n");
  CHECK(groups({"b/log-03.txt", "b/log-00.txt", "b/log-02.txt", "b/log-01.txt"}) ==
        "b/log-{rank}.txt number: 0=1 1=3 2=2 3=0\n");
  CHECK(groups({"train_1234_0.out", "train_1234_1.out", "train_1235_0.out", "train_1235_1.out"}) ==
        "train_1234_{rank}.out number: 0=0 1=1\ntrain_1235_{rank}.out number: 0=2 1=3\n");
  CHECK(groups({"log.0", "log.7"}) == "log.{rank} number: 0=0 7=1\n");
}

TEST_CASE("other numbers are no ranks") {
  CHECK(groups({"run-1.log", "run-2.log", "run-3.log"}).empty());
  CHECK(groups({"log.0", "log.2", "log.3"}).empty());
  CHECK(groups({"a/log.0", "b/log.1"}).empty());
  CHECK(groups({"log.0"}).empty());
  CHECK(groups({"20260101.log", "00000000.log"}).empty());
  CHECK(groups({"slurm-1234_0.out", "slurm-1234_1.out"}).empty());
  CHECK(groups({"52b-tp4.log", "52b-tp8.log"}).empty());
}

TEST_CASE("a name that says rank needs no other sign where none is missing") {
  CHECK(groups({"rank0.log", "rank1.log"}) == "rank{rank}.log rank: 0=0 1=1\n");
  CHECK(groups({"w/local_rank-0.err", "w/local_rank-1.err"}) ==
        "w/local_rank-{rank}.err rank: 0=0 1=1\n");
  CHECK(groups({"rank0.log", "rank7.log"}) == "rank{rank}.log number: 0=0 7=1\n");
  CHECK(groups({"lora-rank8.log", "lora-rank16.log"}).empty());
  CHECK(groups({"frank0.log", "frank1.log"}) == "frank{rank}.log number: 0=0 1=1\n");
}

TEST_CASE("the folders of torchrun and mpirun are ranks'") {
  CHECK(groups({"logs/none_x/attempt_0/0/stdout.log", "logs/none_x/attempt_0/0/stderr.log",
                "logs/none_x/attempt_0/1/stdout.log", "logs/none_x/attempt_1/0/stdout.log"}) ==
        "logs/none_x/attempt_0/{rank} folder: 0=0 0=1 1=2\n");
  CHECK(groups({"out/1/rank.0/stdout", "out/1/rank.1/stdout", "out/1/rank.1/stderr"}) ==
        "out/1/rank.{rank} folder: 0=0 1=1 1=2\n");
}

TEST_CASE("a person says which files are of one job") {
  CHECK(
      groups(
          {"j/slurm-7-n1-0.out", "j/slurm-7-n1-1.out", "j/slurm-7-n2-0.out", "j/slurm-8-n1-0.out"},
          {"slurm-{job}-{node}-{rank}.out"}) == "j/slurm-7-{rank}-{rank}.out said: 0=0 0=2 1=1\n");
  CHECK(groups({"a/0/log", "a/1/log", "b/0/log", "b/1/log"}, {"{rank}/log"}) ==
        "a/{rank}/log said: 0=0 1=1\nb/{rank}/log said: 0=2 1=3\n");
  CHECK(groups({"log.0", "log.1"}, {"none"}).empty());
  CHECK(groups({"x.log.0+", "x.log.1+", "y.0", "y.1"}, {"*.log.{rank}+"}) ==
        "x.log.{rank}+ said: 0=0 1=1\ny.{rank} number: 0=2 1=3\n");
  CHECK_THROWS_WITH(RankPattern("log.*"),
                    "--ranks 'log.*': it has no {rank}; write it like 'log.{rank}'");
}

TEST_CASE("of the numbers of a name that counts which makes the largest group") {
  CHECK(groups({"n0-0.log", "n0-1.log", "n0-2.log", "n1-0.log", "n1-1.log", "n1-2.log"}) ==
        "n0-{rank}.log number: 0=0 1=1 2=2\nn1-{rank}.log number: 0=3 1=4 2=5\n");
}
