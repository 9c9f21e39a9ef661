// SPDX-License-Identifier: Apache-2.0
#include "reports/format.h"

#include "reports/format_among.h"

namespace pippin {

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats{{"terminal", write_terminal},
                                            {"markdown", write_markdown},
                                            {"csv", write_csv},
                                            {"json", write_json},
                                            {"html", nullptr}};
  return kFormats;
}

const Format& format_named(const std::string& name) { return format_among(formats(), name); }

}  // namespace pippin
