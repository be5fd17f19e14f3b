# Shared by the scripts that train in R: whether LibTorch is installed, and the versions.

check_libtorch = function() {
  if (!torch::torch_is_installed()) {
    stop("Training in R needs LibTorch: torch::install_torch().", call. = FALSE)
  }
}

# The version in the name of the library's file, as in Debian, else the one that the package torch installs.
libtorch_version = function() {
  file = normalizePath(file.path(torch::torch_install_path(), "lib", "libtorch_cpu.so"), mustWork = FALSE)
  named = sub(".*/libtorch_cpu[.]so[.]?", "", file)
  if (grepl("^[0-9.]+$", named)) named else utils::getFromNamespace("torch_version", "torch")
}

training_versions = function(packages = c("torch", "mlr3torch", "mlr3")) {
  c(R = format(getRversion()), LibTorch = libtorch_version(),
    vapply(packages, function(name) format(utils::packageVersion(name)), ""))
}
