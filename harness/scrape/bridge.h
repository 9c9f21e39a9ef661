// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/records/value.h"

namespace pippin {

/// A line of the configuration that Megatron-Bridge prints as YAML, "  micro_batch_size: 4", as an
/// argument of Megatron's. Nothing for what tells neither model nor layout.
std::optional<std::pair<std::string, Value>> bridge_setting_in(std::string_view line);

/// The sizes in the name of a job, "…_gpus8_tp1_pp1_cp1_vpNone_ep1_mbs4_gbs128", as arguments.
NamedValues bridge_job_in(std::string_view line);

}  // namespace pippin
