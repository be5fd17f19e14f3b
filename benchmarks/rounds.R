# Measuring side by side: the contestants take turns, round after round, and only their ratios are reported.

show_head = function() cat("| what | ratio | quartiles | at most | |\n| --- | --- | --- | --- | --- |\n")

seconds_of = function(run) {
  gc(full = FALSE)
  begin = proc.time()[["elapsed"]]
  run()
  proc.time()[["elapsed"]] - begin
}

# The contestants take turns, every other round backwards; -> a matrix of seconds, one row a round, one column a
# contestant.
# The clock has steps of a millisecond, so that short ones run several times a turn.
interleaved = function(contestants, rounds, times) {
  repeated = lapply(contestants, function(run) {
    force(run)
    function() for (time in seq_len(times)) run()
  })
  for (run in repeated) run()
  turns = names(repeated)
  t(vapply(seq_len(rounds), function(round) {
    vapply(repeated[if (round %% 2L) turns else rev(turns)], seconds_of, numeric(1L))[turns]
  }, numeric(length(turns))))
}

show_ratio = function(claim, seconds, ours, theirs, reach = NULL) {
  show_numbers(claim, seconds[, ours] / seconds[, theirs], reach)
}

# A line of the table of results: the median and the quartiles, and the largest value aimed at, if there is one.
show_numbers = function(claim, numbers, reach = NULL, digits = 3L) {
  found = sprintf("%.*f", digits, stats::quantile(numbers, c(0.5, 0.25, 0.75)))
  verdict = if (is.null(reach)) "" else if (as.numeric(found[1L]) <= reach) "reached" else "NOT reached"
  cat(sprintf("| %s | %s | %s to %s | %s | %s |\n", claim, found[1L], found[2L], found[3L],
    if (is.null(reach)) "" else format(reach), verdict))
}

# The versions of R and of packages, for a script that runs on another machine than run.py.
show_versions = function(...) {
  named = vapply(c(...), function(package) paste(package, utils::packageVersion(package)), "")
  cat("Versions: ", paste(c(paste("R", getRversion()), named), collapse = ", "), "\n", sep = "")
}
