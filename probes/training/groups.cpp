// SPDX-License-Identifier: Apache-2.0
#include "probes/training/groups.h"

#include <utility>

namespace pippin::probes {

namespace {

/// Splits the world for one channel.
struct Splitter {
  Communicator& world;
  const Groups::Wrap& wrap;

  std::unique_ptr<Communicator> operator()(const char* channel, std::int64_t colour) const {
    auto group = world.split(static_cast<int>(colour));
    return wrap ? wrap(channel, std::move(group)) : std::move(group);
  }
};

// The ranks of a colour share the numbers that it is made of.
std::int64_t same_tensor_group(const Setup& s, const Place& p) { return p.dp + s.dp * p.pp; }
std::int64_t same_pipeline(const Setup& s, const Place& p) { return p.tp + s.tp * p.dp; }
std::int64_t same_part(const Setup& s, const Place& p) { return p.tp + s.tp * p.pp; }

/// The ends of a pipeline meet; between them everybody stays alone.
std::int64_t same_ends(const Setup& s, const Place& p) {
  const bool end = p.pp == 0 || p.pp == s.pp - 1;
  return same_pipeline(s, p) + (end ? 0 : s.tp * s.dp * p.pp);
}

/// With ZeRO-1 a gradient's parts lie with the data-parallel ranks, too.
std::int64_t same_gradient(const Setup& s, const Place& p) { return s.zero == "0" ? p.dp : 0; }

}  // namespace

Groups::Groups(Communicator& world, const Setup& s, Profile& its_profile, const Wrap& wrap)
    : place(place_of(s, world.rank())),
      profile(its_profile),
      tp(Splitter{world, wrap}("tp", same_tensor_group(s, place)), Class::kTp, profile),
      tp_gradients(Splitter{world, wrap}("tp-gradients", same_tensor_group(s, place)), Class::kTp,
                   profile),
      pp(Splitter{world, wrap}("pp", same_pipeline(s, place)), Class::kPp, profile),
      dp_reduce(Splitter{world, wrap}("dp-reduce", same_part(s, place)), Class::kDpReduce, profile),
      dp_gather(Splitter{world, wrap}("dp-gather", same_part(s, place)), Class::kDpGather, profile),
      embedding(Splitter{world, wrap}("embedding", same_ends(s, place)), Class::kEmbedding,
                profile),
      loss(Splitter{world, wrap}("loss", same_tensor_group(s, place)), Class::kLoss, profile),
      norm(Splitter{world, wrap}("norm", same_gradient(s, place)), Class::kNorm, profile) {
  if (pp.size() > 1) pp.group().open_messages();
}

}  // namespace pippin::probes
