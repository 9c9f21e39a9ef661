// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/records/cluster.h"
#include "sweeps/estimate/point_rows.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// The machine of a row by its columns gpu, gpu_mem_gb and precision; between nodes what the column
/// node_gb_per_s says, else machines.yaml by its group or its GPU. Nothing where the GPU is
/// unknown.
std::optional<Machine> machine_of_row(const PointRow& row);

/// The machine of nodes with such GPUs, in 16 bits; between nodes `node_gb_per_s`, else what
/// machines.yaml has for them. Errors: Error (bad input) where one of its figures is known to
/// nobody.
Machine machine_of(const Accelerator& accelerator, std::optional<double> node_gb_per_s);

/// In 16 bits; without what data sheets and others tell of it those of any GPU.
Rates usual_rates_of(const Accelerator& accelerator);

/// As libraries tell them apart.
Generation generation_of(const Accelerator& accelerator);

}  // namespace pippin
