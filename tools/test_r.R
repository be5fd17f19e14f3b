# Runs the tests of the R package against its installed copy, and finally counts how many passed, failed and were
# skipped. `Rscript tools/test_r.R NAME` runs only the files whose names match a regular expression.
# A test may be skipped for only one reason: LibTorch for R is not installed. With REQUIRE_LIBTORCH=1, such a test
# fails.

options(width = 110)
Sys.setenv(NOT_CRAN = "true") # skip_on_cran() skips nothing
Sys.setenv(TESTTHAT_CPUS = max(1L, parallel::detectCores(), na.rm = TRUE)) # test files run side by side
names = commandArgs(trailingOnly = TRUE)
results = testthat::test_dir(
  "rbridge/r/tests/testthat",
  filter = if (length(names) > 0) names,
  package = "rbridge",
  load_package = "installed",
  reporter = testthat::SummaryReporter$new(show_praise = FALSE, omit_dots = FALSE),
  stop_on_failure = FALSE
)
expectations = unlist(lapply(results, `[[`, "results"), recursive = FALSE)
is_kind = function(kind) vapply(expectations, inherits, logical(1), what = paste0("expectation_", kind))

skips = vapply(expectations[is_kind("skip")], conditionMessage, character(1))
other_skips = grep("LibTorch", skips, value = TRUE, invert = TRUE)
failed = sum(is_kind("failure") | is_kind("error") | is_kind("warning")) + length(other_skips)
if (length(skips) > 0) {
  cat("\nSKIPPED, because LibTorch for R is not installed here; run them where torch::torch_is_installed() is TRUE:\n")
  named = Filter(function(result) any(vapply(result$results, inherits, TRUE, "expectation_skip")), results)
  cat(sprintf("  %s: %s\n", vapply(named, `[[`, "", "file"), vapply(named, `[[`, "", "test")), sep = "")
}
if (length(other_skips) > 0) {
  cat("\nSkipped for another reason, which counts as failed:\n", paste0("  ", other_skips, "\n"), sep = "")
}
cat(sprintf("\nR: %d passed, %d failed, %d skipped%s\n", sum(is_kind("success")), failed, length(skips),
  if (length(skips) > 0) " because LibTorch is missing" else ""))
quit(status = if (failed > 0) 1 else 0)
