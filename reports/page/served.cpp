// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sstream>

#include "core/base/embedded_file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "reports/page/page.h"
#include "reports/page/page_json.h"
#include "reports/page/parts.h"

namespace pippin {

const std::vector<EmbeddedFile>& page_files();  // page.html alone

namespace {

constexpr std::string_view kPlace = "{{pippin-data}}", kPolicy = "default-src 'none'";
constexpr const char* kAsksItsServer = "; connect-src 'self'";

/// A template in two halves, between which a document stands.
struct Halves {
  std::string before, behind, policy;
};

/// The template that may ask its own server.
Halves served_template() {
  std::string text(page_files().front().text);
  const auto at = text.find(kPolicy);
  text.insert(at + kPolicy.size(), kAsksItsServer);
  // A header may say what a page itself cannot.
  const std::string policy = text.substr(at, text.find('"', at) - at) + "; frame-ancestors 'none'";
  const auto place = text.find(kPlace);
  return {text.substr(0, place), text.substr(place + kPlace.size()), policy};
}

/// What a page knows of its server, as the last key of a document.
std::string served_part(const std::string& tag, const std::vector<PageLink>& links) {
  std::ostringstream text;
  {
    JsonWriter json(text, 0);
    json.begin_object();
    json.key("tag").text(tag);
    write_links(links, json);
    json.end_object();
  }
  return safe_in_script(std::move(text).str());
}

}  // namespace

void write_links(const std::vector<PageLink>& links, JsonWriter& json) {
  json.key("links").begin_array();
  for (const auto& link : links) {
    json.begin_object();
    json.key("title").text(link.title);
    json.key("address").text(link.address);
    json.end_object();
  }
  json.end_array();
}

ServedPage served_page(const std::string& document, const std::vector<PageLink>& links) {
  static const Halves kTemplate = served_template();
  const std::string_view open = std::string_view(document).substr(0, document.rfind('}'));
  ServedPage page;
  page.tag = hash_of(open);
  const std::string whole =
      fmt::format("{},\"served\":{}}}", open, trim(served_part(page.tag, links)));
  page.html = std::make_shared<const std::string>(kTemplate.before + whole + kTemplate.behind);
  page.document = std::string_view(*page.html).substr(kTemplate.before.size(), whole.size());
  page.policy = kTemplate.policy;
  return page;
}

}  // namespace pippin
