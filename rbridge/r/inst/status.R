# What this R has of what rbridge needs, one "name<tab>value" a line. Run by rbridge.r_status() in a process of its own.

say = function(name, value) cat(name, "\t", value, "\n", sep = "")

say("r_version", as.character(getRversion()))
say("r_home", R.home())
for (package in commandArgs(trailingOnly = TRUE)) {
  folder = system.file(package = package)
  if (nzchar(folder)) say(paste0("package:", package), as.character(utils::packageVersion(package)))
}
if (nzchar(system.file(package = "torch"))) {
  say("libtorch", tryCatch(torch::torch_is_installed(), error = function(condition) FALSE))
}
