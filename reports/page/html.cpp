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

void write_html(const Report& report, std::ostream& out) {
  Page page;
  page.table = report;
  page.title = "pippin";
  write_html_file(page_document(page), out);
}

void write_sheet_html(const SheetTable& table, std::ostream& out) {
  Page page;
  page.kind = table.sheet.kind;
  page.title = table.sheet.name;
  page.said = table.sheet.said;
  page.sheet = table.sheet;
  write_html_file(page_document(page), out);
}

void write_noise_html(const NoiseTable& table, std::ostream& out) {
  Page page;
  page.kind = "noise";
  page.title = table.noise.selection;
  page.said = sentences_of(table.noise);
  page.noise = table.noise;
  write_html_file(page_document(page), out);
}

}  // namespace pippin
