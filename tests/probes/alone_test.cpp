// SPDX-License-Identifier: Apache-2.0
// The probes as processes that nothing but their environment brings together.
#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using namespace pippin::test;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// `ranks` as launch_alone.sh takes them.
Outcome launch(const std::string& ranks, const Words& command) {
  Words words = {LAUNCH_ALONE, ranks};
  words.insert(words.end(), command.begin(), command.end());
  return run_program(words);
}

/// A shell script of its own variables, arguments from $1 on.
Outcome shell(const std::string& script, const Words& arguments) {
  Words words = {"bash", "-c", script, "test"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words);
}

}  // namespace

TEST_CASE("every operation's data are right without MPI") {
  for (const char* ranks : {"1", "2", "3", "4/2", "3/1"}) {
    const Outcome outcome =
        launch(ranks, {COLLECTIVE_PROBE, "--operation", "all", "-b", "1", "-e", "2M", "-f", "64",
                       "--iters", "2", "--warmup_iters", "1"});
    INFO(ranks << ": " << outcome.output);
    CHECK(outcome.exit_code == 0);
    CHECK(count_of(outcome.output, "# Out of bounds values : 0 OK") == 7);
  }
}

TEST_CASE("a training step runs without MPI and says so") {
  const Outcome outcome = launch("4/2", {TRAINING_PROBE, "--tp", "2", "--dp", "2", "--iterations",
                                         "2", "--sequence-parallel", "--zero", "1"});
  INFO(outcome.output);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, Contains("sockets and shared memory"));
  CHECK_THAT(outcome.output, Contains("after training is done"));
}

TEST_CASE("Slurm's ranks meet by a file") {
  const TemporaryDirectory folder;
  const Outcome outcome = shell(
      "unset OMPI_COMM_WORLD_SIZE PMI_SIZE RANK WORLD_SIZE\n"
      "export SLURM_STEP_NUM_TASKS=3 PROBES_RENDEZVOUS=file://$2/meet\n"
      "for rank in 0 1 2; do SLURM_PROCID=$rank $1 -b 8 -e 8 & done; wait",
      {COLLECTIVE_PROBE, folder.path().string()});
  INFO(outcome.output);
  CHECK_THAT(outcome.output, Contains("# Out of bounds values : 0 OK"));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a rank that is killed ends all others with one line") {
  for (const char* per_node : {"4", "1"}) {
    const TemporaryDirectory folder;
    // Every rank's exit status, after one of them is killed in the middle of its work.
    const Outcome outcome = shell(
        "unset OMPI_COMM_WORLD_SIZE PMI_SIZE\n"
        "export WORLD_SIZE=4 PROBES_RENDEZVOUS=file://$3/meet\n"
        "for rank in 0 1 2 3; do\n"
        "  (RANK=$rank SLURMD_NODENAME=node$((rank / $2)) exec $1 --tp 4 --iterations 1000000 "
        "--log-interval 1 >$3/out$rank) & pids[rank]=$!\n"
        "done\n"
        "until grep -q 'iteration  *2/' $3/out0; do sleep 0.05; done\n"
        "kill -KILL ${pids[2]}; start=$(date +%s%N)\n"
        "for rank in 0 1 3; do wait ${pids[rank]}; echo rank $rank: $?; done\n"
        "(($(date +%s%N) - start < 5000000000)) && echo soon",
        {TRAINING_PROBE, per_node, folder.path().string()});
    INFO(outcome.output);
    for (const char* rank : {"rank 0: 15\n", "rank 1: 15\n", "rank 3: 15\n"})
      CHECK_THAT(outcome.output, Contains(rank));
    CHECK(count_of(outcome.output, "training: ") == 1);
    CHECK_THAT(outcome.output, Contains("training: rank 2 on node"));
    CHECK_THAT(outcome.output, Contains("soon\n"));
  }
}

TEST_CASE("a mistake in the options is said once by ranks without MPI, too") {
  const Outcome outcome = launch("3", {TRAINING_PROBE, "--msb", "4"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.output == "training: unknown option '--msb', did you mean '--mbs'?\n");
}

TEST_CASE("ranks without a place to meet are told how to get one") {
  const Outcome outcome = shell(
      "unset OMPI_COMM_WORLD_SIZE PMI_SIZE MASTER_ADDR\n"
      "RANK=0 WORLD_SIZE=2 exec $1",
      {COLLECTIVE_PROBE});
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.output, Contains("set MASTER_ADDR and MASTER_PORT, or PROBES_RENDEZVOUS="));
}
