#include "harness/records/sweep.h"

#include <stdexcept>

namespace pippin {

std::string_view text_of(Order order) {
  switch (order) {
    case Order::kBlocks:
      return "blocks";
    case Order::kSequential:
      return "sequential";
    case Order::kShuffled:
      return "shuffled";
  }
  throw std::logic_error("unnamed Order");
}

std::string_view text_of(Pack pack) {
  switch (pack) {
    case Pack::kBlock:
      return "block";
    case Pack::kPoint:
      return "point";
  }
  throw std::logic_error("unnamed Pack");
}

}  // namespace pippin
