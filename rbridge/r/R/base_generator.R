# The class of all generators: a recipe, and the instances that draw its batches.
# A kind of samplers is a function kind_<name>(), which returns a list of
# * class: the class of its generators and instances;
# * plan(request): the recipe for complete arguments; only for kinds of R/base_from_dataset.R;
# * of_rows: the names of its arguments that may come from the dataset; by default, all of R/base_from_dataset.R;
# * fits(recipe, data_source, task): refuses a dataset that does not fit a complete recipe of such a kind;
# * complete(recipe, data_source, task): completes an open recipe, and refuses a dataset that does not fit a complete
#   one; only for other kinds that have open recipes;
# * vectors: the names of all vectors that its recipes may have as parts, state and labels;
# * is_core: TRUE for kinds of the core, which checks the parts and the state of a recipe;
# * inside(recipe): the recipe inside one; only for samplers around others;
# * draws_by_replicas: TRUE if the number of processes matters beyond the number of batches;
# * check(recipe): refuses a recipe with invalid labels, which only R knows;
# * bytes(recipe): the memory that an instance and an epoch of a checked recipe need besides the recipe, at most;
# * n_rows(recipe): the number of rows that the dataset must have, NULL if it may have any number;
# * n_batches(recipe): the number of batches of every epoch; or, for kinds whose epochs differ in it,
#   count_batches(private, epoch);
# * last_epoch(recipe): the last epoch that there is, if it is not that of all samplers;
# * setup(recipe, private): what an instance works with, made once; becomes private$.setup;
# * seeded: FALSE for kinds whose instances need no seed;
# * draw(private, epoch): list(rows, offsets) of all batches of an epoch, and also `aux` if rows have auxiliary values;
# * iterate(private, place): a function that returns the rows of the next batch at each call, NULL at the end, from a
#   place on (R/base_state.R); only for kinds with feedback, whose batches are drawn one by one, and for epochs that do
#   not end;
# * iterates(recipe): whether iterate() is used; only for kinds that have it and do not always use it;
# * fingerprint(private): text that is equal for samplers with the same batches, in both languages;
# * feedback_state(private, place), load_feedback(private, state): what a state contains besides the place, and the
#   inverse, which returns what was drawn beyond the place; only for kinds with feedback;
# * describe(private), settings(recipe): the lines that print() shows for an instance, and for a generator;
# * methods, private: further members of instances; `methods` may be a function of the recipe that returns them.
# These functions refer only to the namespace of the package, so that a generator is saved with nothing but its recipe.

# Those of recipes that cross between languages or are in files: the kinds of the core.
recipe_kinds = function() {
  kinds = sub("^kind_", "", grep("^kind_", names(topenv()), value = TRUE))
  sort(Filter(function(kind) isTRUE(sampler_kind(kind)$is_core), kinds), method = "radix")
}

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
  recipe_class(recipe$kind, environment())
}

recipe_class = function(kind, settings) {
  definition = sampler_kind(kind)
  members = list(
    private = c(list(.settings = settings), recipe_members(), definition$private),
    active = list(seed = function(value) if (missing(value)) private$.recipe$seed else stop_read_only("seed", self)),
    parent_env = topenv()
  )
  iterates = if (is.null(definition$iterates)) !is.null(definition$iterate) else definition$iterates(settings$recipe)
  members$private$.iterates = iterates
  methods = definition$methods
  if (is.function(methods)) {
    methods = methods(settings$recipe)
  }
  sampler = do.call(torch::sampler, c(list(name = definition$class, inherit = epoch_sampler()), members, methods))
  structure(sampler, class = append(class(sampler), "batch_sampler_generator", after = 1L), settings = settings)
}

# The members that epoch_sampler() requires of a sampler.
recipe_members = function() {
  list(
    .recipe = NULL,
    .setup = NULL,
    .known_fingerprint = NULL, # computed once, because a state may be requested after every batch
    .kind = function() sampler_kind(private$.settings$recipe$kind),
    .prepare = function(data_source, task) {
      recipe = private$.recipe = ready_recipe(private$.settings$recipe, data_source, task)
      note_group_role(recipe$kind, task)
      kind = private$.kind()
      if (isTRUE(kind$is_core)) {
        private$.instance = core_instance(recipe)
      }
      kind$check(recipe)
      private$.setup = kind$setup(recipe, private)
    },
    .n_batches = function(epoch = private$.place$epoch) {
      kind = private$.kind()
      if (is.null(kind$count_batches)) {
        return(kind$n_batches(private$.recipe))
      }
      kind$count_batches(private, epoch)
    },
    # The number of rows of the data that batches are of; NULL if they are of other numbers, or unknown.
    .rows_of_data = function() if (!is.null(private$.recipe)) private$.kind()$n_rows(private$.recipe),
    .last_epoch = function() {
      last = private$.kind()$last_epoch
      if (is.null(last) || is.null(private$.recipe)) largest_epoch else last(private$.recipe)
    },
    .epoch_batches = function(epoch) private$.kind()$draw(private, epoch),
    .iterate = function(place) private$.kind()$iterate(private, place),
    .fingerprint = function() {
      if (is.null(private$.known_fingerprint)) {
        private$.known_fingerprint = private$.kind()$fingerprint(private)
      }
      private$.known_fingerprint
    },
    .describe = function() private$.kind()$describe(private)
  )
}

# The recipe for a dataset: complete, and with a seed, unless that does not matter.
ready_recipe = function(recipe, data_source, task, has_seed = TRUE) {
  kind = sampler_kind(recipe$kind)
  if (!is.null(kind$complete)) {
    recipe = kind$complete(recipe, data_source, task)
  } else if (!is.null(recipe$open)) {
    recipe = supplied_recipe(recipe, data_source, task)
  } else if (!is.null(kind$fits)) {
    kind$fits(recipe, data_source, task)
  }
  check_source_rows(data_source, kind$n_rows(recipe))
  if (is.null(recipe$seed) && has_seed && !isFALSE(kind$seeded)) {
    recipe["seed"] = draw_seed()
  }
  recipe
}

# If a dataset has a number of rows, it must be that of the sampler.
check_source_rows = function(data_source, n_rows) {
  found = source_rows(data_source)
  if (!is.null(found) && !is.null(n_rows) && found != n_rows) {
    stop_parameter("data_source", sprintf("have as many rows as the sampler was made for, %.0f", n_rows),
      show_count(found, "row"))
  }
}

#' @export
print.batch_sampler_generator = function(x, ...) {
  recipe = attr(x, "settings")$recipe
  kind = sampler_kind(recipe$kind)
  is_request = !is.null(recipe$open) && !is.null(kind$plan) && is.null(kind$of_rows)
  settings = if (is_request) format_request(recipe$kind, recipe$open) else kind$settings(recipe)
  cat(sprintf("<%s> generator", class(x)[1L]), settings, sep = "\n")
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
