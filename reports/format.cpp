#include "reports/format.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats{{"terminal", write_terminal},
                                            {"markdown", write_markdown},
                                            {"csv", write_csv},
                                            {"json", write_json}};
  return kFormats;
}

const Format& format_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& format : formats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  bad_input("unknown format '{}'{} (known: {})", printable(name), did_you_mean(name, names),
            join(names, ", "));
}

}  // namespace pippin
