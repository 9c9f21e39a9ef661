// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cuda_runtime.h>
#include <functional>
#include <memory>
#include <string>

#include "probes/comm/communicator.h"
#include "probes/common/error.h"
#include "probes/device/cuda/cuda_clock.h"

namespace pippin::probes {

/// What NCCL does wrong, asked for again and again beside the ranks' work: an error of its own, or
/// a call that is not done in time, ends in one call of `fail`, which must not return.
class NcclWatch {
 public:
  using Fail = std::function<void(const Error& problem)>;

  NcclWatch(std::chrono::seconds patience, Fail fail);
  ~NcclWatch();
  NcclWatch(const NcclWatch&) = delete;
  NcclWatch& operator=(const NcclWatch&) = delete;

  class Post;
  const std::shared_ptr<Post>& post() const { return post_; }

 private:
  std::shared_ptr<Post> post_;
};

/// What a rank's NCCL communicators share.
struct NcclPlace {
  cudaStream_t stream;  ///< the computation's: blocking calls are put into it
  NcclWatch& watch;
  cuda::CudaClock* clock = nullptr;  ///< tells when started calls were over; may be null
};

/// The ranks' GPUs, one each, by NCCL. Calls return at once: a blocking one is done when the stream
/// comes to what follows it, a started one runs in a stream of its own, and wait() holds the
/// computation's stream, not the host.
/// `name`: for messages. Messages (start_send(), start_receive()) go down and up the ranks by two
/// communicators of their own (open_messages()), so that neighbours that wait for each other do not
/// stop each other.
/// Every rank of `host` must call it. Errors: Error (machine) in NCCL's words.
std::unique_ptr<Communicator> make_nccl_communicator(std::unique_ptr<Communicator> host,
                                                     const std::string& name,
                                                     const NcclPlace& place);

/// False where this was built without NCCL: then nothing above can be called.
bool has_nccl();
/// "2.28.9", of the library that is loaded; "none" without.
std::string nccl_version();

}  // namespace pippin::probes
