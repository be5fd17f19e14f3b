# The class of all generators: a recipe, and the instances that draw its batches.
# A kind of samplers is a function kind_<name>(), which returns a list; table_kind() in R/base_core.R has defaults:
# * class: the class of its generators and instances;
# * of_rows: the names of its arguments that may come from the dataset, a vector or a function of the arguments, for
#   kinds of the core;
# * plan(settings): the recipe for complete arguments, with which a dataset completes an open recipe;
# * complete(recipe, data_source, task): the recipe for a dataset, by default supplied_recipe();
# * inside(recipe): the recipe of a sampler inside, if the kind has one;
# * n_rows(recipe): the number of rows that the dataset must have, NULL if it may have any number;
# * count_batches(private, epoch): the number of batches of an epoch; NA if it has no end;
# * draws_by_replicas: TRUE if batches depend on the number of processes in other ways than their number;
# * last_epoch(recipe): the last epoch that there is, if it is not that of all samplers;
# * setup(recipe, private): what an instance works with, made once; becomes private$.setup;
# * seeded: FALSE for kinds whose instances need no seed;
# * draw(private, epoch): list(rows, offsets) of all batches of an epoch, and also `aux` if rows have auxiliary values;
# * iterate(private, place): a function that returns the rows of the next batch at each call, NULL at the end, from a
#   place on (R/base_state.R), for kinds whose batches are drawn one by one;
# * iterates(recipe): whether it is used, if not always;
# * fingerprint(private): text that is equal for samplers with the same batches, in both languages;
# * feedback_state(private, place), load_feedback(private, state): what a state contains besides the place, and the
#   inverse, which returns what was drawn beyond the place; only for kinds with feedback;
# * settings(recipe): the lines that print() shows of a generator, and first of an instance;
# * methods, private: further members of instances.
# These functions refer only to the namespace of the package, so that a generator is saved with nothing but its recipe.

# Each kind is made once: an instance asks for it at every call.
sampler_kind = function(kind) {
  if (is.null(made_kinds[[kind]])) {
    made_kinds[[kind]] = get(paste0("kind_", kind), envir = topenv(), mode = "function")()
  }
  made_kinds[[kind]]
}

made_kinds = new.env(parent = emptyenv())

# The frame of this call is the environment of a generator: only the recipe, inside the namespace of the package.
# `functions` is a list of functions that a recipe cannot hold: those that call Python, for samplers that stay there,
# and those of users that do not affect batches.
new_generator = function(recipe, functions = NULL) {
  force(recipe)
  force(functions)
  structure(function(data_source) new_instance(recipe, functions, data_source), settings = environment(),
    class = c(sampler_kind(recipe$kind)$class, "batch_sampler_generator", "torch_sampler"))
}

# An instance for a dataset; while mlr3torch predicts, one that gives its rows in order.
new_instance = function(recipe, functions, data_source) {
  class = sampler_kind(recipe$kind)$class
  caller = mlr3torch_caller(class)
  if (caller$keeps_order) {
    recipe = recipe_in_order(source_rows(data_source), caller$batch_size)
  } else {
    # A dataset may hold the rows of its task in another order than the task of the training.
    task = source_task(data_source)
    # It is unknown which rows of the task a subset has.
    if (is.null(task) && !inherits(data_source, "dataset_subset")) {
      task = caller$task
    }
    recipe = ready_recipe(recipe, data_source, task)
    note_group_role(recipe$kind, task)
  }
  kind = sampler_kind(recipe$kind)
  iterates = if (is.null(kind$iterates)) !is.null(kind$iterate) else kind$iterates(recipe)
  private = list(.recipe = recipe, .functions = functions, .iterates = iterates,
    .asked_within_epoch = !is.null(caller$task))
  sampler = do.call(torch::sampler, c(
    list(name = class, inherit = epoch_sampler(), private = c(private, kind$private), parent_env = topenv()),
    kind$methods
  ))
  sampler()
}

# The recipe for a dataset: complete, and with a seed, unless that does not matter.
ready_recipe = function(recipe, data_source, task, has_seed = TRUE) {
  kind = sampler_kind(recipe$kind)
  complete = if (is.null(kind$complete)) supplied_recipe else kind$complete
  recipe = complete(recipe, data_source, task)
  check_sampled_rows(source_rows(data_source), kind$n_rows(recipe), "data_source")
  if (is.null(recipe$seed) && has_seed && !isFALSE(kind$seeded)) {
    recipe["seed"] = draw_seed()
  }
  recipe
}

#' @export
print.batch_sampler_generator = function(x, ...) {
  recipe = attr(x, "settings")$recipe
  cat(sprintf("<%s> generator", class(x)[1L]), sampler_kind(recipe$kind)$settings(recipe), sep = "\n")
  invisible(x)
}

# The members are those of its instances.
#' @export
`$.batch_sampler_generator` = function(x, name) {
  stop(sprintf("This %s is a generator: call it with a dataset first, generator(dataset)$%s.", class(x)[1L], name),
    call. = FALSE)
}

# mlr3 distinguishes learners by a hash of their parameters, and for a function it hashes only the text:
# without this method, samplers with different settings would count as the same.
# It is only for the class of this package, so that the hashes of other samplers do not change.
#' @exportS3Method mlr3misc::hash_input
hash_input.batch_sampler_generator = function(x) { # nolint
  text_of = function(called) c(as.list(formals(called)), deparse(body(called)))
  recipe = rapply(attr(x, "settings")$recipe, text_of, classes = "function", how = "replace")
  list(class(x)[1L], recipe)
}
