#include "db/json.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace pippin::db {

std::string json_of(const NamedValues& values) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : values) {
    // printable() leaves valid UTF-8 without control characters; a whole number stays one.
    auto& member = json[printable(name)];
    if (value.number) {
      member = nlohmann::ordered_json::parse(number_text(*value.number));
    } else {
      member = printable(value.text);
    }
  }
  return json.dump();
}

}  // namespace pippin::db
