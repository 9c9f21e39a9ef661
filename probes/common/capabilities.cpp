// SPDX-License-Identifier: Apache-2.0
#include "probes/common/capabilities.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "probes/common/json.h"

namespace pippin::probes {

namespace {

constexpr std::string_view kArchitecture = "sm_";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

std::string array_of_words(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const auto& word : words) quoted.push_back(json_text(word));
  return json_array(quoted);
}

std::string option_record(const Option& option) {
  JsonObject object;
  object.word("name", option.name)
      .word("kind", option.values.kind)
      .word("default", option.standard);
  if (!option.values.choices.empty())
    object.value("choices", array_of_words(option.values.choices));
  if (!option.values.least.empty()) object.value("least", option.values.least);
  if (!option.values.most.empty()) object.value("most", option.values.most);
  return object.line();
}

/// Of those that the program has a word for, what it was built for.
std::vector<std::string> devices_of(const OptionTable& options, const CudaBuild& cuda) {
  std::vector<std::string> devices;
  for (const auto& option : options) {
    if (option.name != "--device") continue;
    for (const auto& device : option.values.choices)
      if (device != "cuda" || !cuda.version.empty()) devices.push_back(device);
  }
  return devices;
}

std::string cuda_record(const CudaBuild& cuda) {
  if (cuda.version.empty()) return "null";
  return JsonObject()
      .word("version", cuda.version)
      .value("architectures", array_of_words(words_of(cuda.architectures)))
      .word("least_compute_capability", cuda.least)
      .line();
}

}  // namespace

std::string least_capability(const std::string& architectures, int major) {
  constexpr int kTen = 10;  // sm_86 is compute capability 8.6
  int least = 0;
  for (const auto& word : words_of(architectures)) {
    if (!word.starts_with(kArchitecture)) continue;
    const int number = std::atoi(word.c_str() + kArchitecture.size());
    if (least == 0 || number < least) least = number;
  }
  if (least == 0) return "";
  if (least < major * kTen) least = major * kTen;
  return std::to_string(least / kTen) + "." + std::to_string(least % kTen);
}

std::string capabilities_line(const std::string& program, const OptionTable& options,
                              const CudaBuild& cuda) {
  std::vector<std::string> records;
  records.reserve(options.size());
  for (const auto& option : options) records.push_back(option_record(option));
  return JsonObject()
      .whole("capabilities", 1)
      .word("probe", program)
      .value("devices", array_of_words(devices_of(options, cuda)))
      .value("cuda", cuda_record(cuda))
      .value("options", json_array(records))
      .line();
}

bool asks_for_capabilities(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{"--capabilities"};
}

ExitCode print_capabilities(const std::string& program, const OptionTable& options,
                            const CudaBuild& cuda) {
  std::puts(capabilities_line(program, options, cuda).c_str());
  return ExitCode::kDone;
}

}  // namespace pippin::probes
