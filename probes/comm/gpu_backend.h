// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "probes/comm/backend_settings.h"
#include "probes/comm/nccl.h"
#include "probes/comm/nodes.h"
#include "probes/comm/session.h"
#include "probes/comm/staged.h"
#include "probes/device/cuda/gpu.h"

namespace pippin::probes {

/// What ranks with GPUs talk about these by: NCCL, or copies through the processor's memory where
/// ranks share a GPU, which NCCL refuses.
class GpuBackend {
 public:
  /// `stream`: the computation's. `clock`: may be null, see NcclPlace. Every rank of the session
  /// must make one. Errors: Error (bad layout, bad input) where the settings want what cannot be.
  GpuBackend(Session& session, const Nodes& nodes, const Gpu& gpu, const BackendSettings& settings,
             cudaStream_t stream, cuda::CudaClock* clock = nullptr);

  /// The ranks of `host` about their GPUs' memory. `name`: for messages.
  std::unique_ptr<Communicator> over(const std::string& name,
                                     std::unique_ptr<Communicator> host) const;

  bool is_nccl() const { return watch_ != nullptr; }
  /// "NCCL 2.28.9", "Open MPI v4.1.4, by copies".
  const std::string& library() const { return library_; }

 private:
  cudaStream_t stream_;
  cuda::CudaClock* clock_;
  std::string library_;
  std::unique_ptr<NcclWatch> watch_;  ///< null: by copies
};

/// To and from a GPU's memory, behind what is in the stream.
DeviceCopies copies_in(cudaStream_t stream);

/// Runs `body`. An error in it ends every rank at once: a GPU's memory cannot be freed while a call
/// in its stream waits for another rank.
void end_all_on_error(Session& session, const std::function<void()>& body);

}  // namespace pippin::probes
