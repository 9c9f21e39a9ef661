// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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
  /// Joins them: by MPI, or where this build has none, $PROBES_RENDEZVOUS names a place to meet, or
  /// torchrun's variables are set and no launcher of MPI's are, at meeting_place(). A process that
  /// was launched alone stays alone and starts neither. Errors: Error (bad input) where MPI sees
  /// another number of them than the launcher says; those of meet() and connect_all().
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Communicator& world() { return *world_; }

  /// Ends every rank with an error of this one, from any thread: see ranked_main().
  std::function<void(const Error& problem)> fail;

  /// A rank that gives no sign of life for so long ends every rank: see Watch. Every rank calls it.
  std::function<void(std::chrono::milliseconds patience)> limit_silence;

  /// Ends every rank of the session at once, as after an error here. Without MPI it is this rank's
  /// end that ends the others: their Watch notices.
  [[noreturn]] static void abort(ExitCode code);

  /// What its ranks talk by: the library and its version, "none" without one, or "sockets and
  /// shared memory".
  static std::string library();
  /// The same, but "none" of a rank alone.
  std::string talks_by() const { return world_->size() > 1 ? library() : "none"; }

 private:
  bool joined_mpi_ = false;
  std::unique_ptr<Communicator> world_;
};

}  // namespace pippin::probes
