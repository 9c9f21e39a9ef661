// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/gpu_backend.h"

#include <algorithm>
#include <cstdlib>

#include "probes/comm/gather.h"
#include "probes/device/cuda/cuda_error.h"

namespace pippin::probes {

namespace {

/// NCCL refuses two ranks on one GPU. Every rank must call it.
bool ranks_share_gpus(Communicator& world, const Nodes& nodes, const Gpu& gpu) {
  auto places = gathered(world, nodes.name_of(world.rank()) + " " + gpu.uuid);
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

/// Errors: Error (bad layout, bad input) where the settings want NCCL, which cannot be.
bool chooses_nccl(const BackendSettings& settings, bool shared) {
  if (settings.backend == "host") return false;
  if (settings.backend == "auto") return !shared && has_nccl();
  if (shared)
    throw Error(ExitCode::kBadLayout,
                "two ranks on one GPU, which NCCL refuses: start fewer ranks on a node, or say "
                "--distributed-backend host");
  if (!has_nccl())
    throw Error(ExitCode::kBadInput,
                "--distributed-backend nccl: built without NCCL: install it, configure and build "
                "the probes again, or say --distributed-backend host");
  return true;
}

}  // namespace

DeviceCopies copies_in(cudaStream_t stream) {
  const auto copy = [stream](std::int64_t bytes, const void* from, void* to, cudaMemcpyKind kind) {
    cuda::require_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream),
                       "a copy between processor and GPU");
    cuda::require_cuda(cudaStreamSynchronize(stream), "waiting for the GPU");
  };
  return {[copy](std::int64_t bytes, const void* device, void* host) {
            copy(bytes, device, host, cudaMemcpyDeviceToHost);
          },
          [copy](std::int64_t bytes, const void* host, void* device) {
            copy(bytes, host, device, cudaMemcpyHostToDevice);
          }};
}

GpuBackend::GpuBackend(Session& session, const Nodes& nodes, const Gpu& gpu,
                       const BackendSettings& settings, cudaStream_t stream, cuda::CudaClock* clock)
    : stream_(stream), clock_(clock) {
  const bool nccl = chooses_nccl(settings, ranks_share_gpus(session.world(), nodes, gpu));
  library_ = nccl ? "NCCL " + nccl_version() : session.talks_by() + ", by copies";
  // All connections are made with the communicators, not in the middle of a run, where they would
  // also find no memory left. Source: NCCL's documentation, NCCL_RUNTIME_CONNECT.
  ::setenv("NCCL_RUNTIME_CONNECT", "0", 0);
  if (nccl)
    watch_ =
        std::make_unique<NcclWatch>(std::chrono::minutes(settings.timeout_minutes), session.fail);
}

std::unique_ptr<Communicator> GpuBackend::over(const std::string& name,
                                               std::unique_ptr<Communicator> host) const {
  if (!is_nccl()) return make_staged_communicator(std::move(host), copies_in(stream_));
  return make_nccl_communicator(std::move(host), name, {stream_, *watch_, clock_});
}

void end_all_on_error(Session& session, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& problem) {
    if (session.world().size() > 1) session.fail(problem);
    throw;
  }
}

}  // namespace pippin::probes
