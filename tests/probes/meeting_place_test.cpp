// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/meeting_place.h"

#include <cstdlib>
#include <initializer_list>
#include <string>

#include "probes/comm/session.h"
#include "probes/common/environment.h"
#include "probes/common/error.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using Catch::Contains;

namespace {

struct Variable {
  const char *name, *value;
};

/// Nothing of a launcher but what a case sets; gone with the case.
class Launch {
 public:
  explicit Launch(std::initializer_list<Variable> variables) {
    clear();
    for (const auto& variable : variables) ::setenv(variable.name, variable.value, 1);
  }
  ~Launch() { clear(); }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

 private:
  static void clear() {
    for (const char* name :
         {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "PMIX_RANK",
          "WORLD_SIZE", "RANK", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "PROBES_RENDEZVOUS",
          "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE"})
      ::unsetenv(name);
  }
};

std::string complaint() {
  try {
    return "none: " + meeting_place().name();
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::kBadInput);
    return error.what();
  }
}

}  // namespace

TEST_CASE("the launcher nearest to the process says how many there are") {
  {
    const Launch launch({{"RANK", "3"}, {"WORLD_SIZE", "8"}});
    CHECK(launched_rank() == 3);
    CHECK(launched_world() == 8);
  }
  {
    const Launch launch(
        {{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
    CHECK(launched_rank() == 3);
    CHECK(launched_world() == 8);
  }
  {
    const Launch launch({{"RANK", "3"},
                         {"WORLD_SIZE", "8"},
                         {"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "2"}});
    CHECK(launched_rank() == 1);
    CHECK(launched_world() == 2);
  }
  // One of torchrun's alone is somebody's script.
  const Launch launch({{"WORLD_SIZE", "8"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  CHECK(launched_rank() == 1);
  CHECK(launched_world() == 2);
}

TEST_CASE("a place to meet is a file or a port") {
  {
    const Launch launch({{"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}});
    CHECK(meeting_place().name() == "n1:29500");
    ::setenv("PROBES_RENDEZVOUS", "tcp://n2:80", 1);
    CHECK(meeting_place().name() == "n2:80");
    ::setenv("PROBES_RENDEZVOUS", "file:///shared/meet", 1);
    CHECK(meeting_place().file == "/shared/meet");
  }
  // torchrun's agent has the port itself.
  const Launch launch(
      {{"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  CHECK(meeting_place().name() == "n1:29501");
}

TEST_CASE("a place that cannot be read is named") {
  {
    const Launch launch({{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "n1"}});
    CHECK(complaint() ==
          "launched as 4 processes that have no place to meet without MPI: set MASTER_ADDR and "
          "MASTER_PORT, or PROBES_RENDEZVOUS=file:///path/that/all/see");
  }
  {
    const Launch launch({{"MASTER_ADDR", "n1"}, {"MASTER_PORT", "65536"}});
    CHECK(complaint() == "MASTER_PORT: not a port: '65536'");
  }
  for (const char* url : {"meet", "file://meet", "tcp://n1", "tcp://:80", "http://n1:80"}) {
    const Launch launch({{"PROBES_RENDEZVOUS", url}});
    CHECK(complaint() == "PROBES_RENDEZVOUS: neither file:///path nor tcp://host:port: '" +
                             std::string(url) + "'");
  }
  const Launch launch({{"PROBES_RENDEZVOUS", "tcp://n1:x"}});
  CHECK(complaint() == "PROBES_RENDEZVOUS: not a port: 'x'");
}

TEST_CASE("a session says what its ranks talk by") {
  {
    const Launch launch({{"RANK", "0"}, {"WORLD_SIZE", "4"}});
    CHECK(Session::library() == "sockets and shared memory");
  }
  {
    const Launch launch({{"SLURM_STEP_NUM_TASKS", "4"}, {"PROBES_RENDEZVOUS", "file:///meet"}});
    CHECK(Session::library() == "sockets and shared memory");
  }
  const Launch launch({});
  CHECK(Session::library() != "sockets and shared memory");
}
