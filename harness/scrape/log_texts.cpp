// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/log_texts.h"

#include "harness/scrape/document.h"
#include "harness/scrape/endings.h"
#include "harness/scrape/log_readers.h"
#include "harness/scrape/network.h"
#include "harness/scrape/nodes_seen.h"
#include "harness/scrape/trainers/trainer.h"

namespace pippin {

const LogTexts& log_texts() {
  static const LogTexts texts = [] {
    LogTexts made;
    const auto add = [&](const std::vector<std::string_view>& more) {
      const TextRange range{made.all.size(), more.size()};
      made.all.insert(made.all.end(), more.begin(), more.end());
      return range;
    };
    for (const auto& format : log_formats()) made.of_format.push_back(add(format.texts()));
    for (const TrainerFormat* trainer : trainers())
      made.of_trainer.push_back(add({trainer->texts.begin(), trainer->texts.end()}));
    made.common = {add(Ending::signs()), add(NodesSeen::signs())};
    add(DocumentWatch::texts());
    made.tables = add(table_signs()).first;
    return made;
  }();
  return texts;
}

std::vector<std::vector<std::size_t>> texts_looked_for_together() {
  const LogTexts& texts = log_texts();
  std::vector<bool> in_each(texts.all.size(), true);
  std::vector<std::vector<std::size_t>> sets(1);
  for (std::size_t i = 0; i < texts.of_trainer.size(); ++i) {
    const auto [first, count] = texts.of_trainer[i];
    auto& besides = sets.emplace_back();
    for (std::size_t number = first + trainers()[i]->signs; number < first + count; ++number) {
      in_each[number] = false;
      besides.push_back(number);
    }
  }
  for (std::size_t number = 0; number < in_each.size(); ++number) {
    if (in_each[number]) sets.front().push_back(number);
  }
  return sets;
}

}  // namespace pippin
