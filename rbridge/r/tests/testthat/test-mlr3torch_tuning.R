# Tuning of the minimum: generators are the levels of a factor, with the real search space of paradox and the real tuner
# of mlr3tuning. Only the last test trains, and needs LibTorch.

skip_on_cran()
skip_if_not_installed("mlr3torch")
skip_if_not_installed("mlr3tuning")

loadNamespace("mlr3torch")

minima = c(1, 2, 5)

# A learner whose sampler is to be tuned, and the task for it
learner_to_tune = function(...) {
  levels = lapply(stats::setNames(minima, paste0("m", minima)), batch_sampler_stratified, seed = 1)
  mlr3::lrn("classif.mlp", epochs = 1, batch_size = 30, device = "cpu",
    batch_sampler = paradox::to_tune(paradox::p_fct(levels)), ...)
}

task_to_tune = function() {
  task = mlr3::tsk("iris")
  task$filter(c(1:20, 51:90, 101:140))
}

test_that("every point of the grid gives the learner its generator, and mlr3torch its batches", {
  learner = learner_to_tune()
  space = learner$param_set$search_space()
  expect_identical(space$levels, list(batch_sampler = c("m1", "m2", "m5")))
  points = paradox::generate_design_grid(space)$transpose()
  expect_length(points, 3)
  hashes = vapply(points, function(point) mlr3misc::calculate_hash(point$batch_sampler), "")
  expect_identical(anyDuplicated(hashes), 0L)
  task = task_to_tune()
  for (i in seq_along(minima)) {
    tuned = learner$clone(deep = TRUE)
    tuned$param_set$set_values(.values = points[[i]])
    generator = recorded(tuned$param_set$values$batch_sampler)
    tuned$param_set$set_values(batch_sampler = generator)
    run_mlr3torch(tuned$train(task))
    sampler = instances_of(generator)[[1]]
    expect_identical(sampler$batches(0), sampler_of(task$truth(), minima[i], seed = 1)$batches(0))
    expect_length(sampler, 20 %/% minima[i])
  }
})
