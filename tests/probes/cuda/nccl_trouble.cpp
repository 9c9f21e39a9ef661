// SPDX-License-Identifier: Apache-2.0
// nccl_trouble WORD: ranks of which the second does what the word says, and how NcclWatch ends
// them. init: it never meets the others; absent, late, dies, counts, types, operations: its second
// call. Launched as the probes are.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <thread>
#include <utility>

#include "probes/comm/nccl.h"
#include "probes/comm/ranked_main.h"
#include "probes/device/cuda/cuda_error.h"
#include "probes/device/cuda/stream.h"

using namespace pippin::probes;

namespace {

constexpr std::chrono::seconds kPatience{5}, kLongPatience{20};
constexpr std::int64_t kCount = 8;

/// Ends this rank alone: what the others hear, they hear from NCCL.
[[noreturn]] void end(const Error& problem) {
  std::fprintf(stderr, "nccl_trouble: %s\n", problem.what());
  std::_Exit(static_cast<int>(problem.exit_code()));
}

/// The odd one of the ranks does what the word says, the others what they should.
void call(const std::string& what, bool is_odd, Communicator& comm, float* data) {
  if (is_odd && what == "dies") std::_Exit(0);
  if (is_odd && what == "absent") std::this_thread::sleep_for(std::chrono::seconds(60));
  if (is_odd && what == "late") std::this_thread::sleep_for(std::chrono::seconds(3));
  if (is_odd && what == "operations")
    return comm.reduce_scatter(data, data + kCount * comm.size(), kCount, Element::kFloat);
  const std::int64_t count = is_odd && what == "counts" ? kCount / 2 : kCount;
  const Element element = is_odd && what == "types" ? Element::kHalf : Element::kFloat;
  comm.all_reduce(data, data, count, element, Reduction::kSum);
}

ExitCode run(Session& session, const std::string& what) {
  const cuda::Stream stream;
  const bool dies = what == "dies", waits = dies || what == "late";
  NcclWatch watch(waits ? kLongPatience : kPatience, dies ? end : session.fail);
  auto host = session.world().split(0);
  if (what == "init" && host->rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(60));
  const auto comm = make_nccl_communicator(std::move(host), "world", {stream.get(), watch});
  float* data = nullptr;
  const auto bytes = sizeof(float) * kCount * static_cast<std::size_t>(comm->size() + 1);
  cuda::require_cuda(cudaMalloc(&data, bytes), "cudaMalloc");
  cuda::require_cuda(cudaMemsetAsync(data, 0, bytes, stream.get()), "clear");
  for (const char* step : {"", what.c_str()}) {
    call(step, comm->rank() == 1, *comm, data);
    cuda::require_cuda(cudaStreamSynchronize(stream.get()), "waiting for the GPU");
  }
  std::printf("rank %d is done\n", comm->rank());
  cuda::require_cuda(cudaFree(data), "cudaFree");
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::string what = argc > 1 ? argv[1] : "";
  // Of a rank that dies NCCL is to tell, nobody else.
  if (what == "dies")
    return guarded_main("nccl_trouble", [&] {
      Session session;
      return run(session, what);
    });
  return ranked_main("nccl_trouble", [&](Session& session) { return run(session, what); });
}
