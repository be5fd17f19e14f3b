#' @title Stratified Batch Sampler
#'
#' @description
#' Makes a batch sampler for [torch::dataloader()] and for the learners of mlr3torch.
#' Every batch holds at least `min_samples_per_stratum` rows of every stratum, and an epoch visits every row exactly
#' once.
#' Losses that need rows of every class in every batch, such as AUC-like and contrastive losses, then never meet a batch
#' without them, however rare a class is.
#'
#' Strata are groups of rows that share the values of the strata columns, in the simplest case the classes of the
#' target.
#'
#' @param min_samples_per_stratum (`integer(1)` or named `integer()`)\cr
#'   The promise `m`: each batch holds at least so many rows of each stratum; at least 1.
#'   A named vector or list, such as `c(positive = 5, negative = 20)`, promises another number for each stratum.
#'   Strata that it does not name have no promise, and are dealt evenly if they have fewer rows than there are batches.
#'   Exactly one of `min_samples_per_stratum` and `mean_batch_size` must be given, except with `rare = "repeat"`.
#' @param shuffle (`logical(1)`)\cr
#'   `TRUE` (default): rows are shuffled anew each epoch.
#'   `FALSE`: the rows of each stratum keep the order of the dataset, and every epoch has the same batches.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   What the strata are.
#'   `NULL` (default): the task says it, see section *Strata*.
#'   `character()`: names of columns of the task, or one value for each row.
#'   Anything else: one value for each row of the dataset, in the order of the dataset; of several columns every
#'   combination that occurs is a stratum.
#'   Values do not follow a task that mlr3 splits, resamples or reorders; columns of the task do.
#' @param seed (`integer(1)`)\cr
#'   Integer from 0 to 2147483646 that decides the order of the rows in all epochs.
#'   `NULL` (default): one is drawn each time the generator is called, from the generator of torch where LibTorch is
#'   installed, so that the seed of a learner governs it, otherwise from the generator of R.
#' @param mean_batch_size (`integer(1)`)\cr
#'   Instead of `min_samples_per_stratum`: the mean number of rows in a batch that is aimed at; at least 1.
#'   The number of rows divided by it, rounded half up, is the number of batches, which is at least 1.
#' @param shares (named `numeric()`)\cr
#'   The share of each stratum in every batch, such as `c(positive = 1, negative = 3)`: positive weights, which are
#'   divided by their sum.
#'   Every batch then has exactly `mean_batch_size` rows.
#'   Give numbers of few digits: the sum of the weights as whole numbers, times the rows of an epoch, must be below
#'   2^53.
#'   A batch may hold no row of a stratum whose share is less than a row; `rare` has no say in it, nor with `balance`
#'   and `drop`.
#' @param balance (`character(1)` or `integer(1)`)\cr
#'   Take equally many rows of every stratum in an epoch: as many as the largest stratum has (`"over"`), as the smallest
#'   has (`"under"`), or a given number.
#'   Batches have `mean_batch_size` rows on average.
#' @param drop (`character(1)`)\cr
#'   `"balanced"`: all batches have one size, `mean_batch_size`.
#'   The rows that are over are left out: in turn, and in proportion to what the strata can spare.
#' @param assign (`character(1)`)\cr
#'   How rows are assigned to batches.
#'   `"proportional"` (default): each stratum on its own is spread evenly over the batches.
#'   `"even"`: the rows sorted by stratum are dealt to the batches one by one, so that also the batch sizes differ by at
#'   most 1.
#' @param rare (`character(1)`)\cr
#'   What to do if a stratum has too few rows for the promise.
#'   `"error"` (default): refuse, and name the stratum, its size and the value that works.
#'   `"warn"` and `"allow"`: go on, with or without a warning.
#'   With `min_samples_per_stratum` all rows are then in one batch; with `mean_batch_size` the rows are dealt as with
#'   `assign = "even"`, and some batches hold no row of that stratum.
#'   `"repeat"`: repeat rows of rare strata, as often as the promise needs in batches of at most `mean_batch_size` rows
#'   on average; both sizes are given then.
#' @param missing (`character(1)`)\cr
#'   What to do with rows whose stratum is missing.
#'   `"error"` (default): refuse, and say how many they are.
#'   `"stratum"`: a missing value is one more value of its column.
#'   `"drop"`: the rows are never sampled.
#' @param num_replicas (`integer(1)`)\cr
#'   Number of processes that share the batches of an epoch; at least 1.
#'   The number of batches is rounded down to a multiple of it, so that batches grow and the promise holds.
#'   The batches come all, in the order of the whole epoch.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_stratified"` and `"torch_sampler"`.
#' It is a function of one argument `data_source`, the dataset, and returns an instance of the sampler.
#' mlr3torch takes the generator, [torch::dataloader()] takes the instance.
#' The data source is a [torch::dataset()], such as `mlr3torch::task_dataset()` makes, a task, a `list(task = )`, or,
#' with explicit values as strata, anything, also `NULL`.
#' Where it tells its number of rows, there must be one stratum for each.
#'
#' The instance has these members:
#' * `plan()`: the rows of each stratum in each batch, a `data.frame()` of integers with one row for each batch and one
#'   column for each stratum.
#' * `batches(epoch)`: all batches of the epoch with this number, a list of `rows` (`integer()`, counted from 1) and
#'   `offsets` (`integer()`, the number of rows before each batch, and at the end of all rows).
#'   Batch `b` is `rows[(offsets[b] + 1):offsets[b + 1]]`.
#'   It changes nothing.
#' * `set_epoch(epoch)`: says which epoch comes next, an integer from 0 to 6700000; returns the instance invisibly.
#' * `epoch`: the epoch that comes next, counted from 0.
#' * `seed`: the seed, also where it was drawn.
#' * `print()`: shows a summary.
#' * `.iter()`, `.length()` and `.iter_batch(batch_size)`: what [torch::dataloader()] calls.
#'   `.iter()` returns a function that returns the rows of one batch, an integer vector counted from 1, at each call,
#'   and [coro::exhausted()] at every call after the last batch.
#'   `.length()` is the number of batches.
#'   `.iter_batch()` lets `dataloader(dataset, sampler = instance)` work as well, with its `batch_size` left at 1 and
#'   `drop_last` at `FALSE`; another `batch_size` is refused.
#'
#' @section The rule:
#' With `n_s` rows in stratum `s` and `n_min` rows in the smallest stratum, an epoch has
#' `B = max(1, n_min %/% m)` batches, and the row of rank `i` (its place within its stratum in the order of the
#' epoch) goes to batch `(i * B + n_s - 1) %/% n_s`.
#' All of this is computed in integers, not in fractions that may round the wrong way.
#' Within a batch, rows stand stratum by stratum, in the order of their ranks.
#'
#' @section Guarantees:
#' * Every row is in exactly one batch of an epoch, except rows dropped by `missing = "drop"`, which are in none.
#'   With `shares`, `balance`, `drop` or `rare = "repeat"` an epoch takes `k_s` of the `n_s` rows of a stratum instead.
#'   Any E consecutive epochs then take each row `E * k_s / n_s` times, rounded down or up.
#' * No row comes twice in a batch.
#' * Every batch holds at least `min_samples_per_stratum` rows of every stratum, unless `rare` let a rare stratum pass.
#' * Every batch holds `n_s / B`, or `k_s / B`, rows of stratum `s`, rounded down or up, with either value of `assign`.
#' * With `assign = "even"` batch sizes differ by at most 1.
#' * No batch is empty.
#' * The plan is the same in all epochs.
#' * The same strata, settings, seed and epoch give the same batches, row for row, in every R session and in the Python
#'   package `pystrat`.
#' * The state and the kinds of R's random number generator are left as they were, except for the one number drawn if
#'   `seed` is `NULL`.
#' * Making an iterator changes nothing. It takes its epoch when its first batch is asked for, and the next epoch is
#'   then one higher, so that an epoch broken off is not repeated.
#' * Arguments are checked before any work; nothing is repaired in silence.
#'
#' @section Strata:
#' Without `strata`, the columns with the role `stratum` of the task are used, and without these the target of a
#' classification task; the task is the data source itself, or its element `task`.
#' Of a dataset without a task that mlr3torch trains on, it is the task of the training, whose rows the dataset must
#' have, in their order; a subset of a dataset needs values.
#' For a numeric target, [bin_target()] makes strata of quantile bins.
#' Text is taken as names of columns where all of it names columns of the task, whatever their role, and otherwise as
#' values where there is one for each row.
#' Values are refused where the rows of the task are repeated, or in another order than in its data, as in a bootstrap
#' sample: bind them to the task as a column with the role `stratum`, as the help page of [bin_target()] shows.
#'
#' Strata are numbered in order of first appearance in the dataset, which the columns of `plan()` and the rows within a
#' batch follow.
#' Values are logical, numbers, text, factors, dates or date-times, one kind a column.
#' Numbers are equal where they are exactly equal, text where it is equal in UTF-8, factors where their labels are.
#' `NA`, `NaN` and a factor level that is `NA` are missing; `""` is not.
#' Factor levels that do not occur are no strata.
#' Names of strata show numbers with 15 significant digits, dates as `2017-06-30`, date-times in UTC as
#' `2017-06-30T12:00:00`, and the values of several columns joined by `", "`.
#'
#' @section Order of the rows:
#' The order of all rows in an epoch is what `sample(n)` gives after `set.seed(s)` with
#' `RNGkind("Mersenne-Twister", "Inversion", "Rejection")`, where `s` is
#' `(seed + 1327217885 * epoch) %% 2147483647`; in epoch 0 it is the seed itself.
#'
#' @section Use in mlr3torch:
#' Give the generator to a learner as `batch_sampler`, not as `sampler`, which is refused, and not an instance.
#' Give a `batch_size` too, which mlr3torch uses to predict; up to 0.3.3 it requires one.
#'
#' * Training, whatever the dataset: the strata are those of the task of the dataset, and of the task that is trained on
#'   where the dataset does not say of which task it is, as with `tensor_dataset = TRUE`.
#' * An instance in place of the generator is refused when it is set; up to mlr3torch 0.3.3, the learner fails when it
#'   trains.
#' * Validation and prediction: mlr3torch 0.3.1 to 0.3.3 use the batch sampler there too, and take the rows to be in the
#'   order of the task.
#'   So the instance that they make gives all rows in that order, in consecutive batches of `batch_size` rows; its
#'   `plan()` and `seed` are `NULL`.
#'   Where it cannot be told whether mlr3torch trains or predicts, in a version with other functions, the rows come in
#'   that order as well, with a warning.
#'   A callback that makes a sampler within the training, for a dataloader of its own, gets shuffled batches; one that
#'   replaces the training's own dataloader by way of the learner gets rows in order, with that warning.
#'   Later versions use samplers in training only.
#' * The seed: where `seed` is `NULL`, the parameter `seed` of the learner decides which one is drawn.
#' * Epochs: each training begins at epoch 0.
#'   With `jit_trace = TRUE` mlr3torch takes a batch to trace the network, so that training begins at epoch 1; the
#'   callback [rbridge.set_epoch] keeps the numbers equal, and is needed where a training is resumed.
#' * Hashes: mlr3 tells learners apart also by the settings of their samplers.
#' * Tuning: to tune `min_samples_per_stratum`, give generators as the levels of a factor, see the examples.
#'
#' A `classif.mlp` was trained for three epochs on 156 rows of the task `sonar`, with `min_samples_per_stratum = 5`.
#' Its first batches held these rows of the classes M and R (R 4.5.0, torch 0.17.0, mlr3torch 0.3.3, 2026-11-22):
#' ```
#' #>    batch epoch_1.M epoch_1.R epoch_2.M epoch_2.R epoch_3.M epoch_3.R
#' #> 1      1         5         5         5         5         5         5
#' #> 2      2         6         5         6         5         6         5
#' #> 3      3         6         5         6         5         6         5
#' ```
#' Its area under the ROC curve on the other 52 rows was this:
#' ```
#' #> classif.auc
#' #>       0.753
#' ```
#' The document `docs/mlr3torch.md` of the project shows all 14 batches, the rows in validation and prediction, a
#' resampling in two processes, a tuned promise and a training that is resumed.
#'
#' @section Errors:
#' An argument of the wrong type or out of range, both or neither of `min_samples_per_stratum` and `mean_batch_size`, no
#' rows, missing values with `missing = "error"`, a rare stratum with `rare = "error"`, more replicas than batches,
#' unknown columns, a number of strata values that differs from the rows of the dataset, and values that cannot be
#' compared in the same way in R and Python, such as `bit64::integer64()`, complex numbers and lists.
#' Explicit values other than text are checked when `batch_sampler_stratified()` is called, text and the columns of a
#' task when the generator is.
#'
#' @source
#' T. D. Hocking, "custom torch sampler with mlr3torch", 2025.
#' The rule is the same, in integers.
#'
#' @seealso [batch_plan()] to see the batches before training, [min_samples_for_batch_size()] to choose the promise by
#'   their size, [bin_target()] for strata of a numeric target, [collect_rows()] to see what a dataloader delivers,
#'   [stratum_codes()] for strata that are already numbered.
#'
#' @export
#' @examples
#' # 3 rows of class 1 among 9: three batches, each with one of them
#' labels = rep(c(1, 0), times = c(3, 6))
#' generator = batch_sampler_stratified(min_samples_per_stratum = 1, strata = labels, seed = 1)
#' dataset = torch::dataset(
#'   initialize = function(labels) self$labels = labels,
#'   .getbatch = function(index) self$labels[index],
#'   .length = function() length(self$labels)
#' )(labels)
#' sampler = generator(dataset)
#' sampler
#' sampler$plan()
#'
#' loader = torch::dataloader(dataset, batch_sampler = sampler, collate_fn = identity)
#' coro::loop(for (batch in loader) print(batch))
#'
#' # in mlr3torch, from a task to a trained learner: strata are the classes of the task
#' if (requireNamespace("mlr3torch", quietly = TRUE)) {
#'   task = mlr3::tsk("sonar")
#'   learner = mlr3::lrn("classif.mlp",
#'     epochs = 10, batch_size = 32, neurons = 16, predict_type = "prob", seed = 1,
#'     loss = rbridge::nn_aum_loss,
#'     batch_sampler = batch_sampler_stratified(min_samples_per_stratum = 5),
#'     callbacks = mlr3torch::t_clbk("rbridge.set_epoch")
#'   )
#'   if (torch::torch_is_installed()) {
#'     split = mlr3::partition(task)
#'     learner$train(task, row_ids = split$train)
#'     print(learner$predict(task, row_ids = split$test)$score(mlr3::msr("classif.auc")))
#'   } else {
#'     message("To train, torch needs LibTorch: torch::install_torch().")
#'   }
#'   # the batches that it trains on
#'   print(batch_plan(task, min_samples_per_stratum = 5))
#'
#'   # the promise as a parameter that mlr3tuning can tune, here the grid of its values
#'   learner$param_set$set_values(batch_sampler = paradox::to_tune(paradox::p_fct(levels = list(
#'     m1 = batch_sampler_stratified(min_samples_per_stratum = 1),
#'     m5 = batch_sampler_stratified(min_samples_per_stratum = 5)
#'   ))))
#'   paradox::generate_design_grid(learner$param_set$search_space())
#' }
batch_sampler_stratified = function(min_samples_per_stratum = NULL, shuffle = TRUE, strata = NULL, seed = NULL,
  mean_batch_size = NULL, shares = NULL, balance = NULL, drop = NULL, assign = "proportional", rare = "error",
  missing = "error", num_replicas = NULL) {
  name_errors("batch_sampler_stratified")
  configuration = sampler_configuration(
    min_samples_per_stratum = min_samples_per_stratum, mean_batch_size = mean_batch_size, shares = shares,
    balance = balance, drop = drop, shuffle = shuffle, strata = strata, seed = seed, assign = assign, rare = rare,
    missing = missing, num_replicas = num_replicas
  )
  new_generator(if (is.list(configuration$strata)) {
    stratified_recipe(configuration$strata, configuration)
  } else {
    open_recipe("stratified", configuration$seed, configuration, stratified_labels(configuration))
  })
}

# `strata` are encoded.
stratified_recipe = function(strata, configuration) {
  plan = stratified_plan(strata, configuration)
  n_strata = length(plan$names)
  parts = list(
    codes = recipe_codes(strata$codes, n_strata),
    n_strata = as.double(n_strata),
    n_batches = plan$n_batches,
    even = as.integer(plan$assign == "even"),
    shuffle = as.integer(configuration$shuffle),
    taken = if (takes_again(plan)) plan$counts
  )
  new_recipe("stratified", configuration$seed, parts, labels = stratified_labels(configuration, plan$names))
}

stratified_labels = function(configuration, names = NULL) {
  settings = c("min_samples_per_stratum", "mean_batch_size", shared_out, "shuffle", "assign", "rare", "missing",
    "num_replicas")
  c(lapply(Filter(Negate(is.null), configuration[settings]), show_setting), list(names = names))
}

# A setting as a generator shows it.
show_setting = function(value) {
  shown = if (is.null(names(value))) show_value(value) else sprintf("'%s': %.15g", names(value), value)
  paste(shown, collapse = ", ")
}

kind_stratified = function() {
  list(
    class = "batch_sampler_stratified",
    complete = function(recipe, data_source, task) {
      if (is.null(recipe$open)) {
        check_given_strata(recipe, data_source, task)
        return(recipe)
      }
      stratified_recipe(source_strata(data_source, recipe$open, task), recipe$open)
    },
    check = function(recipe) {
      check_strata(recipe)
      part_flag(recipe, "even")
      part_flag(recipe, "shuffle")
      if (!is.null(recipe$parts$taken)) check_taken(recipe)
    },
    n_rows = function(recipe) NULL,
    n_batches = function(recipe) recipe$parts$n_batches,
    setup = function(recipe, private) {
      taken = recipe$parts$taken
      assign = if (recipe$parts$even == 1) "even" else "proportional"
      setup = strata_setup(recipe, take = function(counts) if (is.null(taken)) counts else taken, assign = assign,
        shuffle = recipe$parts$shuffle == 1)
      if (!takes_again(setup$plan)) {
        return(setup)
      }
      if (any(divide_up(setup$plan$counts, setup$plan$n_batches) > setup$plan$available)) {
        stop_parameter("recipe", "need no row twice in a batch", "fewer batches")
      }
      with_passes(setup)
    },
    draw = function(private, epoch) epoch_batches(private$.setup, epoch),
    describe = function(private) format_setup(private$.setup, private$.next_epoch),
    settings = format_strata_generator,
    methods = list(
      plan = function() if (is.null(private$.in_order)) composition_table(private$.setup$plan)
    )
  )
}

# The rows of each stratum in an epoch, for recipes, which may come from files.
check_taken = function(recipe) {
  taken = recipe$parts$taken
  n_strata = recipe$parts$n_strata
  if (!is.double(taken) || length(taken) != n_strata || !all(is.finite(taken) & taken >= 1 & taken == floor(taken))) {
    stop_parameter("recipe", sprintf("have %s as 'taken'", show_count(n_strata, "row number")), show_value(taken))
  }
  if (recipe$parts$even != 1 || sum(taken) > largest_count) {
    stop_parameter("recipe", sprintf("deal at most %.0f rows evenly", largest_count), "others")
  }
}
