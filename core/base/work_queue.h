// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace pippin {

/// Lets the thread that calls it get no SIGINT and no SIGTERM: another waits for them.
void leave_signals_to_others();

/// Threads that do what they are given, what came first first. Signals are not for them.
class WorkQueue {
 public:
  explicit WorkQueue(std::size_t threads);
  ~WorkQueue();  ///< as end()
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Waits for what is being done; what was not begun, or is added from now on, is never done.
  void end();
  /// From any thread. Requires that `work` throws nothing.
  void add(std::function<void()> work);
  /// How much waits to be begun.
  std::size_t waiting() const;

 private:
  struct Home;
  std::unique_ptr<Home> home_;
};

}  // namespace pippin
