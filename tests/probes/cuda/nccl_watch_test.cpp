// SPDX-License-Identifier: Apache-2.0
// What NcclWatch does about ranks that NCCL cannot bring together, over the emulated NCCL.
#include <algorithm>
#include <chrono>

#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using namespace pippin::test;
using Catch::Contains;

namespace {

struct End {
  Outcome outcome;
  double seconds;
};

/// Three ranks, of which the second is odd.
End end_of(const std::string& trouble) {
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryDirectory folder;  // ranks that are ended while they meet leave a file
  const Outcome outcome = run_program(
      {"env", "TMPDIR=" + folder.path().string(), LAUNCH_ALONE, "3", NCCL_TROUBLE, trouble});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  return {outcome, time.count()};
}

/// The ranks end together, soon, with one line. Returns it.
std::string check_line(const std::string& trouble, const std::string& line) {
  const End end = end_of(trouble);
  INFO(trouble << ", " << end.seconds << " s: " << end.outcome.output);
  CHECK(end.outcome.exit_code == 15);
  CHECK(end.seconds < 40);
  CHECK(std::count(end.outcome.output.begin(), end.outcome.output.end(), '\n') == 1);
  CHECK_THAT(end.outcome.output, Contains(line));
  return end.outcome.output;
}

}  // namespace

TEST_CASE("a rank that never makes its call ends the others with the call's name") {
  check_line("absent", "NCCL has not done all_reduce number 2 of world (32 bytes) within 5 s");
}

TEST_CASE("a rank that never joins NCCL ends the others") {
  check_line("init", "NCCL has not done ncclCommInitRank number 0 of world (0 bytes) within 5 s");
}

TEST_CASE("a rank that makes its call late is waited for") {
  const Outcome outcome = end_of("late").outcome;
  INFO(outcome.output);
  CHECK(outcome.exit_code == 0);
  for (const char* line : {"rank 0 is done\n", "rank 1 is done\n", "rank 2 is done\n"})
    CHECK_THAT(outcome.output, Contains(line));
}

TEST_CASE("of a rank that dies NCCL tells the others") {
  const End end = end_of("dies");
  INFO(end.seconds << " s: " << end.outcome.output);
  CHECK(end.outcome.exit_code == 15);
  CHECK(end.seconds < 40);
  CHECK_THAT(end.outcome.output, Contains("NCCL says: remote process exited") &&
                                     Contains("is gone") && !Contains("is done"));
}

TEST_CASE("ranks that call different things end with what each has called") {
  const std::string theirs = "ncclAllReduce of 8 ncclFloat32 (ncclSum)";
  for (const auto& [trouble, odd] :
       {std::pair{"counts", "ncclAllReduce of 4 ncclFloat32 (ncclSum)"},
        std::pair{"types", "ncclAllReduce of 8 ncclFloat16 (ncclSum)"},
        std::pair{"operations", "ncclReduceScatter of 8 ncclFloat32 (ncclSum)"}}) {
    const std::string line = check_line(trouble, "NCCL says: invalid usage: rank ");
    CHECK_THAT(line, Contains(theirs) && Contains(odd));
  }
}
