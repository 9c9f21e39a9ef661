// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/collective/operation.h"
#include "probes/comm/backend_settings.h"
#include "probes/common/options.h"

namespace pippin::probes {

/// Named as nccl-tests names them where it has them.
struct CollectiveSettings {
  std::string operation = "all_reduce";  ///< a name of operation_kinds(), or "all"
  std::int64_t minbytes = 8, maxbytes = 32 << 20;
  std::int64_t stepfactor = 0, stepbytes = 0;  ///< both 0: factor 2
  std::int64_t iters = 20, warmup_iters = 5, check = 1;
  std::string op = "sum", datatype = "float";
  std::int64_t root = 0;
  std::string statistics = "0";  ///< "0" or "1"
  std::string json;              ///< a file, "-" for standard output, empty for none
  std::string pairs = "none";    ///< "none", "nodes" or "ranks"
  std::int64_t iterations = 0;   ///< steps of one call of one size; 0: the table
  std::int64_t bytes = 0;        ///< that size; 0: minbytes to maxbytes
  double step_ms = 10;           ///< the least time of a step
  std::string device = "cpu";    ///< or "cuda"
  BackendSettings backend;

  std::int64_t factor() const { return stepfactor > 0 ? stepfactor : 2; }
  bool each() const { return statistics == "1" || !json.empty(); }
};

/// The rows of `settings`' options. `settings` must outlive them.
OptionTable collective_options(CollectiveSettings& settings);

/// The short options that nccl-tests has for these (-b, -e, -f, …) by their long names.
std::vector<std::string> long_names(std::vector<std::string> arguments);

/// --bytes as the smallest and the largest size.
CollectiveSettings with_one_size(CollectiveSettings settings);

/// Errors: Error (bad input) for what `ranks` ranks cannot do: sizes in the wrong order, a root
/// that is not there, a maximum of anything but all_reduce, sums of bytes.
void check(const CollectiveSettings& settings, int ranks);

/// Errors: Error (bad input) for more than MPI counts, by which processors' memory is sent.
void check_counts(const CollectiveSettings& settings);

Element element_named(const std::string& datatype);

/// One, or all of them.
std::vector<Operation> chosen_operations(const CollectiveSettings& settings);

/// Every size from minbytes to maxbytes. Unit: bytes.
std::vector<std::int64_t> sizes_of(const CollectiveSettings& settings);

}  // namespace pippin::probes
