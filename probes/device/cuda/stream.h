// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "probes/device/cuda/cuda_error.h"

namespace pippin::probes::cuda {

/// A queue of work on the GPU that this thread has chosen; it waits for no other one.
class Stream {
 public:
  Stream() {
    require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace pippin::probes::cuda
