# The one reason for which a test may be skipped: it makes tensors, and LibTorch for R is not there.
# With REQUIRE_LIBTORCH=1 such a test fails instead.

skip_without_libtorch = function() {
  if (torch::torch_is_installed()) {
    return(invisible())
  }
  if (identical(Sys.getenv("REQUIRE_LIBTORCH"), "1")) {
    stop("LibTorch for R is not installed, and REQUIRE_LIBTORCH is 1.", call. = FALSE)
  }
  testthat::skip("LibTorch for R is not installed")
}
