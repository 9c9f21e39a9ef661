#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/noise/noise.h"

namespace pippin {

const NoiseFormat& noise_format_named(const std::string& name) {
  static const std::vector<NoiseFormat> kFormats{{"terminal", write_noise_terminal},
                                                 {"markdown", write_noise_markdown},
                                                 {"csv", write_noise_csv},
                                                 {"json", write_noise_json}};
  std::vector<std::string> names;
  for (const auto& format : kFormats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  bad_input("unknown format '{}'{} (known: {})", printable(name), did_you_mean(name, names),
            join(names, ", "));
}

}  // namespace pippin
