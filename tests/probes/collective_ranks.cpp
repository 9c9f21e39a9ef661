// SPDX-License-Identifier: Apache-2.0
// collective_ranks HOW COUNT…: makes every operation over a communicator that is broken in that way
// (broken.h) and prints, a line each: operation, in place or out of place, element, count, wrong.
// HOW "steps": the probe's steps over one whose sums are wrong.
// HOW "staged": over one that copies to and fro; "fail": the last rank fails while the others wait.
#include <cstdio>
#include <cstring>

#include "probes/collective/collective.h"
#include "probes/collective/host_space.h"
#include "probes/collective/measure.h"
#include "probes/comm/ranked_main.h"
#include "probes/comm/staged.h"
#include "tests/probes/broken.h"

using namespace pippin::probes;

namespace {

void check_call(const CollectiveCall& call, const Ranks& ranks, CollectiveBuffers& buffers,
                const char* element) {
  const Effort effort{1, 2, 2, true};
  const auto wrong = measure(call, ranks, effort, buffers).wrong;
  if (ranks.control.rank() == 0)
    std::printf("%s %s %s %lld %lld\n", kind_of(call.operation).name, call.in_place ? "in" : "out",
                element, static_cast<long long>(call.count), static_cast<long long>(*wrong));
}

void check_operation(const OperationKind& kind, const Ranks& ranks, std::int64_t count,
                     CollectiveBuffers& buffers) {
  const int last = ranks.control.size() - 1;
  for (const bool in_place : {false, true}) {
    CollectiveCall call{kind.operation, count, Element::kFloat, Reduction::kSum, last, in_place};
    check_call(call, ranks, buffers, "float");
    call.element = Element::kDouble;
    call.root = 0;
    check_call(call, ranks, buffers, "double");
    call.element = Element::kHalf;
    check_call(call, ranks, buffers, "half");
    call.element = Element::kBFloat16;
    check_call(call, ranks, buffers, "bfloat16");
    if (kind.reduces) continue;
    call.element = Element::kByte;
    check_call(call, ranks, buffers, "uint8");
  }
}

/// A device whose memory is the host's.
DeviceCopies host_copies() {
  const auto copy = [](std::int64_t bytes, const void* from, void* to) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  };
  return {copy, copy};
}

/// As the probe steps with --iterations, over a communicator whose sums are wrong.
ExitCode run_broken_steps(Session& session) {
  Communicator& world = session.world();
  Broken broken(world, "drop");
  CollectiveSettings settings;
  settings.bytes = 4096;
  settings.iterations = 2;
  TwoLogs logs("", world.rank() == 0);
  HostSpace space;
  const Nodes nodes = find_nodes(world);
  return run_collectives(logs, settings,
                         {broken, nodes, space, "broken", {world.rank(), 0, "CPU"}});
}

ExitCode run_all(Session& session, const std::string& how,
                 const std::vector<std::int64_t>& counts) {
  Communicator& world = session.world();
  if (how == "fail" && world.rank() == world.size() - 1)
    throw Error(ExitCode::kOutOfMemory, "on purpose");
  if (how == "steps") return run_broken_steps(session);
  Broken broken(world, how);
  const auto staged = make_staged_communicator(world.split(0), host_copies());
  Communicator& tested = how == "staged" ? *staged : static_cast<Communicator&>(broken);
  HostSpace space;
  for (const std::int64_t count : counts) {
    CollectiveBuffers buffers(space, 8 * count * world.size());
    for (const auto& kind : operation_kinds())
      check_operation(kind, {tested, world}, count, buffers);
    CollectiveCall largest;
    largest.count = count;
    largest.reduction = Reduction::kMax;
    check_call(largest, {tested, world}, buffers, "max");
  }
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<std::int64_t> counts;
  for (int i = 2; i < argc; ++i) counts.push_back(std::stoll(argv[i]));
  return ranked_main("collective_ranks",
                     [&](Session& session) { return run_all(session, argv[1], counts); });
}
