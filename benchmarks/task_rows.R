# Requests of 100 rows of a task of mlr3: what they take by the rows of the task, and how much of it is match().
#
# Arguments: numbers of rows.

source(file.path(rbridge::script_folder(), "rounds.R"))

n_columns = 20L
n_requested = 100L
rounds = 15L

measure = function(n_rows) {
  data = as.data.frame(matrix(stats::rnorm(n_rows * n_columns), n_rows))
  data$y = factor(ifelse(stats::runif(n_rows) < 0.03, "yes", "no"))
  task = mlr3::as_task_classif(data, target = "y")
  table = utils::getFromNamespace("table_task", "rbridge")(task)
  columns = c(task$feature_names, task$target_names)
  rows = task$row_ids[sample.int(n_rows, n_requested)]
  times = 20L
  seconds = interleaved(list(
    "Task$data()" = function() task$data(rows = rows, cols = columns),
    "match() alone" = function() match(rows, task$row_ids),
    "the backend alone" = function() task$backend$data(rows = rows, cols = columns),
    "a table that was read once" = function() table$data(rows = rows, cols = columns)
  ), rounds, times)
  setting = sprintf("%s rows", format(n_rows, big.mark = ",", scientific = FALSE))
  for (form in colnames(seconds)) {
    show_numbers(sprintf("ms a request, %s, %s", form, setting), 1000 * seconds[, form] / times)
  }
  show_numbers(sprintf("percent of Task$data() in match(), %s", setting),
    100 * seconds[, "match() alone"] / seconds[, "Task$data()"])
  show_ratio(sprintf("a table that was read once over Task$data(), %s", setting), seconds,
    "a table that was read once", "Task$data()", 1)
}

data.table::setDTthreads(1)
show_versions("mlr3", "data.table")
show_head()
set.seed(1)
sizes = as.numeric(commandArgs(trailingOnly = TRUE))
for (n_rows in if (length(sizes)) sizes else c(2e4, 2e5, 1e6)) {
  measure(n_rows)
}
