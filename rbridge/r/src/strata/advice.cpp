/* What follows from the rows of the strata before any training: how many rows of each stratum plain batches hold, how
 * large the minimum can be, and which sampler holds a minimum in batches of a given size.
 */

#include <numeric>

#include "../core/kinds.hpp"
#include "../core/sizes.hpp"

namespace pystrat {
namespace {

constexpr double FEW_BATCHES = 0.001; /* of plain batches may have too few rows of a stratum */

const std::string SIZE = "batch_size";

enum Advised { PLAIN, STRATIFIED, REPEATED, SOME_STRATA, WEIGHTED };

const std::string NAMES[] = {"plain", "stratified", "repeated", "some strata", "weighted"};

/* The probability of fewer than `minimum` of `count` rows in a sample of `size` of all rows, without replacement: the
 * hypergeometric distribution, from its least value on. Logarithms keep the smallest probabilities.
 */
double probability_below(int64_t minimum, int64_t count, int64_t size, int64_t n_rows, Host &host) {
  int64_t others = n_rows - count, least = std::max<int64_t>(0, size - others);
  /* With the least number, either all sampled rows are others, or all rows that are left out are of the stratum. */
  int64_t taken = least > 0 ? n_rows - size : std::min(size, count);
  double of = static_cast<double>(least > 0 ? count : size < count ? others : n_rows - size);
  double logarithm = 0, probability = 0;
  for (int64_t row = 0; row < taken && minimum > least; row++) {
    logarithm += std::log((of - static_cast<double>(row)) / static_cast<double>(n_rows - row));
    host.go_on(1);
  }
  for (int64_t held = least; held < minimum && held <= std::min(count, size); held++) {
    probability += std::exp(logarithm);
    double more = static_cast<double>(count - held) * static_cast<double>(size - held);
    logarithm += std::log(more / (static_cast<double>(held + 1) * static_cast<double>(others - size + held + 1)));
    host.go_on(1);
  }
  return std::fmin(probability, 1);
}

struct Question {
  int64_t n_strata, n_rows, fewest, size, minimum, n_batches; /* batches of a stratified epoch */
  std::string missing;
  double short_batches = 0; /* no smaller than the share of plain batches with too few rows of any stratum */
};

/* Give the "mean" and the "variance" of the rows of each stratum in plain batches, and the share with "too_few". */
void describe_plain_batches(Question &question, const std::vector<double> &counts, Host &host) {
  double size = static_cast<double>(question.size), n_rows = static_cast<double>(question.n_rows);
  double left_out = n_rows > 1 ? (n_rows - size) / (n_rows - 1) : 0;
  double *means = host.make<double>("mean", question.n_strata);
  double *variances = host.make<double>("variance", question.n_strata);
  double *too_few = host.make<double>("too_few", question.n_strata);
  for (double count : counts) {
    double share = count / n_rows;
    *means++ = size * share;
    *variances++ = size * share * (1 - share) * left_out;
    *too_few = probability_below(question.minimum, int64_t(count), question.size, question.n_rows, host);
    question.short_batches += *too_few++; /* the events may exclude each other */
  }
}

/* Give the price of the "minimums" 1, 2, 5, 10 and so on, and the largest one for this size. */
void describe_minimums(const Question &question, Host &host) {
  List<double> minimums, n_batches, sizes;
  for (int64_t power = 1; power <= question.fewest; power *= 10) {
    for (int64_t minimum : {power, 2 * power, 5 * power}) {
      if (minimum > question.fewest) break;
      minimums.push_back(static_cast<double>(minimum));
      n_batches.push_back(static_cast<double>(question.fewest / minimum));
      sizes.push_back(static_cast<double>(question.n_rows) / n_batches.back());
    }
  }
  host.give("minimums", minimums.data(), minimums.count());
  host.give("batches", n_batches.data(), minimums.count());
  host.give("mean_batch_sizes", sizes.data(), minimums.count());
  int64_t largest = question.fewest / quotient_up(question.n_rows, question.size);
  host.number("largest_minimum", static_cast<double>(largest));
}

Advised sampler_for(const Question &question) {
  if (question.n_strata == 1 || question.short_batches <= FEW_BATCHES) return PLAIN;
  if (question.fewest / question.n_batches >= question.minimum) return STRATIFIED;
  if (question.fewest < question.minimum) return WEIGHTED;
  return question.minimum <= question.size / question.n_strata ? REPEATED : SOME_STRATA;
}

std::string rows_by_weight(const Question &question, const std::string &wanted) {
  double mean = static_cast<double>(question.size) / static_cast<double>(question.n_strata);
  char shown[32];
  std::snprintf(shown, sizeof shown, "%.*f", mean == std::floor(mean) ? 0 : 2, mean);
  std::string held = text("A batch holds ", std::string(shown), " rows of each stratum on average, ");
  if (mean >= static_cast<double>(question.minimum)) {
    return held + "at random, so some batches hold fewer than " + wanted + ".";
  }
  std::string needed = count_of(question.minimum * question.n_strata, "row");
  return held + "fewer than " + wanted + ": that takes batches of " + needed + ".";
}

std::string reason_for(const Question &question, Advised sampler) {
  std::string wanted = count_of(question.minimum, "row"), rows = count_of(question.fewest, "row");
  std::string has = "The smallest stratum has " + rows, size = count_of(question.size, "row");
  switch (sampler) {
    case PLAIN:
      if (question.n_strata == 1) return "There is one stratum, so all batches are alike.";
      return "At most 1 in 1,000 plain batches has fewer than " + wanted +
             " of a stratum, so plain batches are enough.";
    case STRATIFIED:
      return "Stratified batches of this size hold at least " +
             count_of(question.fewest / question.n_batches, "row") +
             " of every stratum, and an epoch visits every row once.";
    case REPEATED:
      return has + ", too few for " + wanted + " in each of " + count_of(question.n_batches, "batch") +
             ". If rare rows are repeated, every batch holds at least " + wanted + " of every stratum.";
    case SOME_STRATA:
      if (question.size / question.minimum >= 2) {
        return "A batch has no room for " + wanted + " of each of " + text(question.n_strata) +
               " strata. With some strata in each batch, it holds at least " + wanted + " of each of them.";
      }
      return "A batch of " + size + " has no room for " + wanted + " of each of two strata. Batches of " +
             count_of(2 * question.minimum, "row") + " have it, which the code makes instead.";
    default:
      return has + ", fewer than the " + wanted + " that a batch must hold. Rows that are drawn with replacement may "
             "occur in a batch more than once. " + rows_by_weight(question, wanted);
  }
}

/* Plain batches and weights have no parameter for missing values. */
std::string reason_with_missing(const Question &question, Advised sampler) {
  std::string reason = reason_for(question, sampler);
  if (question.missing == "drop" && (sampler == PLAIN || sampler == WEIGHTED)) {
    reason += " First leave the rows without a stratum out of the dataset and the labels.";
  }
  if (question.missing == "stratum" && sampler == WEIGHTED) {
    reason += " First replace missing values of the labels with a value of their own.";
  }
  return reason;
}

/* The line of code in Python, or, with `=` instead, in R. */
std::string code_for(const Question &question, Advised sampler, bool in_r) {
  std::string is = in_r ? " = " : "=", strata = in_r ? ", strata = labels" : "", first = in_r ? "" : "labels, ";
  std::string missing = question.missing == "error" ? "" : ", missing" + is + "\"" + question.missing + "\"";
  std::string yes = in_r ? "TRUE" : "True", size = text(question.size), minimum = text(question.minimum);
  std::string stratified = (in_r ? "batch_sampler_stratified(" : "StratifiedBatchSampler(") + first;
  switch (sampler) {
    case PLAIN: /* the last batch may be small, and have too few rows of a stratum */
      return (in_r ? "torch::dataloader" : "DataLoader") + ("(dataset, batch_size" + is) + size + ", shuffle" + is +
             yes + ", drop_last" + is + yes + ")";
    case STRATIFIED: return stratified + "mean_batch_size" + is + size + strata + missing + ")";
    case REPEATED:
      return stratified + minimum + ", mean_batch_size" + is + size + ", rare" + is + "\"repeat\"" + strata + missing +
             ")";
    case SOME_STRATA: { /* at least two, because a batch of one stratum has nothing to compare */
      std::string n_strata = text(std::max<int64_t>(2, question.size / question.minimum));
      return (in_r ? "batch_sampler_strata_subset(" : "StrataSubsetBatchSampler(") + first + n_strata + ", " + minimum +
             ", exact" + is + yes + strata + missing + ")";
    }
    default:
      return (in_r ? "batch_sampler_weighted" : "WeightedBatchSampler") +
             ("(inverse_frequency_weights(labels), " + size + ")");
  }
}

void advise(const Values &given, Host &host) {
  std::vector<double> counts = given.several("counts", true);
  double size = given.whole(SIZE, 1), n_rows = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (size > n_rows) refuse(SIZE, "", text("be at most the number of rows, ", n_rows));
  Question question;
  question.n_strata = static_cast<int64_t>(counts.size());
  question.n_rows = static_cast<int64_t>(n_rows);
  question.fewest = static_cast<int64_t>(*std::min_element(counts.begin(), counts.end()));
  question.size = static_cast<int64_t>(size);
  question.minimum = given.count(MINIMUM);
  question.n_batches = count_by_mean(question.n_rows, size);
  question.missing = std::get<std::string>(given["missing"]);
  describe_plain_batches(question, counts, host);
  describe_minimums(question, host);
  Advised sampler = sampler_for(question);
  host.words("sampler", NAMES[sampler]);
  host.words("reason", reason_with_missing(question, sampler));
  host.words("python", code_for(question, sampler, false));
  host.words("r", code_for(question, sampler, true));
}

void check_minimum(const Values &given) {
  double size = given.whole(SIZE, 1);
  if (given.whole(MINIMUM, 1) > size) refuse(MINIMUM, "", text("be at most 'batch_size', ", size));
}

}  // namespace

const Kind advice_kind = {
    "advice", Table{whole(SIZE.c_str()), whole(MINIMUM.c_str()), MISSING}, make<AnswerOf<advise>>, {"counts"}, {},
    check_minimum,
};

}  // namespace pystrat
