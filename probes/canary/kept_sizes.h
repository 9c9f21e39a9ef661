// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "probes/canary/canary.h"
#include "probes/comm/communicator.h"

namespace pippin::probes {

/// The sizes of a folder's first reading, which later ones of as many ranks and nodes on the same
/// kind of device take over, so that all can be compared: a line "side=512 bytes=4194304
/// pair_bytes=4194304" in a file for each such shape. Every rank must make one and call it.
class KeptSizes {
 public:
  /// Without a folder nothing is kept. `device` is "cpu" or "cuda".
  KeptSizes(const std::string& folder, const std::string& device, Communicator& world);

  /// 0 of what is not kept yet. Errors: Error (bad usage) where the file says something else.
  CanarySizes read() const;

  /// Keeps the sizes of a reading that came to its end, unless another has been quicker. Says on
  /// standard error where it cannot.
  void keep(const CanarySizes& sizes) const;

 private:
  std::string file_;  ///< empty: none
  Communicator& world_;
};

}  // namespace pippin::probes
