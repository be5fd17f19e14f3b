# What this R has of what rbridge needs, one "name<tab>value" a line. Run by rbridge.r_status() in a process of its own.

say = function(name, value) cat(name, "\t", value, "\n", sep = "")

say("R", paste0(getRversion(), " in ", R.home()))
for (package in commandArgs(trailingOnly = TRUE)) {
  folder = system.file(package = package)
  if (nzchar(folder)) say(paste("R package", package), as.character(utils::packageVersion(package)))
}
has_libtorch = function() tryCatch(torch::torch_is_installed(), error = function(condition) FALSE)
if (nzchar(system.file(package = "torch")) && has_libtorch()) say("LibTorch for R", "found")
