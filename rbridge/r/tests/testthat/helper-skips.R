# Why a test may be skipped. `make test-r` has all that tests need but LibTorch, and any other skip fails there.
# Elsewhere, and on CRAN, tests without a suggested package are skipped by skip_if_not_installed(); only callr, cli and
# withr are taken for granted, since testthat itself needs them.

# The test makes tensors, and LibTorch for R is not there. With REQUIRE_LIBTORCH=1 it fails instead.
skip_without_libtorch = function() {
  if (torch::torch_is_installed()) {
    return(invisible())
  }
  if (identical(Sys.getenv("REQUIRE_LIBTORCH"), "1")) {
    stop("LibTorch for R is not installed, and REQUIRE_LIBTORCH is 1.", call. = FALSE)
  }
  testthat::skip("LibTorch for R is not installed")
}

# The test runs Python code, and nobody says which Python has the package pystrat. reticulate is not asked for one: it
# may look for Python everywhere, and download one.
skip_without_python = function() {
  skip_if_not_installed("reticulate")
  skip_if(Sys.getenv("RETICULATE_PYTHON") == "", "RETICULATE_PYTHON names no Python that has the package pystrat")
}
