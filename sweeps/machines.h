#pragma once

#include <optional>

#include "sweeps/estimate/point_rows.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// The machine of a row by its columns gpu, gpu_mem_gb and precision; between nodes what the column
/// node_gb_per_s says, else machines.yaml by its group or its GPU. Nothing where the GPU is
/// unknown.
std::optional<Machine> machine_of_row(const PointRow& row);

}  // namespace pippin
