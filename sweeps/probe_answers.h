// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/records/cluster.h"
#include "core/records/probe_abilities.h"
#include "core/records/value.h"
#include "sweeps/probes.h"

namespace pippin {

/// Asks a probe's program for a device ("cpu", "cuda") what it can do; nothing where it is not
/// here, or does not say.
using AskProbe = std::function<std::optional<ProbeAbilities>(const std::string& probe,
                                                             const std::string& device)>;

/// What the programs of one probe have said: each is asked once, when it is first needed.
class ProbeAnswers {
 public:
  /// Without a probe there is nobody to ask.
  ProbeAnswers(std::optional<Probe> probe, AskProbe ask)
      : probe_(std::move(probe)), ask_(std::move(ask)) {}

  /// By the names of axes. Null where that program does not say.
  const ProbeAbilities* on(const std::string& device);

 private:
  std::optional<Probe> probe_;
  AskProbe ask_;
  std::map<std::string, std::optional<ProbeAbilities>> answers_;
};

/// "32M" is 32 × 2^20 to a probe, as to nccl-tests. Nothing where the text is no size.
std::optional<double> bytes_in(const std::string& text);

/// Why a probe does not take a value: "precision: training knows fp32, bf16, fp16, not 'fp8'";
/// empty where it does, or has no such option.
std::string why_refused(const ProbeAbilities& probe, const std::string& name, const Value& value);

/// Why a probe's program for GPUs does not run on a cluster's; empty where nothing speaks against
/// it, or what the cluster has is not known.
std::string why_too_old(const ProbeAbilities& probe, const Cluster& cluster);

}  // namespace pippin
