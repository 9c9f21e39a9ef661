// SPDX-License-Identifier: Apache-2.0
// nccl_check [LARGEST]: every call of NCCL on buffers of GPUs, one for each rank: what comes out is
// what must. Alone it is a plain program; ranks are launched as those of the probes. LARGEST: count
// of elements.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "check_calls.h"
#include "check_started.h"
#include "probes/comm/nccl.h"
#include "probes/comm/nodes.h"
#include "probes/comm/ranked_main.h"
#include "probes/device/cuda/gpu.h"
#include "probes/device/cuda/stream.h"

using namespace pippin::probes;

namespace {

constexpr auto kSkipped = static_cast<ExitCode>(77);

/// Why these ranks cannot try NCCL; empty where they can.
std::string obstacle(Communicator& world, int local_rank) {
  if (!has_nccl()) return "built without NCCL";
  double lacks = local_rank < count_gpus() ? 0 : 1;
  world.all_reduce(&lacks, &lacks, 1, Element::kDouble, Reduction::kMax);
  if (lacks == 0) return "";
  return count_gpus() == 0 ? "no GPU" : "NCCL wants a GPU for each rank";
}

/// A group of the world's, as a layout makes them.
std::unique_ptr<Communicator> group_of(Communicator& world, int colour, const std::string& name,
                                       const NcclPlace& place) {
  return make_nccl_communicator(world.host().split(colour), name, place);
}

void check_all(check::Tally& tally, Communicator& world, const NcclPlace& place,
               std::int64_t largest) {
  const int rank = world.rank(), half = (world.size() + 1) / 2;
  const auto by_parity = world.split(rank % 2),
             by_half = group_of(world, rank < half ? 0 : 1, "halves", place);
  for (const Element element :
       {Element::kByte, Element::kHalf, Element::kBFloat16, Element::kFloat, Element::kDouble}) {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1001}, largest})
      check::check_calls(tally, world, place.stream, element, count);
    check::check_calls(tally, *by_parity, place.stream, element, 1001);
    check::check_started(tally, {&world, by_parity.get(), by_half.get()}, place.stream, element);
  }
}

ExitCode run(Session& session, std::int64_t largest) {
  const Nodes nodes = find_nodes(session.world());
  const int rank = session.world().rank(), local_rank = nodes.local_rank(rank);
  if (const std::string why = obstacle(session.world(), local_rank); !why.empty()) {
    if (rank == 0) std::printf("skipped: %s\n", why.c_str());
    return kSkipped;
  }
  const Gpu gpu = choose_gpu(local_rank);
  if (rank == 0) std::printf("%s, NCCL %s\n", gpu.line().c_str(), nccl_version().c_str());
  const cuda::Stream stream;
  cuda::CudaClock clock(stream.get());
  NcclWatch watch(std::chrono::seconds(60), session.fail);
  const NcclPlace place{stream.get(), watch, &clock};
  check::Tally tally{rank};
  {
    const auto world = make_nccl_communicator(session.world().split(0), "world", place);
    check_all(tally, *world, place, largest);
  }
  double counts[2] = {static_cast<double>(tally.passed), static_cast<double>(tally.failed)};
  session.world().all_reduce(counts, counts, 2, Element::kDouble, Reduction::kSum);
  if (rank == 0)
    std::printf("%d ranks: %.0f passed, %.0f failed\n", session.world().size(), counts[0],
                counts[1]);
  return counts[1] == 0 ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::int64_t largest = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 1 << 22;
  return ranked_main("nccl_check", [&](Session& session) { return run(session, largest); });
}
