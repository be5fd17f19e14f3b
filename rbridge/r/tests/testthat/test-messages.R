# Every case of tests/golden/messages.json, which the tests of the Python package also read.

golden = read_golden("messages.json")

make_sampler = function(case) {
  arguments = c(list(strata = as_strata(case$strata)), lapply(case$arguments, as_value))
  do.call(batch_sampler_stratified, arguments)(NULL)
}

# An empty list is an empty vector of numbers.
as_argument = function(name, value) {
  if (identical(value, list())) {
    numeric()
  } else if (name %in% c("values", "strata") && !is.null(value)) {
    as_strata(value)
  } else {
    as_value(value)
  }
}

test_that("refused as in every language", {
  expect_message = function(case, code) expect_identical(message_of(code), case$message, info = case$name)
  for (case in golden$cases) {
    expect_message(case, {
      sampler = make_sampler(case)
      if (!is.null(case$set_epoch)) sampler$set_epoch(case$set_epoch)
    })
  }
  for (case in golden$functions) {
    arguments = Map(as_argument, names(case$arguments), case$arguments)
    if ("x" %in% names(formals(case$`function`))) {
      # In R, these strata are the argument `x`, which may be a task as well.
      names(arguments)[names(arguments) == "strata"] = "x"
    }
    expect_message(case, do.call(case$`function`, arguments))
  }
  for (case in golden$samplers) {
    expect_message(case, do.call(case$sampler$r, Map(as_argument, names(case$arguments), case$arguments)))
  }
})

test_that("warned as in every language, or allowed", {
  for (case in golden$warnings) {
    warning = expect_warning(make_sampler(case))
    expect_identical(conditionMessage(warning), case$message)
    expect_null(conditionCall(warning))
    case$arguments$rare = "allow"
    expect_silent(make_sampler(case))
  }
})

test_that("an argument that is no plain number is shown by its class, and text is shown whole, without controls", {
  for (wrong in list(factor(3), list(3), sum)) {
    expect_error(batch_sampler_stratified(wrong), sprintf("Got a value of class '%s' instead.", class(wrong)),
      fixed = TRUE)
  }
  expect_error(batch_sampler_stratified(1, seed = numeric()), "Got 0 values instead.", fixed = TRUE)
  expect_error(batch_sampler_stratified(1, rare = strrep("a", 100)), paste0("Got '", strrep("a", 100), "' instead."),
    fixed = TRUE)
  expect_error(batch_sampler_stratified("a\t\r\n\u001b[1m\u007f\u009b\u00e9"), fixed = TRUE,
    "Got 'a\\t\\r\\n\\x1b[1m\\x7f\\x9b\u00e9' instead.")
})

test_that("the call of an error is that of the user", {
  call_of = function(code) conditionCall(tryCatch(code, rbridge_refusal = identity))
  expect_identical(call_of(batch_sampler_stratified(0)), quote(batch_sampler_stratified(0)))
  generator = batch_sampler_weighted(c(1, 2), batch_size = 1, seed = 1)
  expect_identical(call_of(generator(1:3)), quote(generator(1:3)))
  sampler = generator(NULL)
  expect_identical(call_of(sampler$update(1, -1)), quote(sampler$update(1, -1)))
  sampler$update(1:2, c(0, 0))
  next_batch = sampler$.iter()
  expect_identical(call_of(next_batch()), quote(next_batch()))
})
