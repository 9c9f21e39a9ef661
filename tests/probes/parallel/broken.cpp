// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/parallel/broken.h"

#include <cstring>
#include <utility>

#include "tests/probes/parallel/cases.h"

namespace pippin::probes::test {

namespace {

enum class Fault {
  kDropsRank,    ///< the last rank's part is missing in a sum
  kMeans,        ///< a mean where a sum belongs
  kMisorders,    ///< parts are gathered in the opposite order
  kDoesNothing,  ///< no sum at all
};

/// Sums that are off, everything else as the group does it.
class Broken final : public Communicator {
 public:
  Broken(std::unique_ptr<Communicator> group, Fault fault)
      : group_(std::move(group)), fault_(fault) {}

  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }
  void barrier() override { group_->barrier(); }

  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction reduction) override {
    if (reduction == Reduction::kMax) return group_->all_reduce(in, out, count, element, reduction);
    if (fault_ == Fault::kDoesNothing) return;
    std::vector<char> mine = dropped(in, count, element);
    group_->all_reduce(mine.data(), out, count, element, reduction);
    scale(out, count, element);
  }
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    if (fault_ == Fault::kDoesNothing) {
      std::memcpy(out, static_cast<const char*>(in) + rank() * count * bytes_of(element),
                  static_cast<std::size_t>(count * bytes_of(element)));
      return;
    }
    std::vector<char> mine = dropped(in, count * size(), element);
    group_->reduce_scatter(mine.data(), out, count, element);
    scale(out, count, element);
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    const std::int64_t part = count * bytes_of(element);
    std::vector<char> mine(static_cast<std::size_t>(part));
    std::memcpy(mine.data(), in, mine.size());
    std::vector<char> parts(mine.size() * static_cast<std::size_t>(size()));
    group_->all_gather(mine.data(), parts.data(), count, element);
    for (int i = 0; i < size(); ++i) {
      const int from = fault_ == Fault::kMisorders ? size() - 1 - i : i;
      std::memcpy(static_cast<char*>(out) + i * part, parts.data() + from * part, mine.size());
    }
  }
  void broadcast(void* data, std::int64_t count, Element element, int root) override {
    group_->broadcast(data, count, element, root);
  }
  void reduce(const void* in, void* out, std::int64_t count, Element element, int root) override {
    group_->reduce(in, out, count, element, root);
  }
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    group_->all_to_all(in, out, count, element);
  }

  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    all_reduce(in, out, count, element, Reduction::kSum);
    return std::make_unique<Done>();
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    reduce_scatter(in, out, count, element);
    return std::make_unique<Done>();
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    all_gather(in, out, count, element);
    return std::make_unique<Done>();
  }
  Call start_send(const void* data, std::int64_t count, Element element, int to) override {
    return group_->start_send(data, count, element, to);
  }
  Call start_receive(void* data, std::int64_t count, Element element, int from) override {
    return group_->start_receive(data, count, element, from);
  }
  std::unique_ptr<Communicator> split(int colour) override { return group_->split(colour); }

 private:
  class Done final : public Pending {
   public:
    bool done() override { return true; }
    void wait() override {}
  };

  std::vector<char> dropped(const void* in, std::int64_t count, Element element) const {
    std::vector<char> mine(static_cast<std::size_t>(count * bytes_of(element)));
    if (fault_ != Fault::kDropsRank || rank() < size() - 1)
      std::memcpy(mine.data(), in, mine.size());
    return mine;
  }
  void scale(void* out, std::int64_t count, Element element) const {
    if (fault_ != Fault::kMeans) return;
    for (std::int64_t i = 0; i < count; ++i) {
      if (element == Element::kDouble) static_cast<double*>(out)[i] /= size();
      if (element == Element::kFloat) static_cast<float*>(out)[i] /= static_cast<float>(size());
    }
  }

  std::unique_ptr<Communicator> group_;
  Fault fault_;
};

Groups::Wrap breaking(std::string channel, Fault fault) {
  return [channel = std::move(channel), fault](
             const std::string& name,
             std::unique_ptr<Communicator> group) -> std::unique_ptr<Communicator> {
    if (name != channel || group->size() == 1) return group;
    return std::make_unique<Broken>(std::move(group), fault);
  };
}

struct Layout {
  std::int64_t tp, pp, dp;
  const char *zero, *sequence_parallel;
};

Setup setup_of(const Layout& layout) {
  Setup s = small_setup("gpt2");
  s.tp = layout.tp;
  s.pp = layout.pp;
  s.dp = layout.dp;
  s.gas /= layout.dp;
  s.zero = layout.zero;
  s.sequence_parallel = layout.sequence_parallel;
  return s;
}

}  // namespace

std::vector<Breakage> breakages() {
  constexpr Layout kDp{1, 1, 2, "0", "0"}, kZero{1, 1, 2, "1", "0"}, kTp{2, 1, 1, "0", "0"},
      kSplit{2, 1, 1, "0", "1"}, kPp{1, 2, 1, "0", "0"}, kAll{2, 2, 2, "1", "1"};
  const std::vector<std::tuple<std::string, const char*, Fault, Layout>> list = {
      {"a data-parallel sum drops a rank", "dp-reduce", Fault::kDropsRank, kDp},
      {"a data-parallel mean where a sum belongs", "dp-reduce", Fault::kMeans, kDp},
      {"no data-parallel sum", "dp-reduce", Fault::kDoesNothing, kDp},
      {"a scattered sum drops a rank", "dp-reduce", Fault::kDropsRank, kZero},
      {"a scattered mean where a sum belongs", "dp-reduce", Fault::kMeans, kZero},
      {"no scattered sum", "dp-reduce", Fault::kDoesNothing, kZero},
      {"weights gathered in the wrong order", "dp-gather", Fault::kMisorders, kZero},
      {"a tensor-parallel sum drops a rank", "tp", Fault::kDropsRank, kTp},
      {"a tensor-parallel mean where a sum belongs", "tp", Fault::kMeans, kTp},
      {"no tensor-parallel sum", "tp", Fault::kDoesNothing, kTp},
      {"tokens gathered in the wrong order", "tp", Fault::kMisorders, kSplit},
      {"scattered tokens drop a rank", "tp", Fault::kDropsRank, kSplit},
      {"no sum of the norms' gradients", "tp-gradients", Fault::kDoesNothing, kSplit},
      {"a mean of the norms' gradients", "tp-gradients", Fault::kMeans, kSplit},
      {"no sum of the tied embedding's gradient", "embedding", Fault::kDoesNothing, kPp},
      {"a mean of the tied embedding's gradient", "embedding", Fault::kMeans, kPp},
      {"a loss that drops a rank's vocabulary", "loss", Fault::kDropsRank, kTp},
      {"a gradient norm that drops a rank", "norm", Fault::kDropsRank, kTp},
      {"a gradient norm of one's own part", "norm", Fault::kDoesNothing, kZero},
      {"a mean for the gradient norm", "norm", Fault::kMeans, kPp},
      {"in a mixture a scattered sum drops a rank", "dp-reduce", Fault::kDropsRank, kAll},
      {"in a mixture no sum of the norms' gradients", "tp-gradients", Fault::kDoesNothing, kAll},
      {"in a mixture no sum of the tied embedding", "embedding", Fault::kDoesNothing, kAll},
      {"in a mixture a norm without the other stage", "norm", Fault::kDropsRank, kAll},
  };
  std::vector<Breakage> all;
  all.reserve(list.size());
  for (const auto& [name, channel, fault, layout] : list)
    all.push_back({name, setup_of(layout), breaking(channel, fault)});
  return all;
}

}  // namespace pippin::probes::test
