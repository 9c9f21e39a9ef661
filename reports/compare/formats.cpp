// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/comparison.h"
#include "reports/format_among.h"

namespace pippin {

const ComparisonFormat& comparison_format_named(const std::string& name) {
  static const std::vector<ComparisonFormat> kFormats{{"terminal", write_comparison_terminal},
                                                      {"markdown", write_comparison_markdown},
                                                      {"csv", write_comparison_csv},
                                                      {"json", write_comparison_json},
                                                      {"html", write_comparison_html}};
  return format_among(kFormats, name);
}

}  // namespace pippin
