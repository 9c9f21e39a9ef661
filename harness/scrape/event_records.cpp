// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/event_records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/error.h"

namespace pippin {

namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  constexpr std::uint32_t kCastagnoli = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kCastagnoli : 0);
    table[byte] = crc;
  }
  return table;
}

/// The number that the first bytes are, least first. Requires as many.
template <typename Number>
Number little_endian(std::string_view bytes) {
  Number number = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;)
    number = static_cast<Number>(number << 8 | static_cast<unsigned char>(bytes[i]));
  return number;
}

constexpr std::size_t kLengthBytes = 8, kCrcBytes = 4, kHeadBytes = kLengthBytes + kCrcBytes;

bool is_all_nul(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

/// The next record, which is taken off the front of `rest`. Nothing: it is not whole, or the last
/// one and torn. `at`: where in the file it begins.
std::optional<std::string_view> next_record(std::string_view& rest, std::size_t at) {
  if (rest.size() < kHeadBytes) return std::nullopt;
  const auto length = little_endian<std::uint64_t>(rest);
  if (masked_crc32c(rest.substr(0, kLengthBytes)) !=
      little_endian<std::uint32_t>(rest.substr(kLengthBytes)))
    bad_input("TensorBoard's record at byte {} is broken: its length has a wrong checksum", at);
  constexpr std::uint64_t kMostBytes = 0x7fffffff;  // of a protobuf
  if (length > kMostBytes)
    bad_input("TensorBoard's record at byte {} has {} bytes; {} is the most", at, length,
              kMostBytes);
  const auto body = rest.substr(kHeadBytes);
  if (body.size() < length + kCrcBytes) return std::nullopt;
  const auto data = body.substr(0, length), behind = body.substr(length + kCrcBytes);
  if (masked_crc32c(data) == little_endian<std::uint32_t>(body.substr(length))) {
    rest = behind;
    return data;
  }
  if (behind.empty()) return std::nullopt;
  bad_input("TensorBoard's record at byte {} is broken: its bytes have a wrong checksum", at);
}

/// A field of a protobuf. Shape: `whole` of what has a fixed size or is a varint, else `bytes`.
struct Field {
  std::uint64_t number = 0;
  unsigned wire = 0;
  std::uint64_t whole = 0;
  std::string_view bytes;
};

enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// The fields of a message; of a broken one those before the break. Its checksum is right: who
/// wrote it wrote that.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  std::optional<Field> next() {
    const auto key = varint();
    if (!key || *key >> 3 == 0) return std::nullopt;
    Field field{*key >> 3, static_cast<unsigned>(*key & 7), 0, {}};
    if (field.wire == kVarint) {
      const auto whole = varint();
      if (!whole) return std::nullopt;
      field.whole = *whole;
      return field;
    }
    const auto size = size_of(field.wire);
    if (!size || *size > rest_.size()) return std::nullopt;
    field.bytes = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    if (field.wire == kFixed32) field.whole = little_endian<std::uint32_t>(field.bytes);
    if (field.wire == kFixed64) field.whole = little_endian<std::uint64_t>(field.bytes);
    return field;
  }

 private:
  std::optional<std::uint64_t> size_of(unsigned wire) {
    if (wire == kBytes) return varint();
    if (wire == kFixed32) return sizeof(std::uint32_t);
    if (wire == kFixed64) return sizeof(std::uint64_t);
    return std::nullopt;  // groups are of old
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return number;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

double float_of(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

std::optional<double> number_in(std::string_view bytes, bool is_double) {
  if (bytes.size() != (is_double ? sizeof(double) : sizeof(float))) return std::nullopt;
  return is_double ? std::bit_cast<double>(little_endian<std::uint64_t>(bytes))
                   : float_of(little_endian<std::uint32_t>(bytes));
}

/// Sets the value that a tensor of one element has; false of any other.
bool read_tensor(std::string_view tensor, EventValue& value) {
  enum Part : std::uint64_t { kType = 1, kContent = 4, kFloats = 5, kDoubles = 6, kStrings = 8 };
  constexpr std::uint64_t kFloat = 1, kDouble = 2;
  std::uint64_t type = 0;
  std::optional<double> number;
  std::string_view content;
  std::size_t elements = 0;
  Fields fields(tensor);
  while (const auto field = fields.next()) {
    if (field->number == kType) type = field->whole;
    if (field->number == kContent) content = field->bytes;
    if (field->number < kFloats || field->number > kStrings) continue;
    ++elements;
    if (field->number == kFloats) number = number_in(field->bytes, false);
    if (field->number == kDoubles) number = number_in(field->bytes, true);
    if (field->number == kStrings) value.text = field->bytes;
    value.is_text = field->number == kStrings;
  }
  if (elements == 0 && (type == kFloat || type == kDouble)) {
    number = number_in(content, type == kDouble);
    elements = 1;
  }
  value.number = number.value_or(0);
  return elements == 1 && (number || value.is_text);
}

/// A value of a summary; false of what is no scalar and no text.
bool read_value(std::string_view message, EventValue& value) {
  enum Part : std::uint64_t { kTag = 1, kSimpleValue = 2, kTensor = 8 };
  bool is_known = false;
  Fields fields(message);
  while (const auto field = fields.next()) {
    if (field->number == kTag && field->wire == kBytes) value.tag = field->bytes;
    if (field->number == kSimpleValue && field->wire == kFixed32) {
      value.number = float_of(field->whole);
      is_known = true;
    }
    if (field->number == kTensor) is_known = read_tensor(field->bytes, value);
  }
  return is_known && !value.tag.empty();
}

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string_view version, summary;
};

Event event_of(std::string_view record) {
  enum Part : std::uint64_t { kWallTime = 1, kStep = 2, kVersion = 3, kSummary = 5 };
  Event event;
  Fields fields(record);
  while (const auto field = fields.next()) {
    if (field->number == kWallTime && field->wire == kFixed64)
      event.wall_time = std::bit_cast<double>(field->whole);
    if (field->number == kStep) event.step = static_cast<std::int64_t>(field->whole);
    if (field->number == kVersion) event.version = field->bytes;
    if (field->number == kSummary) event.summary = field->bytes;
  }
  return event;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes)
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
  constexpr std::uint32_t kMask = 0xa282ead8;
  return std::rotr(~crc, 15) + kMask;
}

EventReader::EventReader(std::function<void(double wall_time)> begin,
                         std::function<void(const EventValue&)> take)
    : begin_(std::move(begin)), take_(std::move(take)) {}

void EventReader::read_record(std::string_view record) {
  const Event event = event_of(record);
  if (at_ == 0) begin_(event.wall_time);
  Fields values(event.summary);
  while (const auto field = values.next()) {
    EventValue value;
    value.wall_time = event.wall_time;
    value.step = event.step;
    if (field->number == 1 && read_value(field->bytes, value)) take_(value);
  }
}

void EventReader::add(std::string_view part) {
  if (in_hole_ && !is_all_nul(part))
    bad_input("TensorBoard's record at byte {} is broken: nothing but NULs", at_);
  if (in_hole_) return;
  held_ += part;
  std::string_view rest = held_;
  while (!rest.empty()) {
    // What a crash leaves at the end of a file, of which only the length was written.
    in_hole_ = rest.size() >= kHeadBytes && is_all_nul(rest);
    const std::size_t before = rest.size();
    const auto record = in_hole_ ? std::nullopt : next_record(rest, at_);
    if (!record) break;
    read_record(*record);
    at_ += before - rest.size();
  }
  held_.erase(0, in_hole_ ? held_.size() : held_.size() - rest.size());
}

bool begins_as_events(std::string_view head) {
  if (head.size() < kHeadBytes) return false;
  const bool is_record = masked_crc32c(head.substr(0, kLengthBytes)) ==
                         little_endian<std::uint32_t>(head.substr(kLengthBytes));
  // Files of training data have the same records.
  const auto first = head.substr(kHeadBytes, little_endian<std::uint64_t>(head));
  return is_record && event_of(first).version.starts_with("brain.Event:");
}

}  // namespace pippin
