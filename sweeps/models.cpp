// SPDX-License-Identifier: Apache-2.0
#include "sweeps/models.h"

#include "core/base/text.h"
#include "sweeps/embedded.h"
#include "sweeps/estimate/setup.h"
#include "sweeps/keys.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

Model read_model(const std::string& name, const YamlNode& shape, const std::string& style) {
  Model model;
  model.size = name;
  model.style = style;
  expect_map(shape, "a model", model_count_names());
  for (const auto& key : kModelCounts) {
    const YamlNode* value = shape.find(key.name);
    if (value) model.*key.count = whole_number_at(*value, key.name, 1, kLargestCount);
  }
  return model;
}

std::vector<Model> read_models() {
  std::vector<Model> models;
  for (const auto& file : embedded_files()) {
    if (!file.name.starts_with("models/")) continue;
    const YamlNode root = parse_yaml(file.text, "sweeps/" + std::string(file.name));
    expect_map(root, "a file of models", {"source", "style", "models"});
    const YamlNode& shapes = *root.find("models");
    for (std::size_t i = 0; i < shapes.keys.size(); ++i) {
      models.push_back(read_model(shapes.keys[i].text, shapes.items[i], root.find("style")->text));
    }
  }
  return models;
}

const std::vector<Model>& models() {
  static const std::vector<Model> all = read_models();
  return all;
}

}  // namespace

std::optional<Model> find_model(std::string_view size) {
  const std::string wanted = lower(size);
  for (const auto& model : models()) {
    if (lower(model.size) == wanted) return model;
  }
  return std::nullopt;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& model : models()) names.push_back(model.size);
  return names;
}

}  // namespace pippin
