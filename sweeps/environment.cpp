// SPDX-License-Identifier: Apache-2.0
#include "sweeps/environment.h"

#include "core/base/placeholders.h"

namespace pippin {

Environment read_environment(const YamlNode& node) {
  expect_map(node, "env");
  Environment environment;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& key = node.keys[i];
    if (!is_identifier(key.text)) {
      fail(key, "env: {} is no name of an environment variable", in_quotes(key.text));
    }
    if (key.text.starts_with("PIPPIN_")) {
      fail(key, "env: {} is pippin's own; an axis reaches the environment by itself",
           in_quotes(key.text));
    }
    environment.emplace_back(key.text, text_at(node.items[i], "env: " + key.text));
  }
  return environment;
}

}  // namespace pippin
