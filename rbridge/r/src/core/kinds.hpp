/* The kinds of samplers. A kind is its parameters and its algorithm, a source file in a folder of this library.
 *
 * A recipe is a request: planning is deterministic, so whoever reads a recipe checks it and plans again.
 */

#pragma once

#include <cinttypes>
#include <cstdio>
#include <memory>

#include "digest.hpp"
#include "generator.hpp"
#include "table.hpp"

namespace pystrat {

/* What draws the epochs of a recipe, whose values outlive it. */
class Sampler {
 public:
  virtual ~Sampler() = default;
  /* Draw an epoch: "rows", "offsets" and further results. The generator begins the stream of the epoch. */
  virtual void draw(Generator &generator, uint32_t epoch, Host &host) = 0;
  /* The memory that an instance and an epoch need besides the recipe, at most. */
  virtual double bytes() const = 0;
  /* Give what follows from the recipe, besides the number of batches. */
  virtual void describe(Host &) const {}
  virtual bool has_unused_seed() const { return false; }
  virtual int64_t batches_of(uint32_t) const { return n_batches; }
  /* What fingerprints show of the numbers of batches. */
  virtual std::string identity() const { return text(n_batches); }

  int64_t n_batches = 0; /* of the first epoch */
};

/* A sampler whose batches depend on feedback. Its state is vectors that the host owns and the core changes in place; a
 * call that fails leaves them as they were.
 */
class Feedback : public Sampler {
 public:
  void draw(Generator &, uint32_t, Host &) override {} /* draw_more() does it */
  /* Check the state of a recipe, or without one begin a new sampler, and make the vectors: the results. */
  virtual void begin(const Values &given, Host &host) = 0;
  /* Draw "rows": "count" batches, or "count" times "k" rows outside of epochs. Nothing but the generator changes. */
  virtual void draw_more(const Values &state, const Values &wanted, Generator &generator, Host &host) = 0;
  /* Change the state as the method of this name does. */
  virtual void tell(const Values &state, const std::string &method, const Values &told, Host &host) = 0;
  /* Give the values of this name, or the "state" of a recipe. */
  virtual void ask(const Values &state, const std::string &name, const Values &asked, Host &host) = 0;
};

/* What answers a question of the host, by describe(), and draws nothing. */
class Answer : public Sampler {
 public:
  void draw(Generator &, uint32_t, Host &) override {}
  double bytes() const override { return 0; }
};

struct Kind {
  const char *name;
  Table parameters;
  std::unique_ptr<Sampler> (*make)(const Values &given, uint32_t seed, Host &host);
  std::vector<std::string> data = {}; /* what the host makes of rows and names; a whole request has the first one */
  std::vector<Relation> relations = {};
  void (*check)(const Values &given) = nullptr; /* relations of other forms */
  std::vector<std::string> unidentified = {};   /* what no fingerprint has, besides the replicas */
};

/* The answer that is a function of the request. */
template <void (*answer)(const Values &given, Host &host)>
struct AnswerOf : Answer {
  const Values &given;

  AnswerOf(const Values &given, uint32_t, Host &) : given(given) {}

  void describe(Host &host) const override { answer(given, host); }
};

template <class T>
std::unique_ptr<Sampler> make(const Values &given, uint32_t seed, Host &host) {
  return std::make_unique<T>(given, seed, host);
}

extern const Kind uniform_kind, stratified_kind, downsampled_kind, one_stratum_kind, strata_subset_kind, per_label_kind,
    no_duplicates_kind, stratified_group_kind, stream_kind, pairs_kind, triples_kind, tree_kind, tree_root_kind,
    tree_node_kind, weighted_kind, prioritized_kind, sum_tree_kind, perplexity_kind, by_length_kind,
    min_samples_for_batch_size_kind, permutation_kind, digest_kind, difference_kind, state_kind, number_values_kind,
    random_stream_kind, sharded_kind, sharded_plan_kind, multilabel_kind, stratified_split_kind, density_weights_kind,
    class_weights_kind, correct_probabilities_kind, advice_kind, epoch_subset_kind, mixture_kind, rare_events_kind,
    rules_kind;

/* Return the kind of this name, or NULL. */
inline const Kind *find_kind(const std::string &name) {
  for (const Kind *kind : {
           &uniform_kind, &stratified_kind, &downsampled_kind, &one_stratum_kind, &strata_subset_kind, &per_label_kind,
           &no_duplicates_kind, &stratified_group_kind, &stream_kind, &pairs_kind, &triples_kind, &tree_kind,
           &tree_root_kind, &tree_node_kind, &weighted_kind, &prioritized_kind, &sum_tree_kind, &perplexity_kind,
           &by_length_kind, &min_samples_for_batch_size_kind, &permutation_kind, &digest_kind, &difference_kind,
           &state_kind, &number_values_kind, &random_stream_kind, &sharded_kind, &sharded_plan_kind, &multilabel_kind,
           &stratified_split_kind, &density_weights_kind, &class_weights_kind, &correct_probabilities_kind,
           &advice_kind, &epoch_subset_kind, &mixture_kind, &rare_events_kind, &rules_kind,
       }) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

/* What hosts call. Each function returns whether it succeeded; else the host has the refusal, or has failed itself.
 */
template <class Work>
bool attempt(Host &host, Work work) {
  try {
    work();
    return true;
  } catch (const Refusal &refusal) {
    host.refusal = refusal;
  } catch (const Left &) {
  }
  return false;
}

inline Values checked_by(const Kind &kind, const Values &given) {
  Values values = checked(kind.parameters, kind.relations, given);
  if (kind.check != nullptr) kind.check(given);
  return values;
}

/* Check the arguments of a request, and give them as a recipe has them. */
inline bool check_request(const Kind &kind, const Values &given, Host &host) {
  return attempt(host, [&] {
    for (const auto &[name, value] : checked_by(kind, given).items) give(name.c_str(), value, host);
  });
}

/* Refuse what is neither a parameter that recipes have nor data. */
inline void check_names(const Kind &kind, const Values &given) {
  for (const auto &[name, value] : given.items) {
    bool is_known = std::find(kind.data.begin(), kind.data.end(), name) != kind.data.end();
    for (const Parameter &parameter : kind.parameters) is_known = is_known || name == parameter.name;
    if (is_known) continue;
    refuse("recipe", "'" + name + "'", text("have the vectors of the kind '", kind.name, "' in 'parts'"));
  }
}

/* Plan a request or a recipe, which is checked again. */
inline bool begin_sampler(
    const Kind &kind, const Values &given, uint32_t seed, std::unique_ptr<Sampler> &sampler, Host &host
) {
  return attempt(host, [&] {
    check_names(kind, given);
    checked_by(kind, given);
    sampler = kind.make(given, seed, host);
    host.need(sampler->bytes());
  });
}

/* Give what a kind says of a request; without its data, only check the arguments. */
inline bool answer_request(const Kind &kind, const Values &given, Host &host) {
  return attempt(host, [&] {
    checked_by(kind, given);
    if (!kind.data.empty() && !given.has(kind.data[0])) return;
    std::unique_ptr<Sampler> sampler = kind.make(given, 0, host);
    host.number("n_batches", static_cast<double>(sampler->n_batches));
    sampler->describe(host);
  });
}

inline bool describe_sampler(const Sampler &sampler, Host &host) {
  return attempt(host, [&] {
    host.number("n_batches", static_cast<double>(sampler.n_batches));
    sampler.describe(host);
  });
}

inline bool begin_state(Sampler &sampler, const Values &given, Host &host) {
  return attempt(host, [&] { static_cast<Feedback &>(sampler).begin(given, host); });
}

inline bool draw_more(
    Sampler &sampler, const Values &state, const Values &wanted, Generator &generator, Host &host
) {
  return attempt(host, [&] { static_cast<Feedback &>(sampler).draw_more(state, wanted, generator, host); });
}

inline bool tell(
    Sampler &sampler, const Values &state, const std::string &method, const Values &told, Host &host
) {
  return attempt(host, [&] { static_cast<Feedback &>(sampler).tell(state, method, told, host); });
}

inline bool ask(Sampler &sampler, const Values &state, const std::string &name, const Values &asked, Host &host) {
  return attempt(host, [&] { static_cast<Feedback &>(sampler).ask(state, name, asked, host); });
}

inline bool draw_epoch(Sampler &sampler, uint32_t seed, uint32_t epoch, Host &host) {
  return attempt(host, [&] {
    Generator generator(epoch_seed(seed, epoch));
    sampler.draw(generator, epoch, host);
  });
}

/* A value as a fingerprint has it: a whole number or a text as it is, and of others a digest. */
inline std::string identified(const Value &value, Host &host) {
  if (const bool *flag = std::get_if<bool>(&value)) return shown(static_cast<int32_t>(*flag));
  if (const std::string *text = std::get_if<std::string>(&value)) return *text;
  Digest digest;
  auto add = [&](const auto &view) {
    for (double number : view) {
      digest.add_number(number);
      host.go_on(1);
    }
  };
  const auto *integers = std::get_if<View<int32_t>>(&value);
  const auto *doubles = std::get_if<View<double>>(&value);
  if (integers != nullptr && integers->length == 1) return shown((*integers)[0]);
  const double *number = doubles != nullptr && doubles->length == 1 ? doubles->values : std::get_if<double>(&value);
  if (number != nullptr) {
    if (std::floor(*number) == *number && std::fabs(*number) <= LARGEST_EXACT) return shown(int64_t(*number));
    add(View<double>{number, 1});
  } else if (doubles != nullptr) {
    add(*doubles);
  }
  if (integers != nullptr) add(*integers);
  if (const auto *bytes = std::get_if<View<uint8_t>>(&value)) {
    for (int64_t begin = 0; begin < bytes->length; begin += Host::STEPS) {
      digest.add_bytes(bytes->values + begin, std::min(Host::STEPS, bytes->length - begin));
      host.go_on();
    }
  }
  char hexadecimal[17];
  std::snprintf(hexadecimal, sizeof hexadecimal, "%016" PRIx64, digest.hash);
  return hexadecimal;
}

/* Give the "fingerprint": text that is equal for samplers with the same batches, such as "kind=uniform seed=1 ...". */
inline bool identify_sampler(
    const Kind &kind, const Sampler &sampler, const Values &recipe, uint32_t seed, Host &host
) {
  return attempt(host, [&] {
    std::string shared = text("kind=", kind.name);
    if (!sampler.has_unused_seed()) shared += text(" seed=", static_cast<int64_t>(seed));
    for (const auto &[name, value] : recipe.items) {
      const auto &others = kind.unidentified;
      if (name == "num_replicas" || name == "n_batches") continue;
      if (std::find(others.begin(), others.end(), name) != others.end()) continue;
      shared += " " + name + "=" + identified(value, host);
    }
    shared += " n_batches=" + sampler.identity();
    host.give("fingerprint", reinterpret_cast<const uint8_t *>(shared.data()), static_cast<int64_t>(shared.size()));
  });
}

}  // namespace pystrat
