// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/on_gpu.h"

#include "probes/collective/cuda_space.h"
#include "probes/comm/gpu_backend.h"
#include "probes/device/cuda/stream.h"

namespace pippin::probes {

ExitCode run_on_gpu(Session& session, const CollectiveSettings& settings) {
  Communicator& world = session.world();
  const Nodes nodes = find_nodes(world);
  const Gpu gpu = choose_gpu(nodes.local_rank(world.rank()));
  const cuda::Stream stream;
  CudaSpace space(stream.get());
  const GpuBackend backend(session, nodes, gpu, settings.backend, stream.get());
  if (!backend.is_nccl()) check_counts(settings);
  TwoLogs logs(settings.json, world.rank() == 0);
  ExitCode end = ExitCode::kDone;
  end_all_on_error(session, [&] {
    const auto comm = backend.over("world", world.split(0));
    end = run_collectives(
        logs, settings,
        {*comm, nodes, space, backend.library(), {gpu.index, gpu.pci_bus, gpu.name}});
  });
  return end;
}

}  // namespace pippin::probes
