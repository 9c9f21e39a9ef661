// SPDX-License-Identifier: Apache-2.0
#include "core/base/utf8.h"

#include <utf8proc.h>

namespace pippin {

namespace {

bool steers(utf8proc_int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return false;
  }
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80)  // nearly always
    return {text.substr(0, 1), 1, true, byte, byte < ' ' || byte == 0x7F};
  utf8proc_int32_t code = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (length <= 0) return {text.substr(0, 1), 1, false, byte, false};
  return {text.substr(0, static_cast<std::size_t>(length)),
          static_cast<std::size_t>(utf8proc_charwidth(code)), true,
          static_cast<std::uint32_t>(code), steers(code)};
}

}  // namespace pippin
