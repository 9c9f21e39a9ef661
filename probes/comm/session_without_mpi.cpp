#include <cstdlib>

#include "probes/comm/session.h"
#include "probes/common/environment.h"

namespace pippin::probes {

Session::Session() : world_(make_lone_communicator()) {
  if (const std::int64_t launched = launched_world(); launched > 1)
    bad_input("launched as " + std::to_string(launched) +
              " processes, but built without MPI: install libopenmpi-dev and build again");
}

Session::~Session() = default;

void Session::abort(ExitCode code) { std::_Exit(static_cast<int>(code)); }

std::string Session::library() { return "none"; }

}  // namespace pippin::probes
