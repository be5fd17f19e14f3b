/* Batches of equally likely rows, with or without replacement: R's sample.int() for each batch. */

#include "../core/kinds.hpp"
#include "../core/scatter.hpp"

namespace pystrat {
namespace {

class Uniform : public Sampler {
 public:
  Uniform(const Values &given, uint32_t, Host &)
      : n_rows(given.count("n_rows")), replacement(given.flag("replacement")) {
    if (!replacement && given.whole("batch_size", 1) > static_cast<double>(n_rows)) {
      refuse("batch_size", "", text("be at most ", n_rows, ", the number of rows, without replacement"));
    }
    batch_size = given.count("batch_size");
    n_batches = batches_of_size(given, n_rows, batch_size);
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    check_most_rows(n_batches, batch_size, host);
    int64_t n_drawn = batch_size * n_batches;
    int32_t *rows = host.make<int32_t>("rows", n_drawn);
    give_offsets(n_batches, batch_size, host);
    replacement ? draw_replaced(generator, n_drawn, rows, host) : draw_subsets(generator, rows, host);
    host.number_rows(rows, n_drawn);
  }

  double bytes() const override {
    double n_pool = replacement ? 0 : static_cast<double>(n_rows + batch_size);
    return 4 * n_pool + (4 * static_cast<double>(batch_size) + 32) * static_cast<double>(n_batches);
  }

 private:
  void draw_replaced(Generator &generator, int64_t n_drawn, int32_t *rows, Host &host) const {
    uint32_t limit = static_cast<uint32_t>(n_rows), bits = bits_below(limit);
    host.in_steps(n_drawn, [&](int64_t begin, int64_t end) {
      uint32_t *places = reinterpret_cast<uint32_t *>(rows + begin);
      generator.draw_indices(limit, 0, bits, static_cast<uint32_t>(end - begin), places);
    });
  }

  void draw_subsets(Generator &generator, int32_t *rows, Host &host) {
    if (pool.empty()) pool = in_order(n_rows);
    Numbers<uint32_t> places(static_cast<size_t>(batch_size));
    for (int64_t batch = 0; batch < n_batches; batch++) {
      draw_subset(generator, places, rows + batch * batch_size, host);
    }
  }

  /* Draw one batch; the pool is 0, 1, ... again afterwards, also if it was interrupted. */
  void draw_subset(Generator &generator, Numbers<uint32_t> &places, int32_t *rows, Host &host) {
    uint32_t size = static_cast<uint32_t>(batch_size), drawn = 0;
    struct PutBack {
      Rows &pool;
      const Numbers<uint32_t> &places;
      const uint32_t &drawn;
      ~PutBack() { put_rows_back(pool.data(), places.data(), drawn); }
    } put_back{pool, places, drawn};
    while (drawn < size) {
      uint32_t end = static_cast<uint32_t>(std::min<int64_t>(size, drawn + Host::STEPS));
      draw_subset_part(generator, pool.data(), static_cast<uint32_t>(n_rows), drawn, end, places.data(), rows);
      host.go_on(end - std::exchange(drawn, end));
    }
  }

  int64_t n_rows, batch_size;
  bool replacement;
  Rows pool; /* n_rows: 0, 1, ... between two batches; made by the first epoch without replacement */
};

}  // namespace

const Kind uniform_kind = {
    "uniform",
    Table{optional(whole("n_rows", LARGEST_COUNT)), whole("batch_size"), flag("replacement"),
          optional(whole("n_batches", LARGEST_COUNT))} +
        SHARING,
    make<Uniform>, {"n_rows"},
};

}  // namespace pystrat
