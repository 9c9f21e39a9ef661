// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pippin {

/// The checksum of a record: crc32c, turned and moved so that a record that holds records is safe.
/// Source: github.com/tensorflow/tensorflow, core/lib/hash/crc32c.h.
std::uint32_t masked_crc32c(std::string_view bytes);

/// What a TensorBoard event says under one tag: a text, or else a number.
struct EventValue {
  double wall_time = 0;   ///< seconds since 1970
  std::int64_t step = 0;  ///< as the trainer counts
  std::string_view tag;
  double number = 0;
  std::string_view text;
  bool is_text = false;
};

/// Takes an event file in parts, in the memory of its largest record. What is torn at the end, as
/// of a file that is still written, is left out.
/// Source: github.com/tensorflow/tensorflow, core/lib/io/record_writer.h; core/util/event.proto;
/// core/framework/summary.proto and tensor.proto.
class EventReader {
 public:
  /// `begin` hears of the time of the first event, `take` of every scalar and text, in their order;
  /// all others are passed over.
  EventReader(std::function<void(double wall_time)> begin,
              std::function<void(const EventValue&)> take);

  /// Errors: Error (bad input) of a broken record before the end, and of one that is too large.
  void add(std::string_view part);

 private:
  void read_record(std::string_view record);

  std::function<void(double wall_time)> begin_;
  std::function<void(const EventValue&)> take_;
  std::string held_;      ///< records that are not whole yet
  std::size_t at_ = 0;    ///< where in the file that begins
  bool in_hole_ = false;  ///< nothing but NULs came since
};

/// Whether the beginning of a file is that of an event file. Shape: 64 bytes of it suffice.
bool begins_as_events(std::string_view head);

}  // namespace pippin
