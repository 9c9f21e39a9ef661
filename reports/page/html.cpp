// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "core/base/embedded_file.h"
#include "reports/page/page.h"

namespace pippin {

const std::vector<EmbeddedFile>& page_files();  // page.html alone

void write_html_file(const std::string& document, std::ostream& out) {
  constexpr std::string_view kPlace = "{{pippin-data}}";
  const std::string_view text = page_files().front().text;
  const std::size_t place = text.find(kPlace);
  out << text.substr(0, place) << document << text.substr(place + kPlace.size());
}

}  // namespace pippin
