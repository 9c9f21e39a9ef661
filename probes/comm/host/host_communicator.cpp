#include "probes/comm/host/host_communicator.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "probes/comm/host/algorithms.h"
#include "probes/comm/host/plan.h"

namespace pippin::probes {

namespace {

const std::byte* bytes(const void* data) { return static_cast<const std::byte*>(data); }
std::byte* bytes(void* data) { return static_cast<std::byte*>(data); }

class HostCall final : public Pending {
 public:
  HostCall(Mesh& mesh, std::unique_ptr<Plan> plan) : mesh_(mesh), plan_(std::move(plan)) {
    mesh_.start(*plan_);
  }
  ~HostCall() override { mesh_.forget(*plan_); }
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  bool done() override {
    if (!plan_->is_done()) mesh_.work();
    return plan_->is_done();
  }
  void wait() override { mesh_.wait(*plan_); }

 private:
  Mesh& mesh_;
  std::unique_ptr<Plan> plan_;
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
    Plan plan = planned(Element::kByte);
    collective(plan, Element::kByte).barrier();
    run(plan);
  }
  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction reduction) override {
    Plan plan = planned(element, reduction);
    collective(plan, element).all_reduce(bytes(in), bytes(out), count);
    run(plan);
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    Plan plan = planned(element);
    collective(plan, element).all_gather(bytes(in), bytes(out), count);
    run(plan);
  }
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    Plan plan = planned(element);
    collective(plan, element).reduce_scatter(bytes(in), bytes(out), count);
    run(plan);
  }
  void broadcast(void* data, std::int64_t count, Element element, int root) override {
    Plan plan = planned(element);
    collective(plan, element).broadcast(bytes(data), count, root);
    run(plan);
  }
  void reduce(const void* in, void* out, std::int64_t count, Element element, int root) override {
    Plan plan = planned(element);
    collective(plan, element).reduce(bytes(in), bytes(out), count, root);
    run(plan);
  }
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    Plan plan = planned(element);
    collective(plan, element).all_to_all(bytes(in), bytes(out), count);
    run(plan);
  }

  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    auto plan = std::make_unique<Plan>(next_call(), members_, element);
    collective(*plan, element).all_reduce(bytes(in), bytes(out), count);
    return started(std::move(plan));
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    auto plan = std::make_unique<Plan>(next_call(), members_, element);
    collective(*plan, element).reduce_scatter(bytes(in), bytes(out), count);
    return started(std::move(plan));
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    auto plan = std::make_unique<Plan>(next_call(), members_, element);
    collective(*plan, element).all_gather(bytes(in), bytes(out), count);
    return started(std::move(plan));
  }
  Call start_send(const void* data, std::int64_t count, Element element, int to) override {
    auto plan = std::make_unique<Plan>(next_message(sent_[to]), members_, element);
    plan->send(to, bytes(data), count);
    return started(std::move(plan));
  }
  Call start_receive(void* data, std::int64_t count, Element element, int from) override {
    auto plan = std::make_unique<Plan>(next_message(received_[from]), members_, element);
    plan->receive(from, bytes(data), count);
    return started(std::move(plan));
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

  Plan planned(Element element, Reduction reduction = Reduction::kSum) {
    return Plan(next_call(), members_, element, reduction);
  }
  Collective collective(Plan& plan, Element element) const {
    return {plan, rank_, size(), bytes_of(element)};
  }
  void run(Plan& plan) {
    mesh_->start(plan);
    mesh_->wait(plan);
  }
  Call started(std::unique_ptr<Plan> plan) {
    return std::make_unique<HostCall>(*mesh_, std::move(plan));
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
