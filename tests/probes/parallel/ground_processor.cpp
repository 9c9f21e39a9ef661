// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "probes/device/rounding.h"
#include "tests/probes/parallel/ground.h"

namespace pippin::probes::test {

bool has_ground(Communicator& world, bool by_nccl) {
  if (by_nccl && world.rank() == 0) std::printf("skipped: a processor has no NCCL\n");
  return !by_nccl;
}

template <typename T>
struct TestGround<T>::Parts {
  Memory memory;
  Processor<T> device{memory, 1};
  HostClock clock;
};

template <typename T>
TestGround<T>::TestGround(bool) : parts_(std::make_unique<Parts>()) {}

template <typename T>
TestGround<T>::~TestGround() = default;

template <typename T>
Ground<T> TestGround<T>::ground() {
  return {parts_->device, parts_->clock};
}

template class TestGround<Half>;
template class TestGround<BFloat16>;
template class TestGround<float>;
template class TestGround<double>;

}  // namespace pippin::probes::test
