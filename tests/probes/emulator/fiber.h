// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace emulator {

/// One of several flows of control on one CPU thread, each with a stack of its own. A flow that is
/// given up for good is never unwound: what it runs must own nothing.
class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes the next resume() begin `entry`, which ends by leave().
  void restart(void (*entry)());
  /// Runs it until it leaves. Requires: called by what is no fiber.
  void resume();
  /// Back to behind resume(). Requires: called by this fiber.
  void leave();

 private:
  char* stack_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace emulator
