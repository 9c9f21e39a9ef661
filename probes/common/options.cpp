// SPDX-License-Identifier: Apache-2.0
#include "probes/common/options.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "probes/common/error.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

std::string plain(double number) {
  std::string result = python_number(number);
  if (result.ends_with(".0")) result.resize(result.size() - 2);
  return result;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string result;
  for (const auto& word : words) result += (result.empty() ? "" : separator) + word;
  return result;
}

double number_within(const std::string& name, const std::string& value, double low, double high) {
  const auto number = parse_number(value);
  if (!number || *number < low || *number > high)
    bad_input(name + " wants a number from " + plain(low) + " to " + plain(high) + ", not '" +
              value + "'");
  return *number;
}

/// The letters behind a size, each 1024 times the one before.
constexpr std::string_view kUnits = "KMG";

/// 1 where the letter is none of them.
std::int64_t unit_of(char letter) {
  const std::size_t at = kUnits.find(static_cast<char>(std::toupper(letter)));
  return at == std::string_view::npos ? 1 : std::int64_t{1024} << 10 * at;
}

std::string size_text(std::int64_t bytes) {
  std::size_t units = 0;
  for (; units < kUnits.size() && bytes > 0 && bytes % 1024 == 0; ++units) bytes /= 1024;
  return std::to_string(bytes) + std::string(kUnits.substr(units > 0 ? units - 1 : 0, units > 0));
}

std::int64_t size_of(const std::string& name, const std::string& value, std::int64_t low,
                     std::int64_t high) {
  const std::int64_t unit = value.empty() ? 1 : unit_of(value.back());
  const auto number = parse_number(unit > 1 ? value.substr(0, value.size() - 1) : value);
  const double bytes = number ? *number * static_cast<double>(unit) : -1.0;
  if (!(bytes >= static_cast<double>(low)) || bytes > static_cast<double>(high) ||
      bytes != std::floor(bytes))
    bad_input(name + " wants bytes from " + size_text(low) + " to " + size_text(high) +
              ", such as 8, 64K or 32M, not '" + value + "'");
  return static_cast<std::int64_t>(bytes);
}

double share_of(const std::string& name, const std::string& value) {
  const bool percent = value.ends_with('%');
  const auto number = parse_number(percent ? value.substr(0, value.size() - 1) : value);
  const double share = number ? *number / (percent ? 100.0 : 1.0) : -1.0;
  if (share < 0.0 || share > 1.0)
    bad_input(name + " wants a fraction from 0 to 1 or a percentage such as 8%, not '" + value +
              "'");
  return share;
}

}  // namespace

Option whole_option(std::string name, std::int64_t& target, std::int64_t low, std::int64_t high,
                    std::string help) {
  auto set = [name, &target, low, high](const std::string& value) {
    const auto number = parse_integer(value);
    if (!number || *number < low || *number > high)
      bad_input(name + " wants a whole number from " + std::to_string(low) + " to " +
                std::to_string(high) + ", not '" + value + "'");
    target = *number;
  };
  return {std::move(name),
          std::to_string(target),
          std::move(help),
          std::move(set),
          {"whole", {}, std::to_string(low), std::to_string(high)}};
}

Option number_option(std::string name, double& target, double low, double high, std::string help) {
  auto set = [name, &target, low, high](const std::string& value) {
    target = number_within(name, value, low, high);
  };
  return {std::move(name),
          plain(target),
          std::move(help),
          std::move(set),
          {"number", {}, plain(low), plain(high)}};
}

Option size_option(std::string name, std::int64_t& target, std::int64_t low, std::int64_t high,
                   std::string help) {
  auto set = [name, &target, low, high](const std::string& value) {
    target = size_of(name, value, low, high);
  };
  return {std::move(name),
          size_text(target),
          std::move(help),
          std::move(set),
          {"size", {}, std::to_string(low), std::to_string(high)}};
}

Option share_option(std::string name, double& target, std::string help) {
  auto set = [name, &target](const std::string& value) { target = share_of(name, value); };
  return {std::move(name), plain(target), std::move(help), std::move(set), {"share", {}, "0", "1"}};
}

Option choice_option(std::string name, std::string& target, std::vector<std::string> choices,
                     std::string help) {
  help += ": " + joined(choices, ", ");
  OptionValues values{"choice", choices};
  auto set = [name, &target, choices = std::move(choices)](const std::string& value) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      bad_input(name + " wants one of " + joined(choices, ", ") + ", not '" + value + "'");
    target = value;
  };
  return {std::move(name), target, std::move(help), std::move(set), std::move(values)};
}

Option word_option(std::string name, std::string& target, std::string help) {
  auto set = [&target](const std::string& value) { target = value; };
  return {std::move(name), target, std::move(help), std::move(set), {"word"}};
}

Option bare_option(Option option, std::string value) {
  option.help += "; alone it means " + value;
  option.bare = std::move(value);
  return option;
}

namespace {

const Option& find_option(const OptionTable& table, const std::string& name) {
  std::vector<std::string> names = {"--help"};
  for (const auto& option : table) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  const auto meant = closest(name, names);
  bad_input("unknown option '" + name + "'" +
            (meant ? ", did you mean '" + *meant + "'?" : "; --help lists them"));
}

}  // namespace

bool parse_options(const OptionTable& table, const std::vector<std::string>& arguments) {
  std::set<std::string> given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") return false;
    if (!argument.starts_with("-")) bad_input("'" + argument + "' is no option; --help lists them");
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const Option& option = find_option(table, name);
    if (!given.insert(option.name).second) bad_input(option.name + " is given twice");
    const bool alone =
        equals == std::string::npos &&
        (i + 1 == arguments.size() || (!option.bare.empty() && arguments[i + 1].starts_with("-")));
    if (alone && option.bare.empty()) bad_input(option.name + " wants a value");
    if (alone)
      option.set(option.bare);
    else
      option.set(equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1));
  }
  return true;
}

std::string help_text(const std::string& intro, const OptionTable& table) {
  std::size_t name_width = 0, standard_width = 0;
  for (const auto& option : table) {
    name_width = std::max(name_width, option.name.size());
    standard_width = std::max(standard_width, option.standard.size());
  }
  std::string result = intro + "\n\n";
  for (const auto& option : table)
    result += text("  %-*s  %-*s  %s\n", static_cast<int>(name_width), option.name.c_str(),
                   static_cast<int>(standard_width), option.standard.c_str(), option.help.c_str());
  return result;
}

}  // namespace pippin::probes
