#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "probes/comm/communicator.h"
#include "probes/common/error.h"

namespace pippin::probes {

/// The ranks that were launched together, from its making to its end.
class Session {
 public:
  /// Joins them; a process that was launched alone stays alone and starts no MPI.
  /// Errors: Error (bad input) where several were launched but this build has no MPI, or MPI sees
  /// another number of them than the launcher says.
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Communicator& world() { return *world_; }

  /// Ends every rank with an error of this one, from any thread: see ranked_main().
  std::function<void(const Error& problem)> fail;

  /// Ends every rank of the session at once, as after an error here.
  [[noreturn]] static void abort(ExitCode code);

  /// The library and its version, "none" without one.
  static std::string library();

 private:
  bool joined_ = false;
  std::unique_ptr<Communicator> world_;
};

}  // namespace pippin::probes
