// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/host_communicator.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "probes/comm/host/algorithms.h"
#include "probes/comm/host/transfers.h"

namespace pippin::probes {

namespace {

const std::byte* bytes(const void* data) { return static_cast<const std::byte*>(data); }
std::byte* bytes(void* data) { return static_cast<std::byte*>(data); }

class HostCall final : public Pending {
 public:
  HostCall(Mesh& mesh, std::unique_ptr<HostTransfers> transfers)
      : mesh_(mesh), transfers_(std::move(transfers)) {
    mesh_.start(*transfers_);
  }
  ~HostCall() override { mesh_.forget(*transfers_); }
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  bool done() override {
    if (!transfers_->is_done()) mesh_.work();
    return transfers_->is_done();
  }
  void wait() override { mesh_.wait(*transfers_); }

 private:
  Mesh& mesh_;
  std::unique_ptr<HostTransfers> transfers_;
};

class HostCommunicator final : public Communicator {
 public:
  /// `members` are ranks of the mesh, this process's among them.
  HostCommunicator(std::shared_ptr<Mesh> mesh, std::vector<int> members, std::uint64_t group)
      : mesh_(std::move(mesh)), members_(std::move(members)), group_(group) {
    const auto own = std::find(members_.begin(), members_.end(), mesh_->rank());
    rank_ = static_cast<int>(own - members_.begin());
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }

  void barrier() override {
    HostTransfers transfers = new_transfers(Element::kByte);
    collective(transfers, Element::kByte).barrier();
    run(transfers);
  }
  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction reduction) override {
    HostTransfers transfers = new_transfers(element, reduction);
    collective(transfers, element).all_reduce(bytes(in), bytes(out), count);
    run(transfers);
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    HostTransfers transfers = new_transfers(element);
    collective(transfers, element).all_gather(bytes(in), bytes(out), count);
    run(transfers);
  }
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    HostTransfers transfers = new_transfers(element);
    collective(transfers, element).reduce_scatter(bytes(in), bytes(out), count);
    run(transfers);
  }
  void broadcast(void* data, std::int64_t count, Element element, int root) override {
    HostTransfers transfers = new_transfers(element);
    collective(transfers, element).broadcast(bytes(data), count, root);
    run(transfers);
  }
  void reduce(const void* in, void* out, std::int64_t count, Element element, int root) override {
    HostTransfers transfers = new_transfers(element);
    collective(transfers, element).reduce(bytes(in), bytes(out), count, root);
    run(transfers);
  }
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    HostTransfers transfers = new_transfers(element);
    collective(transfers, element).all_to_all(bytes(in), bytes(out), count);
    run(transfers);
  }

  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    auto transfers = std::make_unique<HostTransfers>(next_call(), members_, element);
    collective(*transfers, element).all_reduce(bytes(in), bytes(out), count);
    return started(std::move(transfers));
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    auto transfers = std::make_unique<HostTransfers>(next_call(), members_, element);
    collective(*transfers, element).reduce_scatter(bytes(in), bytes(out), count);
    return started(std::move(transfers));
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    auto transfers = std::make_unique<HostTransfers>(next_call(), members_, element);
    collective(*transfers, element).all_gather(bytes(in), bytes(out), count);
    return started(std::move(transfers));
  }
  Call start_send(const void* data, std::int64_t count, Element element, int to) override {
    auto transfers = std::make_unique<HostTransfers>(next_message(sent_[to]), members_, element);
    transfers->send(to, bytes(data), count);
    return started(std::move(transfers));
  }
  Call start_receive(void* data, std::int64_t count, Element element, int from) override {
    auto transfers =
        std::make_unique<HostTransfers>(next_message(received_[from]), members_, element);
    transfers->receive(from, bytes(data), count);
    return started(std::move(transfers));
  }

  /// Groups of one split may have one number: no two of them share a pair of ranks.
  std::unique_ptr<Communicator> split(int colour) override {
    struct Choice {
      std::int64_t colour;
      std::uint64_t group;
    };
    const Choice mine{colour, mesh_->next_group()};
    std::vector<Choice> all(members_.size());
    all_gather(&mine, all.data(), sizeof mine, Element::kByte);
    std::vector<int> part;
    std::uint64_t group = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].colour == colour) part.push_back(members_[i]);
      group = std::max(group, all[i].group);
    }
    mesh_->take_group(group);
    return std::make_unique<HostCommunicator>(mesh_, std::move(part), group);
  }

 private:
  // Messages between two ranks are counted apart from the group's calls, by the highest bit.
  MessageName next_call() { return {calls_++, group_}; }
  MessageName next_message(std::uint64_t& count) const {
    return {(std::uint64_t{1} << 63) | count++, group_};
  }

  HostTransfers new_transfers(Element element, Reduction reduction = Reduction::kSum) {
    return HostTransfers(next_call(), members_, element, reduction);
  }
  Collective collective(HostTransfers& transfers, Element element) const {
    return {transfers, rank_, size(), bytes_of(element)};
  }
  void run(HostTransfers& transfers) {
    mesh_->start(transfers);
    mesh_->wait(transfers);
  }
  Call started(std::unique_ptr<HostTransfers> transfers) {
    return std::make_unique<HostCall>(*mesh_, std::move(transfers));
  }

  std::shared_ptr<Mesh> mesh_;
  std::vector<int> members_;
  std::uint64_t group_;
  int rank_ = 0;
  std::uint64_t calls_ = 0;
  std::map<int, std::uint64_t> sent_, received_;  ///< messages by peer
};

}  // namespace

std::unique_ptr<Communicator> make_host_communicator(std::shared_ptr<Mesh> mesh) {
  std::vector<int> everybody(static_cast<std::size_t>(mesh->size()));
  std::iota(everybody.begin(), everybody.end(), 0);
  return std::make_unique<HostCommunicator>(std::move(mesh), std::move(everybody), 0);
}

}  // namespace pippin::probes
