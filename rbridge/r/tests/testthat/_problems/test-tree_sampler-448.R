# Extracted from test-tree_sampler.R:448

# prequel ----------------------------------------------------------------------
labels = data.frame(label = rep(c("active", "inactive"), times = c(3, 9)))
turns = list(
  mode = "sequential",
  auxiliary = list(angle = "uniform(-10, 10)", side = "choice(['l', 'r'])", step = "counter()"),
  children = list(
    list(name = "active", column = "label", value = "active", mode = "shuffle"),
    list(name = "inactive", column = "label", value = "inactive", mode = "shuffle")
  )
)
sampler_of = function(spec = turns, batch_size = 4, length = "active", table = labels, ..., seed = 1) {
  batch_sampler_tree(spec, batch_size, length, table = table, ..., seed = seed)
}
endless_of = function(auxiliary = NULL, ..., batch_size = 7, length = NULL) {
  spec = list(mode = "sequential", children = list(
    list(column = "label", value = "active", mode = "shuffle"),
    list(column = "label", value = "inactive")
  ))
  spec$auxiliary = auxiliary
  table = data.frame(label = rep(c("active", "inactive"), times = c(10, 90)))
  batch_sampler_tree(spec, batch_size, length = length, table = table, seed = 3, ...)
}
own_value = function(epoch, draw) 100.5 * epoch + draw

# test -------------------------------------------------------------------------
skip_if_not_installed("mlr3misc")
generator = endless_of(list(own = own_value), length = 20)
loaded = unserialize(serialize(generator, NULL))
expect_identical(loaded(NULL)$batches(1), generator(NULL)$batches(1))
other = endless_of(list(own = function(epoch, draw) 0), length = 20)
expect_false(mlr3misc::calculate_hash(generator) == mlr3misc::calculate_hash(other))
alone = attr(generator, "settings")$recipe
expect_error(new_generator(alone)(NULL), "must come with the functions of its auxiliary values. Got a recipe alone",
    fixed = TRUE)
expect_error(endless_of(list(own = "function()"), length = 20), "The 'own' parameter of 'auxiliary' of", fixed = TRUE)
