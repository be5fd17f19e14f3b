# Networks are trained, and the rows that they receive are compared with Python's for the same seed, epoch by epoch.

skip_if_not_installed("mlr3torch")

training = read_golden("training.json")

children = function() {
  data = utils::read.csv(test_path("survey", "nsch_2017.csv.gz"), na.strings = "")
  data[!is.na(data$autism), ]
}

tasks = list(
  simulated = function() {
    withr::with_seed(1, {
      y = published_labels()
      data = data.frame(y = factor(y), x = stats::rnorm(length(y), mean = 3 * y))
    })
    mlr3::as_task_classif(data, target = "y", positive = "1")
  },
  nsch_2017 = function() {
    children = children()
    data = data.frame(
      autism = factor(children$autism),
      boy = as.numeric(children$sex == "male"),
      age = children$age_years / 17
    )
    mlr3::as_task_classif(data, target = "autism", positive = "yes")
  }
)

# The epochs of a list of batches, each cut as in the golden file, where rows are counted from 0.
as_epochs = function(batches, n_batches) {
  lapply(unname(split(batches, (seq_along(batches) - 1L) %/% n_batches)), function(epoch) {
    cut_list(unlist(epoch) - 1L)
  })
}

for (name in names(tasks)) {
  test_that(paste("the task has the batches that Python's sampler has, epoch by epoch:", name), {
    run = training[[name]]
    sampler = batch_sampler_stratified(run$min_samples_per_stratum, seed = run$seed)(list(task = tasks[[name]]()))
    expect_length(sampler, run$n_batches)
    batches = do.call(c, lapply(0:2, function(epoch) epoch_of(sampler, epoch)))
    expect_equal(as_epochs(batches, run$n_batches), run$epochs)
  })

  test_that(paste("a network trained with the AUM loss gets Python's batches, epoch by epoch:", name), {
    skip_without_libtorch()
    run = training[[name]]
    task = tasks[[name]]()
    batches = record_training(
      batch_sampler_stratified(run$min_samples_per_stratum, seed = run$seed),
      task,
      epochs = 3, loss = aum_loss, callbacks = list(mlr3torch::t_clbk("rbridge.set_epoch"))
    )
    expect_length(batches, 3 * run$n_batches)
    expect_equal(as_epochs(batches, run$n_batches), run$epochs)
    counts = count_labels(batches, task$truth())
    colnames(counts) = unique(as.character(task$truth()))
    # The composition of every batch, and with that its size: batches end where Python's do.
    for (epoch in split(seq_along(batches), rep(1:3, each = run$n_batches))) {
      for (label in colnames(counts)) {
        expect_equal(cut_list(unname(counts[epoch, label])), run$composition[[label]])
      }
    }
  })
}
