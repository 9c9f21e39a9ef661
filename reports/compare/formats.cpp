#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/compare/comparison.h"

namespace pippin {

const ComparisonFormat& comparison_format_named(const std::string& name) {
  static const std::vector<ComparisonFormat> kFormats{{"terminal", write_comparison_terminal},
                                                      {"markdown", write_comparison_markdown},
                                                      {"csv", write_comparison_csv},
                                                      {"json", write_comparison_json}};
  std::vector<std::string> names;
  for (const auto& format : kFormats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  bad_input("unknown format '{}'{} (known: {})", printable(name), did_you_mean(name, names),
            join(names, ", "));
}

}  // namespace pippin
