// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/nccl_watch.h"

#include <utility>

#include "probes/common/text.h"

namespace pippin::probes {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{100};

}  // namespace

std::string NcclCallName::text() const {
  return probes::text("%s number %lld of %s (%lld bytes)", operation,
                      static_cast<long long>(number), communicator->c_str(),
                      static_cast<long long>(bytes));
}

NcclWatch::NcclWatch(std::chrono::seconds patience, Fail fail)
    : post_(std::make_shared<Post>(patience, std::move(fail))) {}

NcclWatch::~NcclWatch() = default;

NcclWatch::Post::Post(std::chrono::seconds patience, Fail fail)
    : patience_(patience), fail_(std::move(fail)) {
  cuda::require_cuda(cudaGetDevice(&device_), "asking for the GPU");
  thread_ = std::thread([this] { watch(); });
}

NcclWatch::Post::~Post() {
  leaving_ = true;
  thread_.join();
}

void NcclWatch::Post::add(ncclComm_t comm) {
  const std::lock_guard lock(mutex_);
  comms_.push_back(comm);
}

void NcclWatch::Post::remove(ncclComm_t comm) {
  const std::lock_guard lock(mutex_);
  std::erase(comms_, comm);
}

NcclWatch::Post::Waiting::Waiting(Post& post, NcclCallName name) : post_(post) {
  const std::lock_guard lock(post.mutex_);
  post.waiting_.push_back({std::move(name), SteadyClock::now(), nullptr});
  place_ = std::prev(post.waiting_.end());
}

NcclWatch::Post::Waiting::~Waiting() {
  const std::lock_guard lock(post_.mutex_);
  post_.waiting_.erase(place_);
}

std::shared_ptr<cuda::Event> NcclWatch::Post::unused_event() {
  if (unused_.empty()) return std::make_shared<cuda::Event>(cuda::Event::Kind::kUntimed);
  auto event = std::move(unused_.back());
  unused_.pop_back();
  return event;
}

std::shared_ptr<cuda::Event> NcclWatch::Post::launched(NcclCallName name, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  auto event = unused_event();
  event->record(stream);
  launched_.push_back({std::move(name), SteadyClock::now(), event});
  return event;
}

std::string NcclWatch::Post::trouble() {
  const std::lock_guard lock(mutex_);
  for (const ncclComm_t comm : comms_) {
    ncclResult_t state = ncclSuccess;
    if (ncclCommGetAsyncError(comm, &state) != ncclSuccess || state == ncclSuccess ||
        state == ncclInProgress)
      continue;
    return std::string("NCCL says: ") + ncclGetErrorString(state) + ": " + ncclGetLastError(comm);
  }
  // Streams overtake each other: all that are over go, not only the oldest.
  std::erase_if(launched_, [&](NcclUnderway& call) {
    if (!call.over->is_over()) return false;
    if (call.over.use_count() == 1) unused_.push_back(std::move(call.over));
    return true;
  });
  const auto latest = SteadyClock::now() - patience_;
  const auto complaint = [&](const NcclUnderway& call) {
    return "NCCL has not done " + call.name.text() + " within " +
           std::to_string(patience_.count()) +
           " s: another rank is missing or stuck, or the network between them; NCCL_DEBUG=INFO "
           "says more";
  };
  for (const auto& call : waiting_)
    if (call.begin < latest) return complaint(call);
  for (const auto& call : launched_)
    if (call.begin < latest) return complaint(call);
  return "";
}

void NcclWatch::Post::watch() {
  try {
    cuda::require_cuda(cudaSetDevice(device_), "choosing the GPU");
    for (; !leaving_; std::this_thread::sleep_for(kBetweenLooks))
      if (const std::string words = trouble(); !words.empty())
        return fail_(Error(ExitCode::kLostRank, words));
  } catch (const Error& error) {
    fail_(error);
  }
}

}  // namespace pippin::probes
