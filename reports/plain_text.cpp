// SPDX-License-Identifier: Apache-2.0
#include "reports/plain_text.h"

#include <array>

namespace pippin {

namespace {

struct Sign {
  std::string_view sign, ascii;
};
constexpr std::array<Sign, 14> kSigns{{{"±", "+-"},
                                       {"×", "x"},
                                       {"–", "-"},
                                       {"—", "-"},
                                       {"−", "-"},
                                       {"─", "-"},
                                       {"…", "~"},
                                       {"·", "."},
                                       {"•", "o"},
                                       {"●", "O"},
                                       {"‹", "<"},
                                       {"›", ">"},
                                       {"→", ">"},
                                       {"µ", "u"}}};

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string ascii_of(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    std::size_t length = 1;
    while (!is_ascii(text.front()) && length < text.size() && continues(text[length])) ++length;
    std::string_view ascii = is_ascii(text.front()) ? text.substr(0, 1) : "?";
    for (const auto& sign : kSigns) {
      if (text.substr(0, length) == sign.sign) ascii = sign.ascii;
    }
    plain += ascii;
    text.remove_prefix(length);
  }
  return plain;
}

}  // namespace pippin
