// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "probes/comm/gpu_backend.h"
#include "probes/comm/nodes.h"
#include "probes/device/cpu.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_memory.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"
#include "tests/probes/parallel/ground.h"

namespace pippin::probes::test {

namespace {

/// Why the ranks cannot be tried; empty where they can.
std::string obstacle(Communicator& world, bool by_nccl) {
  if (count_gpus() == 0) return "no GPU";
  if (!by_nccl) return "";
  if (!has_nccl()) return "built without NCCL";
  const int local_rank = find_nodes(world).local_rank(world.rank());
  double shared = local_rank < count_gpus() ? 0 : 1;
  world.all_reduce(&shared, &shared, 1, Element::kDouble, Reduction::kMax);
  if (shared > 0) return "NCCL wants a GPU for each rank";
  choose_gpu(local_rank);
  return "";
}

[[noreturn]] void end(const Error& problem) {
  std::fprintf(stderr, "parallel_test: %s\n", problem.what());
  std::_Exit(static_cast<int>(problem.exit_code()));
}

}  // namespace

bool has_ground(Communicator& world, bool by_nccl) {
  const std::string why = obstacle(world, by_nccl);
  if (!why.empty() && world.rank() == 0) std::printf("skipped: %s\n", why.c_str());
  return why.empty();
}

/// Without NCCL all ranks share one GPU.
template <typename T>
struct TestGround<T>::Parts {
  explicit Parts(bool by_nccl) {
    if (by_nccl) watch.emplace(std::chrono::seconds(60), &end);
  }

  cuda::Stream stream;
  CudaMemory memory;
  cuda::CublasLt<T> products;
  CudaDevice<T> device{stream.get(), products, memory};
  cuda::CudaClock clock{stream.get()};
  std::optional<NcclWatch> watch;

  Ground<T> ground() {
    return {device, clock, watch ? by_nccl() : by_copies(), [this] {
              device.give_back();
              memory.reserve();
            }};
  }
  Groups::Wrap by_copies() {
    return [this](const std::string&, std::unique_ptr<Communicator> host) {
      return host->size() == 1 ? std::move(host)
                               : make_staged_communicator(std::move(host), copies_in(stream.get()));
    };
  }
  Groups::Wrap by_nccl() {
    return [this](const std::string& channel, std::unique_ptr<Communicator> host) {
      return host->size() == 1
                 ? std::move(host)
                 : make_nccl_communicator(std::move(host), channel, {stream.get(), *watch, &clock});
    };
  }
};

/// GPUs train in no doubles.
template <>
struct TestGround<double>::Parts {
  explicit Parts(bool) {}

  Memory memory;
  CpuDevice<double> device{memory, 1};
  HostClock clock;

  Ground<double> ground() { return {device, clock}; }
};

template <typename T>
TestGround<T>::TestGround(bool by_nccl) : parts_(std::make_unique<Parts>(by_nccl)) {}

template <typename T>
TestGround<T>::~TestGround() = default;

template <typename T>
Ground<T> TestGround<T>::ground() {
  return parts_->ground();
}

template class TestGround<Half>;
template class TestGround<BFloat16>;
template class TestGround<float>;
template class TestGround<double>;

}  // namespace pippin::probes::test
