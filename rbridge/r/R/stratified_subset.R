#' @title Batch Sampler With a Few Strata per Batch
#'
#' @description
#' Creates a batch sampler in which every batch holds a few of the strata, with several rows of each: P classes of m
#' rows, as for metric learning and contrastive losses.
#' \twin{StrataSubsetBatchSampler}{contrastive}
#'
#' @inheritParams batch_sampler_stratified
#' @eval described("StrataSubsetBatchSampler", "strata_per_batch", "min_samples_per_stratum", "mean_batch_size",
#'   "exact", "balance", "rare")
#' @return A generator of class `"batch_sampler_strata_subset"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], among them `composition(epoch)`, `class_weights()`,
#' `weights()` and `plan()`, which also has the number of `batches` that hold each stratum.
#'
#' @source
#' The batches are those of the PK sampling of A. Hermans, L. Beyer and B. Leibe, "In Defense of the Triplet Loss for
#' Person Re-Identification" (2017), without its random choice of classes and rows.
#'
#' @seealso [batch_sampler_stratified()] for all strata in every batch.
#'
#' @export
#' @examples
#' labels = rep(letters[1:4], 3)
#' generator = batch_sampler_strata_subset(2, 3, strata = factor(labels), seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
#' labels[sampler$batches(0)$rows]
batch_sampler_strata_subset = function(strata_per_batch, min_samples_per_stratum = NULL, strata = NULL,
  mean_batch_size = NULL, exact = FALSE, balance = NULL, rare = "error", missing = "error", seed = NULL,
  num_replicas = NULL) {
  sampler_of("strata_subset")
}

kind_strata_subset = function() {
  table_kind("strata_subset",
    setup = function(recipe, private) {
      found = core_described(recipe)
      each = if (found$exact == 1) found$min_samples_per_stratum
      setup_of_blocks(recipe, found, held_by_subset(found, recipe$parts$strata_per_batch), each)
    },
    methods = c(weight_methods(), ranged_methods())
  )
}

# What the batches hold: "of at least 2 strata with at least 4 rows of each"
held_by_subset = function(found, strata_per_batch) {
  n_rare = sum(utils::head(found$counts, -1L) < found$min_samples_per_stratum)
  least = if (found$exact == 1) "" else "at least "
  rare = if (n_rare > 0) sprintf(", %s aside", show_count(n_rare, "rare stratum")) else ""
  sprintf("of %s%s with %s%s of each%s", least, show_count(strata_per_batch, "stratum"), least,
    show_count(found$min_samples_per_stratum, "row"), rare)
}
