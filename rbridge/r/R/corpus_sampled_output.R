#' @title Output Layer of a Sampled Vocabulary
#'
#' @description
#' Reduces an output layer to the rows of a sampled vocabulary while some code runs, such as the training of an epoch.
#' With 100,000 words, most of a training step is spent in the output layer; the time of a smaller layer is smaller in
#' proportion.
#'
#' Inside `with()`, `layer` has a small weight and bias: the rows of the sampled ids, in ascending order.
#' The optimizer trains these, with its state (such as Adam's moments) for the same rows.
#' At the end, all rows are written back.
#' Rows outside the sample are not touched at all; if the whole weight were in the optimizer, its momentum and its
#' weight decay would change them in every step, although their gradient is 0.
#'
#' @param model (`torch::nn_module`)\cr
#'   The whole model, which is searched for other uses of the layer's weight.
#' @param layer (`torch::nn_linear`)\cr
#'   Its output layer; `out_features` is the size of the vocabulary.
#' @param ids (`integer()` | `torch::torch_tensor`)\cr
#'   The sampled ids, such as those from [sampled_vocabulary()]: each once, from 1 to `layer$out_features`.
#' @param optimizer (`torch::optimizer()`)\cr
#'   The optimizer that trains the layer.
#'   Its parameter groups, learning rates and steps do not change.
#'   Its state for a parameter must be numbers, or tensors of the parameter's shape that begin at 0;
#'   [torch::optim_lbfgs()], [torch::optim_rprop()] and the optimizers of LibTorch (`torch::optim_ignite_*`), whose
#'   state is not in R, are not supported.
#'   `NULL` (default): the layer is not trained; an optimizer that is not given here holds the whole parameters, which
#'   get no gradients inside `with()`.
#' @param data (`sampled_output`)\cr
#'   What `sampled_output()` returns.
#' @param expr (any)\cr
#'   The code to run with the small layer.
#'   It runs where it is written, so that its assignments stay.
#' @param ... (any)\cr
#'   Not used.
#'
#' @return `sampled_output()` returns an [R6::R6Class] object of class `"sampled_output"` with these members:
#' * `ids`: the sampled ids, `integer()`, in ascending order.
#' * `targets(ids, ignore_index = -100)`: returns the positions of target ids among the sampled ones, from 1, for
#'   the loss, as a tensor of the same shape and of type long.
#'   `ids` is a tensor of integers.
#'   `ignore_index` is the id that the loss should ignore, such as that of padding.
#'   It becomes -100, which [torch::nnf_cross_entropy()] ignores by default, whether it is in the sample or not.
#'   So do not set the loss's own `ignore_index`: the number is the position of another id.
#' * `begin()`, `end()`: what `with()` does before and after the code, for callbacks of luz and of mlr3torch.
#'   Call `end()` even after an error.
#'
#' `with()` returns the value of `expr`.
#'
#' @section Guarantees:
#' * If every id is in the sample, the loss, the gradients and all steps equal those of the full vocabulary.
#' * The rows outside the sample, and the optimizer's state for them, do not change, bit for bit.
#' * `with()` writes everything back even after an error in the code.
#' * If `begin()` or `end()` fails, for example for lack of memory, the layer and the optimizer's state are as before
#'   the call.
#' * State of the optimizer that has another shape than the parameter, such as its number of steps, is carried over
#'   unchanged.
#' * Training is that of `pystrat.corpus.vocabulary.SampledOutput` in Python, where ids and positions are counted
#'   from 0.
#'
#' @section Losses:
#' Only targets are mapped to positions; inputs keep their ids, because the embedding does not change.
#' The softmax leaves out the words outside the sample, so the loss is lower than that of the full vocabulary, and the
#' lower the smaller the sample.
#' So losses and perplexities of samples cannot be compared with each other or with those of the full vocabulary.
#' Evaluate after `with()`.
#'
#' Do not save a checkpoint inside `with()`: enter it when the epoch's sample is known, and leave it at the end of the
#' epoch.
#'
#' @section Errors:
#' The layer is not a linear layer of the model, its weight is computed from others or shares memory with another module
#' (untie them, or train with the full vocabulary), an id is invalid or occurs twice, a parameter of the layer is not in
#' the optimizer or has unused gradients, or the optimizer's state has another form.
#' State that the optimizer creates inside `with()` is checked at the end: if it has another form, it is dropped after
#' the weights were written back.
#' A target is outside the sample; the message names it.
#'
#' @source
#' S. Jean, K. Cho, R. Memisevic and Y. Bengio, "On Using Very Large Target Vocabulary for Neural Machine Translation",
#' 2015, without its correction of the distribution, as in OpenNMT's `-sample_vocab`.
#'
#' @seealso [sampled_vocabulary()]
#'
#' @export
#' @examples
#' if (torch::torch_is_installed()) {
#'   layer = torch::nn_linear(8, 1000)
#'   optimizer = torch::optim_adam(layer$parameters)
#'   words = sampled_vocabulary(list(c(5, 17, 3), c(17, 999)), always = 2)
#'   sampled = sampled_output(layer, layer, words, optimizer)
#'   with(sampled, {
#'     logits = layer(torch::torch_zeros(3, 8))
#'     # 1 is padding.
#'     targets = sampled$targets(torch::torch_tensor(c(17L, 999L, 1L)), ignore_index = 1)
#'     loss = torch::nnf_cross_entropy(logits, targets)
#'     loss$backward()
#'     optimizer$step()
#'   })
#'   print(logits$shape)
#'   layer$weight$shape
#' }
sampled_output = function(model, layer, ids, optimizer = NULL) {
  sampled_output_class$new(model, layer, ids, optimizer)
}

#' @rdname sampled_output
#' @export
with.sampled_output = function(data, expr, ...) {
  data$begin()
  is_done = FALSE
  # After an error in the code, that error is the one to raise.
  on.exit(if (is_done) data$end() else tryCatch(data$end(), rbridge_refusal = function(refusal) NULL))
  value = expr
  is_done = TRUE
  value
}

sampled_output_class = R6Class("sampled_output",
  cloneable = FALSE,
  public = list(
    ids = NULL,
    initialize = function(model, layer, ids, optimizer) {
      check_output_layer(model, layer, optimizer)
      private$.size = layer$out_features
      self$ids = check_sampled_ids(ids, private$.size)
      private$.model = model
      private$.layer = layer
      private$.optimizer = optimizer
    },
    begin = function() {
      if (!is.null(private$.exchanges)) {
        stop("This sampled output has already begun.", call. = FALSE)
      }
      layer = private$.layer
      names = own_parameters(layer)
      check_ties(private$.model, layer, names)
      device = layer$weight$device
      rows = torch::torch_tensor(self$ids, dtype = torch::torch_long(), device = device)
      position = rep(0L, private$.size)
      position[self$ids] = seq_along(self$ids)
      private$.position = torch::torch_tensor(position, dtype = torch::torch_long(), device = device)
      # Everything that needs memory is allocated before anything is exchanged.
      exchanges = lapply(names, new_exchange, layer, rows, private$.optimizer)
      private$.exchanges = exchanges
      is_done = FALSE
      on.exit(if (!is_done) private$put_full())
      for (exchange in exchanges) {
        exchange$put_small()
      }
      layer$out_features = length(self$ids)
      is_done = TRUE
      invisible(self)
    },
    end = function() {
      exchanges = private$.exchanges
      if (is.null(exchanges)) {
        stop("This sampled output has not begun.", call. = FALSE)
      }
      on.exit(private$put_full())
      # Everything that needs memory is allocated before anything is written.
      writings = unlist(lapply(exchanges, function(exchange) exchange$prepare_full()), recursive = FALSE)
      write_all(writings)
      for (exchange in exchanges) {
        exchange$accept()
      }
      for (strange in lapply(exchanges, `[[`, "strange")) {
        advice = "The weights are written back; this state was dropped. Train with the full vocabulary."
        refuse_optimizer(strange, advice)
      }
      invisible(self)
    },
    targets = function(ids, ignore_index = -100) {
      if (is.null(private$.exchanges)) {
        stop("targets() of a sampled output is for use between its beginning and its end, such as inside with().",
          call. = FALSE)
      }
      check_integer_tensor(ids, "ids")
      ignore_index = check_between(ignore_index, "ignore_index", -.Machine$integer.max, .Machine$integer.max)
      shape = ids$shape
      ids = ids$to(dtype = torch::torch_long())$flatten()
      is_ignored = ids == ignore_index
      is_known = ids >= 1 & ids <= private$.size
      inside = torch::torch_where(is_known, ids, torch::torch_ones_like(ids))
      places = private$.position$index_select(1L, inside$to(device = private$.position$device))$to(device = ids$device)
      is_outside = (!is_known | places < 1) & !is_ignored
      if (is_outside$any()$item()) {
        stop_parameter("ids", sprintf("be among the %s", show_count(length(self$ids), "sampled id")),
          show_number(tensor_values(ids[is_outside])[[1L]]), "Make the vocabulary of the targets of the whole sample.")
      }
      torch::torch_where(is_ignored, torch::torch_full_like(ids, ignored_target), places)$view(shape)
    }
  ),
  private = list(
    .model = NULL, .layer = NULL, .optimizer = NULL, .size = NULL, .position = NULL,
    .exchanges = NULL, # one for each parameter of the layer, between beginning and end
    put_full = function() {
      for (exchange in private$.exchanges) {
        exchange$put_full()
      }
      layer = private$.layer
      layer$out_features = private$.size
      private$.exchanges = NULL
    }
  )
)

# torch's losses ignore it by default.
ignored_target = -100L

check_output_layer = function(model, layer, optimizer) {
  if (!torch::is_nn_module(model)) {
    stop_parameter("model", "be a torch::nn_module", show_value(model))
  }
  if (!is.null(optimizer) && !torch::is_optimizer(optimizer)) {
    stop_parameter("optimizer", "be a torch::optimizer", show_value(optimizer))
  }
  is_of_model = function(layer) any(vapply(model$modules, identical, logical(1L), layer))
  if (!inherits(layer, "nn_linear") || !is_of_model(layer)) {
    stop_parameter("layer", "be a torch::nn_linear of the model", show_value(layer))
  }
  if (!"weight" %in% own_parameters(layer)) {
    stop_parameter("layer", "have a parameter as its weight", "one that is computed from others")
  }
}

check_sampled_ids = function(ids, size) {
  found = sort(vocabulary_ids(ids, "ids"))
  if (length(found) == 0L) {
    stop_parameter("ids", "have at least one id", "none")
  }
  if (found[[length(found)]] > size) {
    stop_parameter("ids", sprintf("hold ids from 1 to %.0f", size), show_value(found[[length(found)]]))
  }
  if (anyDuplicated(found) > 0L) {
    stop_parameter("ids", "hold each id once", sprintf("%d twice", found[[anyDuplicated(found)]]))
  }
  found
}

# The names of the parameters of a module itself, without those of the modules in it.
own_parameters = function(module) {
  grep(".", names(module$parameters), fixed = TRUE, invert = TRUE, value = TRUE)
}

# Refuses a weight or bias that shares memory with another module of the model.
check_ties = function(model, layer, names) {
  memory_of = function(tensor) tensor$storage()$data_ptr()
  others = Filter(function(module) !identical(module, layer), model$modules)
  for (place in seq_along(others)) {
    for (own in own_parameters(others[[place]])) {
      parameter = others[[place]][[own]]
      is_same = function(kind) parameter$numel() > 0 && memory_of(parameter) == memory_of(layer[[kind]])
      for (kind in Filter(is_same, names)) {
        refuse_tie(kind, names(others)[[place]], own)
      }
    }
  }
}

refuse_tie = function(kind, module, parameter) {
  found = sprintf(if (nzchar(module)) "the one of '%2$s.%1$s'" else "'%1$s' of the model itself", parameter, module)
  stop_parameter("layer", sprintf("have a %s of its own", kind), found,
    sprintf("Untie them (give the layer a %s of its own), or train with the full vocabulary.", kind))
}

# One parameter of the layer: the full one, and the small one that replaces it in the layer and in the optimizer.
# Creating an exchange changes nothing.
# The full parameter is restored with the state that the optimizer had for it, until accept() replaces that with the
# state that prepare_full() made from the small parameter's.
new_exchange = function(name, layer, rows, optimizer) {
  full = layer[[name]]
  place = place_in_optimizer(optimizer, full, name)
  small = torch::nn_parameter(full$detach()$index_select(1L, rows), requires_grad = full$requires_grad)
  state = if (!is.null(place)) optimizer$state$get(full)
  part_of = function(value) {
    if (!inherits(value, "torch_tensor")) {
      value
    } else if (has_shape_of(value, full)) {
      value$index_select(1L, rows)
    } else {
      value$clone()
    }
  }
  small_state = if (!is.null(state)) lapply(state, part_of)
  widened = NULL

  self = new.env(parent = emptyenv())
  self$strange = NULL
  put = function(parameter, state, in_place_of) {
    layer[[name]] <<- parameter
    if (!is.null(place)) {
      optimizer$param_groups[[place[[1L]]]]$params[[place[[2L]]]] <<- parameter
      optimizer$state$set(in_place_of, NULL)
      optimizer$state$set(parameter, state)
    }
  }
  self$put_small = function() put(small, small_state, in_place_of = full)
  self$put_full = function() put(full, state, in_place_of = small)
  self$prepare_full = function() {
    writings = list(new_writing(full, rows, small))
    now = if (!is.null(place)) optimizer$state$get(small)
    self$strange = strange_state(now, name, small)
    if (is.null(now) || !is.null(self$strange)) {
      return(writings)
    }
    widened <<- lapply(stats::setNames(nm = names(now)), function(key) {
      value = now[[key]]
      if (!has_shape_of(value, small)) {
        return(value)
      }
      whole = state[[key]]
      if (!has_shape_of(whole, full)) {
        # It was created since the beginning, where such state begins at 0.
        whole = torch::torch_zeros(full$shape, dtype = value$dtype, device = value$device)
      }
      writings[[length(writings) + 1L]] <<- new_writing(whole, rows, value)
      whole
    })
    writings
  }
  self$accept = function() state <<- widened
  self
}

# New values for some rows of a tensor, and the old ones, in case another write fails.
new_writing = function(whole, rows, values) {
  values = values$detach()$to(device = whole$device, dtype = whole$dtype)
  before = whole$detach()$index_select(1L, rows)
  put = function(values) torch::with_no_grad(whole$index_copy_(1L, rows, values))
  list(write = function() put(values), undo = function() put(before))
}

# Writes all values, or none if one of the writes fails.
write_all = function(writings) {
  is_done = FALSE
  on.exit(if (!is_done) for (writing in writings) writing$undo())
  for (writing in writings) {
    writing$write()
  }
  is_done = TRUE
}

# The group and the place in it of a parameter of the layer; NULL if it is not to be trained.
place_in_optimizer = function(optimizer, parameter, name) {
  if (!torch::is_undefined_tensor(parameter$grad) && parameter$grad$any()$item()) {
    stop_parameter("layer", "have no gradients left", sprintf("some of its %s", name),
      "Call optimizer$zero_grad() before.")
  }
  if (is.null(optimizer) || !parameter$requires_grad) {
    return(NULL)
  }
  if (inherits(optimizer, c("optim_ignite", "optim_lbfgs", "optim_rprop"))) {
    refuse_optimizer(class(optimizer)[[1L]])
  }
  places = list()
  for (group in seq_along(optimizer$param_groups)) {
    is_here = vapply(optimizer$param_groups[[group]]$params, identical, logical(1L), parameter)
    places = c(places, lapply(which(is_here), function(place) c(group, place)))
  }
  if (length(places) != 1L) {
    stop_parameter("optimizer", "train each parameter of the layer once",
      sprintf("its %s %s", name, show_count(length(places), "time")))
  }
  refuse_optimizer(strange_state(optimizer$state$get(parameter), name, parameter))
  places[[1L]]
}

has_shape_of = function(value, parameter) {
  inherits(value, "torch_tensor") && identical(tensor_shape(value), tensor_shape(parameter))
}

# Describes an entry of an optimizer's state that is not known to belong to rows; NULL without one.
strange_state = function(state, name, parameter) {
  for (key in names(state)) {
    value = state[[key]]
    if (!inherits(value, "torch_tensor")) {
      next
    }
    if (value$is_sparse()) {
      return(sprintf("a sparse '%s' for its %s", key, name))
    }
    if (value$numel() > 1 && !has_shape_of(value, parameter)) {
      return(sprintf("'%s' of shape (%s) for its %s", key, toString(tensor_shape(value)), name))
    }
  }
  NULL
}

# `got` says what is strange about the optimizer; NULL if nothing is.
refuse_optimizer = function(got, advice = NULL) {
  if (!is.null(got)) {
    stop_parameter("optimizer", "keep numbers, or tensors of the parameter's shape that begin at 0, for each parameter",
      got, advice)
  }
}
