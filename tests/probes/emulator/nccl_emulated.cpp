// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nccl.h>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nccl_call.h"
#include "probes/comm/host/connect.h"
#include "probes/comm/host/host_communicator.h"
#include "probes/comm/host/shared_link.h"
#include "probes/comm/nodes.h"
#include "probes/comm/rendezvous.h"

using namespace pippin::probes;
using emulator::MarkPointer;
using emulator::NcclCall;
using emulator::Operation;
using emulator::Transfers;

/// Its thread does its calls in their order, on copies of the device's memory.
struct EmulatedComm {
  struct Job {
    std::shared_ptr<Transfers> transfers;
    MarkPointer done;
  };

  EmulatedComm(int rank_, int size_, std::unique_ptr<Communicator> all)
      : rank(rank_), size(size_), ranks(std::move(all)), thread([this] { work(); }) {}

  void add(const Job& job) {
    const std::lock_guard lock(mutex);
    jobs.push_back(job);
    changed.notify_one();
  }
  /// Requires: all jobs are done.
  void leave() {
    {
      const std::lock_guard lock(mutex);
      is_leaving = true;
      changed.notify_one();
    }
    thread.join();
  }

  void work() {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return is_leaving || !jobs.empty(); });
      if (jobs.empty()) return;
      const Job job = jobs.front();
      jobs.pop_front();
      lock.unlock();
      if (!try_to_do(*job.transfers)) return;
      emulator::finish(job.done);
    }
  }
  /// What failed is never over, nor what is behind it.
  bool try_to_do(Transfers& transfers) {
    try {
      ranks.perform(transfers);
      return true;
    } catch (const emulator::Mismatch& error) {
      note(ncclInvalidUsage, error.what());
    } catch (const std::exception& error) {
      note(ncclRemoteError, error.what());
    }
    return false;
  }
  void note(ncclResult_t result, const char* what) {
    words = what;
    state = result;
  }

  int rank, size;
  emulator::NcclRanks ranks;
  MarkPointer last;  ///< of the calls so far
  std::atomic<ncclResult_t> state = ncclSuccess;
  std::string words;  ///< once `state` says that there are some

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool is_leaving = false;
  std::thread thread;
};

namespace {

struct Grouped {
  NcclCall call;
  ncclComm_t comm;
  cudaStream_t stream;
};
thread_local int group_depth = 0;
thread_local std::vector<Grouped> grouped;
thread_local std::string last_words;

ncclResult_t refuse(ncclResult_t result, const std::string& words) {
  last_words = words;
  return result;
}

struct Range {
  const char* first;
  std::int64_t bytes;

  bool overlaps(const Range& other) const {
    return bytes > 0 && other.bytes > 0 && first < other.first + other.bytes &&
           other.first < first + bytes;
  }
  bool is_on_device() const {
    const auto lock = emulator::hold_work();
    const auto* one = emulator::find_allocation(first);
    return bytes == 0 || (one && one->contains(first, static_cast<std::size_t>(bytes)));
  }
};
Range in_of(const NcclCall& call, ncclComm_t comm) {
  return {static_cast<const char*>(call.in), call.in_bytes(comm->rank, comm->size)};
}
Range out_of(const NcclCall& call, ncclComm_t comm) {
  return {static_cast<const char*>(call.out), call.out_bytes(comm->rank, comm->size)};
}

/// Source: NCCL User Guide, "In-place Operations".
bool is_in_place(const NcclCall& call, ncclComm_t comm) {
  const Range in = in_of(call, comm), out = out_of(call, comm);
  if (call.operation == Operation::kAllGather) return in.first == out.first + comm->rank * in.bytes;
  if (call.operation == Operation::kReduceScatter)
    return out.first == in.first + comm->rank * out.bytes;
  return in.first == out.first;
}

ncclResult_t check(const NcclCall& call, ncclComm_t comm) {
  const Range in = in_of(call, comm), out = out_of(call, comm);
  const auto no = [&](const char* why) {
    return refuse(ncclInvalidArgument, call.words() + ": " + why);
  };
  if (call.peer < 0 || call.peer >= comm->size) return no("there is no such rank");
  if (!in.is_on_device() || !out.is_on_device()) return no("outside the GPU's memory");
  if (in.overlaps(out) && !is_in_place(call, comm)) return no("overlaps itself, not in place");
  const bool only_sums =
      call.operation == Operation::kReduce || call.operation == Operation::kReduceScatter;
  if (only_sums && call.op != ncclSum) return no("the emulator has sums alone");
  return ncclSuccess;
}

/// What a group's calls must not do to each other.
ncclResult_t check(const std::vector<NcclCall>& calls, ncclComm_t comm) {
  int to_itself = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].is_message() && calls[i].peer == comm->rank)
      to_itself += calls[i].operation == Operation::kSend ? 1 : -1;
    const Range out = out_of(calls[i], comm);
    for (std::size_t j = 0; j < calls.size(); ++j)
      if (i != j && (out.overlaps(in_of(calls[j], comm)) || out.overlaps(out_of(calls[j], comm))))
        return refuse(ncclInvalidArgument, calls[i].words() +
                                               " writes where another call of its "
                                               "group reads or writes");
  }
  if (to_itself == 0) return ncclSuccess;
  return refuse(ncclInvalidUsage, "a message to itself needs both sides in one group");
}

/// Begins when the stream has come there and the communicator's calls before are over.
ncclResult_t submit(const std::vector<NcclCall>& calls, ncclComm_t comm, cudaStream_t stream) {
  if (const ncclResult_t result = check(calls, comm); result != ncclSuccess) return result;
  const auto transfers = std::make_shared<Transfers>();
  for (const auto& call : calls) transfers->emplace_back(call, comm->rank, comm->size);
  const auto done = std::make_shared<emulator::Mark>();
  const auto begin = [=] {
    for (auto& transfer : *transfers) transfer.read();
    for (auto& transfer : *transfers) transfer.poison();
    comm->add({transfers, done});
  };
  const auto end = [=] {
    for (auto& transfer : *transfers) transfer.land();
  };
  emulator::put(stream, begin, {comm->last});
  comm->last = emulator::put(stream, end, {done});
  return ncclSuccess;
}

ncclResult_t take(const NcclCall& call, ncclComm_t comm, cudaStream_t stream) {
  if (const ncclResult_t result = check(call, comm); result != ncclSuccess) return result;
  if (group_depth == 0) return submit({call}, comm, stream);
  grouped.push_back({call, comm, stream});
  return ncclSuccess;
}

ncclResult_t submit_group(const std::vector<Grouped>& group) {
  std::vector<ncclComm_t> comms;
  for (const auto& one : group)
    if (std::find(comms.begin(), comms.end(), one.comm) == comms.end()) comms.push_back(one.comm);
  for (const ncclComm_t comm : comms) {
    std::vector<NcclCall> calls;
    cudaStream_t stream = nullptr;
    for (const auto& one : group) {
      if (one.comm != comm) continue;
      if (!calls.empty() && one.stream != stream)
        return refuse(ncclInvalidUsage, "the emulator has groups in one stream alone");
      stream = one.stream;
      calls.push_back(one.call);
    }
    if (const ncclResult_t result = submit(calls, comm, stream); result != ncclSuccess)
      return result;
  }
  return ncclSuccess;
}

std::unique_ptr<Communicator> join(const std::string& file, int ranks, int rank) {
  std::vector<std::unique_ptr<Link>> links;
  if (ranks == 1)
    links.push_back(make_own_link());
  else
    links = connect_all(meet({file, "", 0}, {rank, ranks, machine_name()}));
  return make_host_communicator(std::make_shared<Mesh>(std::move(links), rank));
}

}  // namespace

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "an emulated error";
  }
}
const char* ncclGetLastError(ncclComm_t comm) {
  return comm && comm->state != ncclSuccess ? comm->words.c_str() : last_words.c_str();
}
ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}

/// The name of a file that nobody else has.
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::random_device random;
  const auto file = std::filesystem::temp_directory_path() /
                    ("emulated-nccl-" + std::to_string(random()) + "-" + std::to_string(random()));
  if (file.string().size() >= sizeof id->internal)
    return refuse(ncclSystemError, "too long a name: " + file.string());
  *id = {};
  std::memcpy(id->internal, file.c_str(), file.string().size());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  if (ranks > 1) emulator::go_on_unasked();
  try {
    *comm = new EmulatedComm(rank, ranks, join(id.internal, ranks, rank));
    return ncclSuccess;
  } catch (const std::exception& error) {
    return refuse(ncclSystemError, error.what());
  }
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  try {
    emulator::wait(comm->last);
  } catch (const emulator::Fault& fault) {
    return refuse(ncclUnhandledCudaError, fault.what());
  }
  comm->leave();
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  *state = comm->state;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (group_depth == 0) return refuse(ncclInvalidUsage, "no group has begun");
  if (--group_depth > 0) return ncclSuccess;
  return submit_group(std::exchange(grouped, {}));
}

ncclResult_t ncclAllReduce(const void* in, void* out, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return take({Operation::kAllReduce, in, out, static_cast<std::int64_t>(count), type, op}, comm,
              stream);
}
ncclResult_t ncclAllGather(const void* in, void* out, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return take({Operation::kAllGather, in, out, static_cast<std::int64_t>(count), type}, comm,
              stream);
}
ncclResult_t ncclReduceScatter(const void* in, void* out, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return take({Operation::kReduceScatter, in, out, static_cast<std::int64_t>(count), type, op},
              comm, stream);
}
ncclResult_t ncclBroadcast(const void* in, void* out, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return take(
      {Operation::kBroadcast, in, out, static_cast<std::int64_t>(count), type, ncclSum, root}, comm,
      stream);
}
ncclResult_t ncclReduce(const void* in, void* out, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return take({Operation::kReduce, in, out, static_cast<std::int64_t>(count), type, op, root}, comm,
              stream);
}
ncclResult_t ncclSend(const void* in, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return take(
      {Operation::kSend, in, nullptr, static_cast<std::int64_t>(count), type, ncclSum, peer}, comm,
      stream);
}
ncclResult_t ncclRecv(void* out, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return take(
      {Operation::kRecv, nullptr, out, static_cast<std::int64_t>(count), type, ncclSum, peer}, comm,
      stream);
}
