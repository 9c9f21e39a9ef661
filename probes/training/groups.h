// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "probes/common/setup.h"
#include "probes/training/channel.h"
#include "probes/training/layout.h"

namespace pippin::probes {

/// Every channel that one rank of a layout talks through.
struct Groups {
  /// Puts something between a channel and its group, as the tests' broken communicators do.
  using Wrap = std::function<std::unique_ptr<Communicator>(const std::string& channel,
                                                           std::unique_ptr<Communicator> group)>;

  /// Every rank of `world` must make its own.
  Groups(Communicator& world, const Setup& setup, Profile& profile, const Wrap& wrap = {});
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  Place place;
  Profile& profile;
  Channel tp;            ///< activations between the tensor-parallel ranks
  Channel tp_gradients;  ///< under sequence parallelism, gradients of what they all hold
  Channel pp;            ///< activations between neighbouring stages; its ranks are the stages
  Channel dp_reduce, dp_gather;  ///< gradients, and with ZeRO-1 the weights
  Channel embedding;             ///< the tied embedding's gradient: first and last stage
  Channel loss;                  ///< cross-entropy over a split vocabulary
  Channel norm;                  ///< the gradient's norm: everybody who holds a part of it

  std::array<Channel*, 8> all() {
    return {&tp, &tp_gradients, &pp, &dp_reduce, &dp_gather, &embedding, &loss, &norm};
  }
};

}  // namespace pippin::probes
