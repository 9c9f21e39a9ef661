// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// `text` as exactly one bash word, whatever it holds: bare where that is safe, else single-quoted;
/// control characters as $'\n'. Requires no NUL.
std::string bash_word(std::string_view text);

/// The words of a command as one line of bash that runs them as they are: what is code to bash is
/// data. {name} stays a placeholder, and NAME=VALUE in front of the program an assignment. Requires
/// no NUL.
std::string bash_command(const std::vector<std::string>& words);

/// What stands for a placeholder.
struct Filling {
  enum class Kind {
    kData,      ///< text that must reach the program as it is
    kVariable,  ///< the name of a bash variable that the script sets: "MASTER_ADDR"
    kCode,      ///< bash: the launch line
  };
  Kind kind = Kind::kData;
  std::string text;
};

/// The bash code `code` with every {name} replaced by what `filling` gives for it, so that a value
/// stays data in whatever quotes the placeholder stands: bare, '…', "…" or $'…'. Quotes within
/// quotes and here-documents are not followed: data that may stand there belongs into a variable.
/// Errors: what `filling` throws for a name it does not know.
std::string filled(std::string_view code,
                   const std::function<Filling(const std::string&)>& filling);

}  // namespace pippin
