# Extracted from test-tree_golden.R:65

# setup ------------------------------------------------------------------------
library(testthat)
test_env <- simulate_test_env(package = "rbridge", path = "..")
attach(test_env, warn.conflicts = FALSE)

# prequel ----------------------------------------------------------------------
skip_if_not_installed("yaml")
moment_of = function(text) {
  as.POSIXct(sub("Z$", "+0000", sub(":(\\d\\d)$", "\\1", text)), format = "%Y-%m-%dT%H:%M:%OS%z", tz = "UTC")
}
golden_column = function(values) {
  if (is.null(names(values))) {
    return(as_column(values))
  }
  texts = as_column(values[[1L]])
  if (names(values) == "days") {
    return(as.Date(texts))
  }
  as.POSIXct(as.double(moment_of(texts)), origin = "1970-01-01", tz = "Asia/Tokyo")
}
golden_spec = function(spec) {
  if (identical(names(spec), "day")) {
    as.Date(spec$day)
  } else if (identical(names(spec), "time")) {
    moment_of(spec$time)
  } else if (is.list(spec)) {
    lapply(spec, golden_spec)
  } else {
    spec
  }
}
golden_batches = function(input) {
  warnings = character()
  sampler = withCallingHandlers(
    do.call(batch_sampler_tree, c(
      list(golden_spec(input$spec), table = lapply(input$table, golden_column)), input$parameters
    ))(NULL),
    warning = function(condition) {
      warnings <<- c(warnings, conditionMessage(condition))
      invokeRestart("muffleWarning")
    }
  )
  epochs = lapply(input$epochs, sampler$batches)
  joined = function(name) unlist(lapply(epochs, `[[`, name))
  aux = lapply(stats::setNames(nm = names(epochs[[1L]]$aux)), function(name) {
    unlist(lapply(epochs, function(epoch) epoch$aux[[name]]))
  })
  list(
    n_batches = sampler$.length(), warnings = as.list(warnings), rows = cut_list(joined("rows") - 1L),
    offsets = cut_list(joined("offsets")), aux = aux
  )
}

# test -------------------------------------------------------------------------
in_r = function(text) gsub("TreeBatchSampler", "batch_sampler_tree", text, fixed = TRUE)
plain = function(values) if (is.numeric(values)) as.double(values) else values
for (case in read_golden("tree.json")$cases) {
    expected = case$expected
    info = deparse1(case$input$spec)
    if (!is.null(expected$error)) {
      message = tryCatch(golden_batches(case$input)$n_batches, error = conditionMessage)
      if (isTRUE(case$input$yaml)) {
        message = sub(" Got .*$", "", message)
      }
      expect_identical(message, in_r(expected$error), info = info)
    } else if (length(case$input$epochs) > 0L) {
      found = golden_batches(case$input)
      expected$warnings = lapply(expected$warnings, in_r)
      expect_identical(as.character(names(found$aux)), as.character(names(expected$aux)))
      expect_identical(lapply(found$aux, plain), lapply(expected$aux, function(values) plain(unlist(values))),
        ignore_attr = TRUE, info = info)
      drawn = c("n_batches", "warnings", "rows", "offsets")
      expect_parts(found[drawn], expected[drawn], ignore_attr = TRUE, info = info)
    }
  }
