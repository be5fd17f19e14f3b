/* The auxiliary values of the draws of a tree, and sequences of draws with them. */

#pragma once

#include "../core/numbers.hpp"
#include "draws.hpp"
#include "normal.hpp"

namespace pystrat {

/* Those of a user are the host's. */
enum Function : uint8_t { OF_USER, UNIFORM, NORMAL, INTEGERS_BETWEEN, CHOICE, CYCLE, COUNTER };

/* A function and its arguments; that of CHOICE and CYCLE is the number of items, as `second`. */
struct DrawnValue {
  uint8_t function;
  double first, second;

  bool has_stream() const { return function >= UNIFORM && function <= CHOICE; }

  bool is_valid() const {
    bool are_finite = std::fabs(first) <= 1e300 && std::fabs(second) <= 1e300; /* as are differences and quantiles */
    switch (function) {
      case OF_USER:
      case COUNTER: return true;
      case UNIFORM: return are_finite && first < second;
      case NORMAL: return are_finite && second > 0;
      case INTEGERS_BETWEEN:
        return std::floor(first) == first && std::floor(second) == second && first <= second &&
               std::fabs(first) < LARGEST_EXACT && std::fabs(second) < LARGEST_EXACT && second - first < LARGEST_EXACT;
      case CHOICE:
      case CYCLE: return second >= 1 && second <= double(LARGEST_COUNT);
      default: return false;
    }
  }

  /* Draw the numbers of `count` draws, before which there were `position`; those of CHOICE are places of items. */
  void draw(Generator &stream, int64_t position, int64_t count, double *numbers, Host &host) const {
    for (int64_t size; count > 0; count -= size, position += size, numbers += size) {
      size = std::min<int64_t>(BLOCK_SIZE, count);
      draw_block(stream, position, size, numbers);
      host.go_on(size);
    }
  }

 private:
  void draw_block(Generator &stream, int64_t position, int64_t count, double *numbers) const {
    if (function == CYCLE || function == COUNTER) {
      for (int64_t i = 0; i < count; i++) {
        numbers[i] = static_cast<double>(function == CYCLE ? (position + i) % int64_t(second) : position + i);
      }
    } else if (function == INTEGERS_BETWEEN || function == CHOICE) {
      int64_t indices[BLOCK_SIZE];
      stream.draw(int64_t(function == CHOICE ? second : second - first + 1), count, indices);
      for (int64_t i = 0; i < count; i++) numbers[i] = first + static_cast<double>(indices[i]);
    } else {
      std::generate_n(numbers, count, [&] { return stream.uniform(); });
      if (function == NORMAL) return make_normal(count, first, second, numbers);
      for (int64_t i = 0; i < count; i++) numbers[i] = first + rounded_product(second - first, numbers[i]);
    }
  }
};

/* Read the functions of a request, each a number and two arguments; hosts name the one that is refused. */
inline List<DrawnValue> read_values(const Values &given) {
  List<DrawnValue> values;
  if (!given.has("functions")) return values;
  const View<double> numbers = given.array<double>("functions", "be functions and their arguments");
  if (numbers.length % 3 != 0) refuse("recipe", "others", "have two arguments of each function");
  for (int64_t i = 0; i < numbers.length / 3; i++) {
    constexpr uint8_t UNKNOWN = COUNTER + 1;
    double function = numbers[3 * i];
    uint8_t known = function >= 0 && function < UNKNOWN ? static_cast<uint8_t>(function) : UNKNOWN;
    values.push_back({known, numbers[3 * i + 1], numbers[3 * i + 2]});
    if (values.back().is_valid()) continue;
    refuse(
        "auxiliary", "{stratum}",
        "map names to functions: uniform(a, b), normal(m, s), integers(a, b), choice([...]), cycle([...]) or "
        "counter(), with a < b, s > 0 and values of one kind",
        "", i
    );
  }
  return values;
}

inline int64_t count_drawn(const List<DrawnValue> &values) {
  return std::count_if(values.begin(), values.end(), [](const DrawnValue &value) { return value.function != OF_USER; });
}

/* The draws of one seed, with their auxiliary values. */
class Sequence {
 public:
  Sequence(const Nodes &nodes, const Drawing &drawing, const List<DrawnValue> &values, bool keeps)
      : draws(nodes, drawing, keeps), n_nodes(nodes.count()), values(values), streams(values.size()) {}

  void begin(uint32_t seed) {
    draws.begin(seed);
    position = 0;
    for (int64_t i = 0; i < values.count(); i++) {
      if (values[i].has_stream()) streams[i].begin(stream_seed(seed, n_nodes + i));
    }
  }

  /* Draw the next rows, and the numbers of one value after another. */
  void draw(int64_t count, int32_t *rows, double *numbers, Host &host) {
    draws.draw(count, rows, host);
    for (int64_t i = 0; i < values.count(); i++) {
      if (values[i].function == OF_USER) continue;
      values[i].draw(streams[i], position, count, numbers, host);
      numbers += count;
    }
    position += count;
  }

 private:
  Draws draws;
  int64_t n_nodes, position = 0;
  const List<DrawnValue> &values;
  List<Generator> streams;
};

}  // namespace pystrat
