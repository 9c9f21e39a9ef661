// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/training/run.h"

namespace pippin::probes::test {

/// False where there is nothing to try layouts on, which it then has said: "skipped: no GPU".
/// `by_nccl`: the ranks' devices are GPUs that talk by NCCL. Every rank must call it.
bool has_ground(Communicator& world, bool by_nccl);

/// What the layouts are tried on: a program is linked with one of the files that define it.
template <typename T>
class TestGround {
 public:
  explicit TestGround(bool by_nccl);
  ~TestGround();
  TestGround(const TestGround&) = delete;
  TestGround& operator=(const TestGround&) = delete;

  Ground<T> ground();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pippin::probes::test
