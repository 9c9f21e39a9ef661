// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pippin::probes {

/// One JSON object on one line; the keys stand in the order in which they were added.
class JsonObject {
 public:
  /// The shortest digits that read back; null where it is not finite.
  JsonObject& number(const std::string& key, double value);
  JsonObject& whole(const std::string& key, std::int64_t value);
  JsonObject& word(const std::string& key, const std::string& value);
  JsonObject& flag(const std::string& key, bool value);
  /// `json`: a value that is JSON already, as of json_array() or line().
  JsonObject& value(const std::string& key, const std::string& json);

  std::string line() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

/// A word in quotes.
std::string json_text(const std::string& word);
/// Of values that are JSON already.
std::string json_array(const std::vector<std::string>& values);

}  // namespace pippin::probes
