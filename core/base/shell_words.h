// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pippin {

using ShellWords = std::vector<std::string>;

/// The simple commands of a text of bash, in order, each as its words: without quotes, comments and
/// redirections, with what `env` and assignments before it say of variables and arrays. What bash
/// alone knows stands as it does there: "$NAME", "$(date)"; so does a variable that is assigned in
/// a branch or a loop, or by one, or read. Of a word in quotes there is one, whatever it holds.
std::vector<ShellWords> shell_commands(
    std::string_view text, const std::vector<std::pair<std::string, std::string>>& env = {});

/// Whether bash knows more of a word than shell_commands().
bool has_unknown(std::string_view word);

}  // namespace pippin
