// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <nccl.h>
#include <string>
#include <thread>
#include <vector>

#include "probes/comm/nccl.h"
#include "probes/device/cuda/event.h"

namespace pippin::probes {

/// One call, for messages.
struct NcclCallName {
  std::shared_ptr<const std::string> communicator;
  const char* operation;
  std::int64_t number;  ///< of the communicator's calls, from 1
  std::int64_t bytes;

  std::string text() const;
};

/// Where communicators leave word of what they have begun; read by a thread of its own.
class NcclWatch::Post {
 public:
  Post(std::chrono::seconds patience, Fail fail);
  ~Post();
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  void add(ncclComm_t comm);
  void remove(ncclComm_t comm);

  /// Something that the host itself waits in, from its making to its end.
  class Waiting {
   public:
    Waiting(Post& post, NcclCallName name);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Post& post_;
    std::list<struct NcclUnderway>::iterator place_;
  };

  /// The call that was just put into the stream. Returns the event of its end.
  std::shared_ptr<cuda::Event> launched(NcclCallName name, cudaStream_t stream);

 private:
  void watch();
  /// Empty where all is well.
  std::string trouble();
  std::shared_ptr<cuda::Event> unused_event();

  std::chrono::seconds patience_;
  Fail fail_;
  int device_ = 0;
  std::mutex mutex_;
  std::vector<ncclComm_t> comms_;
  std::list<struct NcclUnderway> waiting_;
  std::deque<struct NcclUnderway> launched_;
  std::vector<std::shared_ptr<cuda::Event>> unused_;
  std::atomic<bool> leaving_ = false;
  std::thread thread_;
};

struct NcclUnderway {
  NcclCallName name;
  std::chrono::steady_clock::time_point begin;
  std::shared_ptr<cuda::Event> over;  ///< null where the host waits
};

}  // namespace pippin::probes
