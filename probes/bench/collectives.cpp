// SPDX-License-Identifier: Apache-2.0
// bench_collectives ROUNDS: the probe's timed loop beside a plain one of the same MPI calls, in
// turn in the same processes and on the same buffers, so that both meet the same machine. Prints
// the median time of each and the median of the rounds' ratios. The one caller of MPI outside of
// comm/.
#include <algorithm>
#include <cstdio>
#include <mpi.h>

#include "probes/collective/host_space.h"
#include "probes/collective/measure.h"
#include "probes/comm/gather.h"
#include "probes/comm/ranked_main.h"
#include "probes/common/clock.h"

using namespace pippin::probes;

namespace {

/// The calls that comm/ makes for these operations, out of place, bare.
void plain_call(const CollectiveCall& call, int rank, int ranks, void* send, void* receive) {
  const int count = static_cast<int>(call.count);
  switch (call.operation) {
    case Operation::kAllReduce:
      MPI_Allreduce(send, receive, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      break;
    case Operation::kAllGather:
      MPI_Allgather(send, count, MPI_FLOAT, receive, count, MPI_FLOAT, MPI_COMM_WORLD);
      break;
    case Operation::kReduceScatter:
      MPI_Reduce_scatter_block(send, receive, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      break;
    case Operation::kBroadcast:
      MPI_Bcast(rank == 0 ? send : receive, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
      break;
    case Operation::kReduce:
      MPI_Reduce(send, receive, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
      break;
    case Operation::kAllToAll:
      MPI_Alltoall(send, count, MPI_FLOAT, receive, count, MPI_FLOAT, MPI_COMM_WORLD);
      break;
    case Operation::kSendRecv:
      MPI_Sendrecv(send, count, MPI_FLOAT, (rank + 1) % ranks, 1, receive, count, MPI_FLOAT,
                   (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
  }
}

/// Microseconds a call, the mean over the ranks.
double time_plain(const CollectiveCall& call, std::int64_t iterations, CollectiveBuffers& buffers) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (std::int64_t i = 0; i < iterations; ++i)
    plain_call(call, rank, ranks, buffers.send.data(), buffers.receive.data());
  double own = 1e6 * (MPI_Wtime() - start) / static_cast<double>(iterations), sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / ranks;
}

struct Samples {
  std::vector<double> plain, ours, ratio;
};

Samples compare(const CollectiveCall& call, Communicator& world, std::int64_t rounds,
                CollectiveBuffers& buffers) {
  const PreparedCall ours(call, world, buffers);
  const double each = time_in_a_row(ours, world, 5);
  const auto iterations = static_cast<std::int64_t>(std::clamp(20000 / each, 5.0, 20000.0));
  Samples samples;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const bool first = round % 2 == 0;
    double own = first ? time_in_a_row(ours, world, iterations) : 0;
    const double plain = time_plain(call, iterations, buffers);
    if (!first) own = time_in_a_row(ours, world, iterations);
    samples.plain.push_back(plain);
    samples.ours.push_back(own);
    samples.ratio.push_back(own / plain);
  }
  return samples;
}

ExitCode run_all(Session& session, std::int64_t rounds) {
  Communicator& world = session.world();
  if (world.size() == 1) bad_input("launch two ranks or more: mpirun -n 2 bench_collectives");
  const bool speaks = world.rank() == 0;
  if (speaks)
    std::printf("%-16s %12s %14s %14s %8s\n", "operation", "bytes", "plain (us)", "probe (us)",
                "ratio");
  HostSpace space;
  CollectiveBuffers buffers(space, 4 << 20);
  std::vector<double> ratios;
  for (const auto& kind : operation_kinds())
    for (const std::int64_t bytes : {128LL, 4096LL, 65536LL, 1LL << 20, 4LL << 20}) {
      CollectiveCall call{kind.operation, 0, Element::kFloat, Reduction::kSum, 0, false};
      call.count = count_within(kind.operation, bytes, call.element, world.size());
      const Samples samples = compare(call, world, rounds, buffers);
      ratios.push_back(median_of(samples.ratio));
      if (speaks)
        std::printf("%-16s %12lld %14.2f %14.2f %8.3f\n", kind.name, static_cast<long long>(bytes),
                    median_of(samples.plain), median_of(samples.ours), ratios.back());
    }
  if (speaks)
    std::printf("median of all ratios %.3f, largest %.3f\n", median_of(ratios),
                spread_of(ratios).max);
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::int64_t rounds = argc > 1 ? std::stoll(argv[1]) : 21;
  return ranked_main("bench_collectives",
                     [&](Session& session) { return run_all(session, rounds); });
}
