// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/gather.h"

namespace pippin::probes {

namespace {

std::int64_t length(const std::vector<double>& row) {
  return static_cast<std::int64_t>(row.size());
}

}  // namespace

std::vector<double> gathered(Communicator& comm, const std::vector<double>& mine) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(comm.size()));
  comm.all_gather(mine.data(), all.data(), length(mine), Element::kDouble);
  return all;
}

std::vector<double> gathered(Communicator& comm, double mine) {
  return gathered(comm, std::vector<double>{mine});
}

std::vector<std::string> gathered(Communicator& comm, const std::string& mine) {
  const auto width = static_cast<std::size_t>(largest(comm, static_cast<double>(mine.size())));
  std::string padded = mine, all(width * static_cast<std::size_t>(comm.size()), '\0');
  padded.resize(width, '\0');
  comm.all_gather(padded.data(), all.data(), static_cast<std::int64_t>(width), Element::kByte);
  std::vector<std::string> words;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::string word = all.substr(static_cast<std::size_t>(rank) * width, width);
    words.push_back(word.substr(0, word.find('\0')));
  }
  return words;
}

std::vector<double> largest(Communicator& comm, const std::vector<double>& mine) {
  std::vector<double> all(mine.size());
  comm.all_reduce(mine.data(), all.data(), length(mine), Element::kDouble, Reduction::kMax);
  return all;
}

double largest(Communicator& comm, double mine) {
  return largest(comm, std::vector<double>{mine}).front();
}

}  // namespace pippin::probes
