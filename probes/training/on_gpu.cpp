#include "probes/training/on_gpu.h"

#include <algorithm>
#include <optional>

#include "probes/comm/gather.h"
#include "probes/comm/nccl.h"
#include "probes/device/cuda/cublaslt.h"
#include "probes/device/cuda/cuda_clock.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_memory.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"

namespace pippin::probes {

namespace {

/// NCCL refuses two ranks on one GPU. Every rank must call it.
bool shares_gpus(Communicator& world, const Nodes& nodes, const Gpu& gpu) {
  auto places = gathered(world, nodes.name_of(world.rank()) + " " + gpu.uuid);
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

/// Errors: Error (bad layout) where the settings want NCCL, which cannot be.
bool talks_by_host(const TrainingSettings& settings, bool shares_gpus) {
  if (settings.distributed_backend == "host") return true;
  if (settings.distributed_backend == "auto") return shares_gpus || !has_nccl();
  if (shares_gpus)
    throw Error(ExitCode::kBadLayout,
                "two ranks on one GPU, which NCCL refuses: start fewer ranks on a node, or say "
                "--distributed-backend host");
  if (!has_nccl())
    throw Error(ExitCode::kBadInput,
                "--distributed-backend nccl: built without NCCL: install it, configure and build "
                "the probes again, or say --distributed-backend host");
  return false;
}

template <typename T>
void train_in(Session& session, const TrainingSettings& settings, const Nodes& nodes,
              const Gpu& gpu, Log& log) {
  Communicator& world = session.world();
  cuda::Stream stream;
  CudaMemory memory;
  cuda::CublasLt<T> products;
  CudaDevice<T> device(stream.get(), products, memory);
  cuda::CudaClock clock(stream.get());
  Ground<T> ground{device, clock, {}, [&] {
                     device.give_back();
                     memory.reserve();
                   }};
  std::optional<NcclWatch> watch;
  const bool shared = shares_gpus(world, nodes, gpu);
  if (talks_by_host(settings, shared)) {
    ground.wrap = by_copies(device);
  } else {
    watch.emplace(std::chrono::minutes(settings.distributed_timeout_minutes), session.fail);
    const NcclPlace place{stream.get(), *watch,
                          settings.timing_log_level == "1" ? &clock : nullptr};
    ground.wrap = [place](const std::string& channel, std::unique_ptr<Communicator> host) {
      return host->size() == 1 ? std::move(host)
                               : make_nccl_communicator(std::move(host), channel, place);
    };
  }
  try {
    train_on<T>(ground, world, nodes, settings, log);
  } catch (const Error& problem) {
    // The GPU's memory cannot be freed while a call in its stream waits for another rank: the ranks
    // must be ended first.
    if (world.size() > 1) session.fail(problem);
    throw;
  }
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
  return "CUDA " PROBES_CUDA_VERSION " for " PROBES_CUDA_ARCHITECTURES " | NCCL " + nccl_version();
}

}  // namespace pippin::probes
