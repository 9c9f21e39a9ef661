// SPDX-License-Identifier: Apache-2.0
#include "probes/training/on_gpu.h"

#include <limits>

#include "probes/comm/gpu_backend.h"
#include "probes/common/capabilities.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_memory.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"

namespace pippin::probes {

namespace {

template <typename T>
void train_in(Session& session, const TrainingSettings& settings, const Nodes& nodes,
              const Gpu& gpu, Log& log) {
  cuda::Stream stream;
  constexpr auto kAllItHas = std::numeric_limits<std::uint64_t>::max();
  CudaMemory memory(memory_limit_bytes(settings, kAllItHas, 1));
  cuda::CublasLt<T> products;
  CudaDevice<T> device(stream.get(), products, memory);
  cuda::CudaClock clock(stream.get());
  const GpuBackend backend(session, nodes, gpu, settings.backend, stream.get(),
                           settings.timing_log_level == "1" ? &clock : nullptr);
  // Groups of one rank move nothing.
  const auto wrap = [&](const std::string& channel, std::unique_ptr<Communicator> host) {
    return host->size() == 1 ? std::move(host) : backend.over(channel, std::move(host));
  };
  const auto reserve = [&] {
    device.give_back();
    memory.reserve();
  };
  end_all_on_error(session, [&] {
    train_on<T>({device, clock, wrap, reserve}, session.world(), nodes, settings, log);
  });
}

}  // namespace

void train_on_gpu(Session& session, const TrainingSettings& settings, Log& log) {
  const Nodes nodes = find_nodes(session.world());
  const Gpu gpu = choose_gpu(nodes.local_rank(session.world().rank()));
  log.line(" > " + gpu.line());
  if (settings.setup.precision == "bf16")
    train_in<BFloat16>(session, settings, nodes, gpu, log);
  else if (settings.setup.precision == "fp16")
    train_in<Half>(session, settings, nodes, gpu, log);
  else
    train_in<float>(session, settings, nodes, gpu, log);
}

std::string gpu_libraries() {
  const CudaBuild cuda = cuda_build();
  return "CUDA " + cuda.version + " for " + cuda.architectures + " | NCCL " + nccl_version();
}

}  // namespace pippin::probes
