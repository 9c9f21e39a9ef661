// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pippin::probes {

/// A fixed number of threads that share work: the caller and its helpers.
class Threads {
 public:
  /// Requires count ≥ 1.
  explicit Threads(std::int64_t count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::int64_t count() const { return static_cast<std::int64_t>(helpers_.size()) + 1; }

  /// Calls work(thread) once on every thread and returns when all are done. `work` must not throw.
  void everywhere(const std::function<void(std::int64_t thread)>& work);

  /// Calls work(begin, end) on parts of 0 … count − 1, one a thread, cut at multiples of `grain`.
  template <typename Work>
  void split(std::int64_t count, std::int64_t grain, const Work& work) {
    const std::int64_t grains = (count + grain - 1) / grain, threads = this->count();
    if (threads == 1 || grains < 2) {
      if (count > 0) work(std::int64_t{0}, count);
      return;
    }
    everywhere([&](std::int64_t thread) {
      const std::int64_t begin = thread * grains / threads * grain;
      const std::int64_t end = std::min(count, (thread + 1) * grains / threads * grain);
      if (begin < end) work(begin, end);
    });
  }

 private:
  void serve(std::int64_t thread);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(std::int64_t)>* work_ = nullptr;
  std::int64_t round_ = 0, busy_ = 0;
  bool leave_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace pippin::probes
