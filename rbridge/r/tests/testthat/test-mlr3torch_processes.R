# The generator in other processes, where only namespaces are loaded: the batches are the same there.

skip_on_cran()
skip_if_not_installed("mlr3torch")
skip_if_not_installed("future")
skip_if_not_installed("mirai")

# What a worker does: the real training function of mlr3torch up to its dataloader, and the batches of that.
batches_in_worker = function(learner, task) {
  private = learner$.__enclos_env__$private
  values = learner$param_set$get_values(tags = "train")
  train = utils::getFromNamespace("learner_torch_train", "mlr3torch")
  batches = NULL
  look = function(condition) {
    frames = sys.frames()
    loader = Filter(Negate(is.null), lapply(frames, get0, x = "loader_train", inherits = FALSE))[[1]]
    batches <<- loader$batch_sampler$batches(4)
  }
  try(withCallingHandlers(train(learner, private, NULL, task, values), error = look), silent = TRUE)
  list(process = Sys.getpid(), batches = batches)
}

worker_learner = function(generator) {
  network = function(task) stop("The dataloader is made, which is all that is looked at.")
  environment(network) = globalenv()
  mlr3::lrn("classif.module", epochs = 1, batch_size = 15, device = "cpu", batch_sampler = generator,
    module_generator = network, ingress_tokens = list(x = mlr3torch::ingress_num()))
}

generators = list(
  by_task = batch_sampler_stratified(2, seed = 1),
  explicit = batch_sampler_stratified(2, strata = rep(1:2, times = c(30, 10)), seed = 1)
)

# Evaluates a function in another process, with the learners of both generators.
in_process = list(
  "workers of future, multisession" = function(train, ...) {
    plan = future::plan(future::multisession, workers = 2)
    on.exit(future::plan(plan))
    given = list(...)
    future::value(future::future(do.call(train, given), packages = "mlr3torch", seed = TRUE,
      globals = list(train = train, given = given)))
  },
  "daemons of mirai" = function(train, ...) {
    mirai::daemons(1)
    on.exit(mirai::daemons(0))
    mirai::mirai(do.call(train, given), train = train, given = list(...))[]
  },
  "processes of callr, as mlr3's encapsulation starts them" = function(train, ...) {
    callr::r(train, list(...), libpath = c(installed_library(), .libPaths()))
  }
)

# Workers find this package in the library where it is installed.
with_library = function(code) {
  withr::with_envvar(c(R_LIBS = paste(c(installed_library(), .libPaths()), collapse = .Platform$path.sep)), code)
}

for (kind in names(in_process)) {
  test_that(kind, {
    train = function(batches_in_worker, learners, task) {
      loadNamespace("mlr3torch")
      lapply(learners, batches_in_worker, task)
    }
    learners = lapply(generators, worker_learner)
    for (found in with_library(in_process[[kind]](train, batches_in_worker, learners, task_of()))) {
      expect_false(found$process == Sys.getpid())
      expect_identical(found$batches, sampler_of(survey$y, 2, seed = 1)$batches(4))
    }
  })
}
