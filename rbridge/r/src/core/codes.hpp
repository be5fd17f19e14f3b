/* The stratum or the group of each row; rows that are in no batch have the number of strata. */

#pragma once

#include <array>

#include "host.hpp"

namespace pystrat {

struct Codes {
  View<uint8_t> bytes;
  View<int32_t> integers;
  int64_t n_rows = 0, n_strata = 0;
  List<int64_t> counts; /* n_strata + 1: the rows of each stratum, then those that are in no batch */

  Codes(
      const Values &given, Host &host, const std::string &name = "codes", const std::string &noun = "strata"
  ) {
    if (const auto *found = std::get_if<View<uint8_t>>(&given[name])) {
      bytes = *found;
    } else {
      integers = given.array<int32_t>(name, text("be numbers of ", noun, ", raw or integer"));
    }
    n_rows = bytes.length + integers.length;
    if (n_rows > LARGEST_COUNT) refuse(name, "", text("have at most ", LARGEST_COUNT, " values"));
    n_strata = given.count("n_" + noun, 1, static_cast<double>(n_rows));
    counts = List<int64_t>(n_strata + 1);
    bool are_valid = bytes.values != nullptr ? count_bytes(host) : count_integers(host);
    if (!are_valid) refuse(name, "others", text("be numbers of ", noun, " from 0, or the number of ", noun));
    if (std::find(counts.begin(), counts.end() - 1, 0) != counts.end() - 1) {
      refuse(name, "fewer", text("have rows of all ", noun));
    }
  }

  int64_t operator[](int64_t row) const { return bytes.values != nullptr ? bytes[row] : integers[row]; }

  int64_t rows_of(int64_t stratum) const { return counts[stratum]; }
  List<int64_t> rows_of_strata() const { return {counts.begin(), counts.end() - 1}; }

  Rows copied() const {
    Rows rows(n_rows);
    for (int64_t row = 0; row < n_rows; row++) rows[row] = static_cast<int32_t>((*this)[row]);
    return rows;
  }

 private:
  bool count_integers(Host &host) {
    bool are_valid = true;
    host.in_steps(n_rows, [&](int64_t begin, int64_t end) {
      uint32_t most = 0;
      for (int64_t row = begin; row < end; row++) most = std::max(most, static_cast<uint32_t>(integers[row]));
      are_valid = are_valid && most <= n_strata;
      for (int64_t row = begin; row < end && are_valid; row++) counts[integers[row]]++;
    });
    return are_valid;
  }

  /* In tables in turn: an addition would wait for the one before of the same code. */
  bool count_bytes(Host &host) {
    std::array<std::array<int64_t, 256>, 4> tables = {};
    host.in_steps(n_rows, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) tables[size_t(row) % 4][bytes[row]]++;
    });
    for (size_t code = 0; code < 256; code++) {
      int64_t count = tables[0][code] + tables[1][code] + tables[2][code] + tables[3][code];
      if (code < counts.size()) counts[code] = count;
      if (code >= counts.size() && count > 0) return false;
    }
    return true;
  }
};

}  // namespace pystrat
