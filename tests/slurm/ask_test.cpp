// SPDX-License-Identifier: Apache-2.0
#include "slurm/ask.h"

#include <map>

#include "tests/slurm/fake_slurm.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("variables that would change what Slurm's programs say do not reach them") {
  FakeSlurm fake;
  ::setenv("SQUEUE_FORMAT", "%i", 1);
  ::setenv("SLURM_CONF", "/etc/x.conf", 1);
  ::setenv("SLURMISH", "1", 1);
  const std::string script = "echo \"<${SQUEUE_FORMAT-}> <${SLURM_CONF-}> <${SLURM_BITSTR_LEN-}>\"";
  CHECK(slurm::ask({"/bin/sh", "-c", script}, std::chrono::seconds(20)).output ==
        "<> </etc/x.conf> <0>\n");
  ::unsetenv("SQUEUE_FORMAT");
  ::unsetenv("SLURM_CONF");
  ::unsetenv("SLURMISH");
}

TEST_CASE("what the shell says to srun reaches a job, and what it says to sbatch does not") {
  FakeSlurm fake;
  fake.is("sbatch",
          "echo \"<${SLURM_MPI_TYPE-}> <${SRUN_CPUS_PER_TASK-}> <${SLURM_JWT-}> "
          "<${SLURM_CLUSTERS-}> <${SLURM_HINT-}> <${SBATCH_ACCOUNT-}> "
          "<${SLURM_ARRAY_TASK_ID-}> <${SLURM_JOB_ID-}>\"");
  const std::map<std::string, std::string> variables{
      {"SLURM_MPI_TYPE", "pmix"},   {"SRUN_CPUS_PER_TASK", "8"}, {"SLURM_JWT", "token"},
      {"SLURM_CLUSTERS", "gpu"},    {"SLURM_HINT", "multi"},     {"SBATCH_ACCOUNT", "me"},
      {"SLURM_ARRAY_TASK_ID", "3"},
  };
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  const auto seen = [] { return slurm::ask({"sbatch"}, std::chrono::seconds(20)).output; };
  CHECK(seen() == "<pmix> <8> <token> <> <> <> <> <>\n");
  CHECK(slurm::dropped_variables() ==
        std::vector<std::string>{"SBATCH_ACCOUNT", "SLURM_CLUSTERS", "SLURM_HINT"});
  ::setenv("SLURM_JOB_ID", "4711", 1);
  CHECK(seen() == "<> <> <token> <> <> <> <> <>\n");
  ::unsetenv("SLURM_JOB_ID");
  for (const auto& [name, value] : variables) ::unsetenv(name.c_str());
}

TEST_CASE("a complaint is its first line, or how the program ended") {
  Answer answer;
  answer.exit_code = 3;
  CHECK(slurm::complaint_of(answer) == "exit 3 without a word");
  answer.errors = "\n one\ntwo\n";
  CHECK(slurm::complaint_of(answer) == "one");
  answer.gave_up = true;
  CHECK(slurm::complaint_of(answer) == "no answer in time");
}
