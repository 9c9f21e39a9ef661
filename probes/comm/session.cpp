// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/session.h"

#include <cstdlib>
#include <utility>

#include "probes/comm/host/connect.h"
#include "probes/comm/host/host_communicator.h"
#include "probes/comm/mpi.h"
#include "probes/comm/nodes.h"
#include "probes/comm/rendezvous.h"
#include "probes/common/environment.h"

namespace pippin::probes {

namespace {

enum class Way { kAlone, kMpi, kRendezvous };

bool any_set(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (!environment(name).empty()) return true;
  return false;
}

/// How this launch's ranks join. Where there is MPI, it is what brings ranks together that a
/// launcher of MPI's has started, unless the user names another place to meet.
Way way_to_join() {
  if (launched_world() < 2) return Way::kAlone;
  if (!mpi::is_built() || any_set({"PROBES_RENDEZVOUS"})) return Way::kRendezvous;
  const bool by_mpi = any_set({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"});
  return launched_like_torchrun() && !by_mpi ? Way::kRendezvous : Way::kMpi;
}

std::unique_ptr<Communicator> join_by_rendezvous() {
  const Newcomer self{static_cast<int>(launched_rank()), static_cast<int>(launched_world()),
                      machine_name()};
  auto links = connect_all(meet(meeting_place(), self));
  return make_host_communicator(std::make_shared<Mesh>(std::move(links), self.rank));
}

}  // namespace

Session::Session() : world_(make_lone_communicator()) {
  const Way way = way_to_join();
  joined_mpi_ = way == Way::kMpi;
  if (way == Way::kMpi) world_ = mpi::join(static_cast<int>(launched_world()));
  if (way == Way::kRendezvous) world_ = join_by_rendezvous();
}

Session::~Session() {
  world_.reset();
  if (joined_mpi_) mpi::leave();
}

void Session::abort(ExitCode code) {
  if (way_to_join() == Way::kMpi) mpi::abort(code);
  std::_Exit(static_cast<int>(code));
}

std::string Session::library() {
  return way_to_join() == Way::kRendezvous ? "sockets and shared memory" : mpi::library();
}

}  // namespace pippin::probes
