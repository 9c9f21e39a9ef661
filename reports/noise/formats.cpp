// SPDX-License-Identifier: Apache-2.0
#include "reports/format_among.h"
#include "reports/noise/noise.h"

namespace pippin {

const NoiseFormat& noise_format_named(const std::string& name) {
  static const std::vector<NoiseFormat> kFormats{{"terminal", write_noise_terminal},
                                                 {"markdown", write_noise_markdown},
                                                 {"csv", write_noise_csv},
                                                 {"json", write_noise_json},
                                                 {"html", nullptr}};
  return format_among(kFormats, name);
}

}  // namespace pippin
