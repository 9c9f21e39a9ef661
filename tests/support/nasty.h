// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pippin::test {

/// Texts that are data to us and code, separators or traps to a shell.
inline const std::vector<std::string>& nasty_texts() {
  static const std::vector<std::string> kTexts{
      "plain",
      "two words",
      "it's",
      "\"quoted\"",
      "$(touch pwned)",
      "`touch pwned`",
      "$HOME",
      "${IFS}",
      "a\nb",
      "a\tb",
      ":",
      "a:b",
      "!",
      "!!",
      "*",
      "?[a-z]",
      "~",
      "~root",
      "-rf",
      "--",
      "a;touch pwned",
      "a&touch pwned",
      "a|b",
      "a>b",
      "#no comment",
      "\\",
      "a\\",
      "\\n",
      "{a,b}",
      "a=b",
      "%s %d",
      "grün ü",
      "\x01\x7f",
      "$'x'",
      "'",
      "\"",
      "",
      " ",
      "$(touch pwned)'\";rm -rf ~ :",
  };
  return kTexts;
}

}  // namespace pippin::test
