// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "probes/comm/nodes.h"
#include "probes/comm/session.h"
#include "probes/common/error.h"
#include "probes/common/log.h"
#include "probes/device/device.h"
#include "probes/training/groups.h"
#include "probes/training/settings.h"
#include "probes/training/trainer.h"

namespace pippin::probes {

/// What one rank trains on, and how it talks.
template <typename T>
struct Ground {
  Device<T>& device;
  Clock& clock;  ///< the device's
  Groups::Wrap wrap = {};
  /// Where memory is only measured at first: takes what a first trainer has counted.
  std::function<void()> reserve = {};
};

/// A trainer that has begun: its memory is taken, its weights are drawn. All must outlive it.
template <typename T>
std::unique_ptr<Trainer<T>> make_trainer(const Ground<T>& ground, const Setup& setup,
                                         const OptimizerSettings& optimizer,
                                         const LossScaling& scaling, Groups& groups);

/// The whole run: the log's lines after the header, from the number of parameters on. Every rank of
/// `world` must call it. Errors: Error (out of memory).
template <typename T>
void train_on(const Ground<T>& ground, Communicator& world, const Nodes& nodes,
              const TrainingSettings& settings, Log& log);

/// On this machine's processor, in the settings' precision.
void train_on_processor(Session& session, const TrainingSettings& settings, Log& log);

}  // namespace pippin::probes
