#include "core/base/utf8.h"

#include <utf8proc.h>

namespace pippin {

Character first_character(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return {text.substr(0, 1)};  // nearly always
  utf8proc_int32_t code = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (length <= 0) return {text.substr(0, 1), 1, false};
  return {text.substr(0, static_cast<std::size_t>(length)),
          static_cast<std::size_t>(utf8proc_charwidth(code))};
}

}  // namespace pippin
