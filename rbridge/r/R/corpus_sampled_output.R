#' @title Output Layer of a Sampled Vocabulary
#'
#' @description
#' While some code runs, such as the training of an epoch, an output layer has only the rows of a sampled vocabulary, in
#' ascending order.
#' The optimizer trains these, with its state for the same rows; at the end, they are written back.
#' Evaluate, and save checkpoints, after `with()`: losses of samples are lower than those of the full vocabulary.
#' \twin{corpus.vocabulary.SampledOutput}{corpus}
#'
#' @eval described("SampledOutput", model = "`torch::nn_module`", layer = "`torch::nn_linear`",
#'   optimizer = "`torch::optimizer()`")
#' @param ids (`integer()` | `torch::torch_tensor`)\cr
#'   The sampled ids, such as those from [sampled_vocabulary()], from 1 to `layer$out_features`.
#' @param data (`sampled_output`)\cr
#'   What `sampled_output()` returns.
#' @param expr (any)\cr
#'   The code to run with the small layer.
#'   It runs where it is written, so that its assignments stay.
#' @param ... (any)\cr
#'   Not used.
#'
#' @return `sampled_output()` returns an [R6::R6Class] object with these members:
#' * `ids`: the sampled ids, `integer()`, in ascending order.
#' * `targets(ids, ignore_index = -100)`: returns the positions of target ids among the sampled ones, from 1, for
#'   the loss, as a tensor of the same shape and of type long; inputs of the model keep their ids.
#'   The id `ignore_index`, such as that of padding, becomes -100, which [torch::nnf_cross_entropy()] ignores: do not
#'   set the loss's own `ignore_index`.
#' * `begin()`, `end()`: what `with()` does before and after the code, for callbacks of luz and of mlr3torch.
#'
#' `with()` returns the value of `expr`.
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
  on.exit(data$end())
  expr
}

sampled_output_class = R6Class("sampled_output",
  cloneable = FALSE,
  public = list(
    ids = NULL,
    initialize = function(model, layer, ids, optimizer) {
      refuse_if(!torch::is_nn_module(model), "model", "be a torch::nn_module", show_value(model))
      is_of_model = inherits(layer, "nn_linear") && any(vapply(model$modules, identical, NA, layer))
      refuse_if(!is_of_model, "layer", "be a torch::nn_linear of the model", show_value(layer))
      refuse_if(!"weight" %in% own_parameters(layer), "layer", "have a parameter as its weight",
        "one that is computed from others")
      self$ids = sort(unique(vocabulary_ids(ids, "ids", layer$out_features)))
      refuse_if(length(self$ids) == 0L, "ids", "have at least one id", "none")
      private$.model = model
      private$.layer = layer
      private$.optimizer = optimizer
      private$.size = layer$out_features
    },
    begin = function() {
      if (!is.null(private$.full)) {
        stop("This sampled output has already begun.", call. = FALSE)
      }
      layer = private$.layer
      names = own_parameters(layer)
      check_ties(private$.model, layer, names)
      for (name in names) {
        check_trained(layer[[name]], name, private$.optimizer)
      }
      rows = torch::torch_tensor(self$ids, dtype = torch::torch_long(), device = layer$weight$device)
      private$.rows = rows
      private$.full = list()
      for (name in names) {
        full = layer[[name]]
        state = private$state_of(full)
        private$.full[[name]] = list(parameter = full, state = state)
        small = torch::nn_parameter(full$detach()$index_select(1L, rows), requires_grad = full$requires_grad)
        private$put(name, full, small, lapply(state, function(value) {
          if (has_shape_of(value, full)) value$index_select(1L, rows) else value
        }))
      }
      layer$out_features = length(self$ids)
      invisible(self)
    },
    end = function() {
      layer = private$.layer
      for (name in names(private$.full)) {
        full = private$.full[[name]]$parameter
        before = private$.full[[name]]$state
        small = layer[[name]]
        write_rows(full, private$.rows, small)
        state = private$state_of(small)
        for (key in names(Filter(function(value) has_shape_of(value, small), state))) {
          whole = before[[key]] # the other rows are as before, or 0 at first
          if (is.null(whole)) {
            whole = torch::torch_zeros(full$shape, dtype = state[[key]]$dtype, device = state[[key]]$device)
          }
          state[[key]] = write_rows(whole, private$.rows, state[[key]])
        }
        private$put(name, small, full, state)
      }
      private$.full = NULL
      layer$out_features = private$.size
      invisible(self)
    },
    targets = function(ids, ignore_index = -100) {
      if (is.null(private$.full)) {
        stop("targets() of a sampled output is for use between its beginning and its end, such as inside with().",
          call. = FALSE)
      }
      places_in_sample(ids, ignore_index, self$ids)
    }
  ),
  private = list(
    .model = NULL, .layer = NULL, .optimizer = NULL, .size = NULL, .rows = NULL,
    .full = NULL, # the full parameters with the optimizer's state, between beginning and end
    state_of = function(parameter) if (!is.null(private$.optimizer)) private$.optimizer$state$get(parameter),
    # Replaces a parameter in the layer and in the optimizer.
    put = function(name, old, new, state) {
      layer = private$.layer
      layer[[name]] = new
      if (!is.null(private$.optimizer)) {
        put_into_optimizer(private$.optimizer, old, new, state)
      }
    }
  )
)

put_into_optimizer = function(optimizer, old, new, state) {
  optimizer$param_groups = lapply(optimizer$param_groups, function(group) {
    group$params = lapply(group$params, function(parameter) if (identical(parameter, old)) new else parameter)
    group
  })
  optimizer$state$set(old, NULL)
  optimizer$state$set(new, if (length(state) > 0L) state)
}

# The places of ids, a tensor of any shape, among the sampled ones; -100 for ids that are ignored.
places_in_sample = function(ids, ignore_index, sampled) {
  is_other = !is_tensor(ids) || ids$is_floating_point() || ids$is_complex() || ids$dtype == torch::torch_bool()
  refuse_if(is_other, "ids", "be a tensor of integers", show_value(ids))
  ignore_index = check_between(ignore_index, "ignore_index", -.Machine$integer.max, .Machine$integer.max)
  wanted = tensor_values(ids$flatten())
  places = match(wanted, sampled)
  places[wanted == ignore_index] = -100L
  refuse_if(anyNA(places), "ids", sprintf("be among the %s", show_count(length(sampled), "sampled id")),
    show_number(wanted[is.na(places)][1L]), "Make the vocabulary of the targets of the whole sample.")
  torch::torch_tensor(places, dtype = torch::torch_long(), device = ids$device)$view(ids$shape)
}

write_rows = function(whole, rows, values) {
  torch::with_no_grad(whole$index_copy_(1L, rows, values$detach()))
  whole
}

has_shape_of = function(value, parameter) is_tensor(value) && identical(value$shape, parameter$shape)

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
      kind = c(Filter(is_same, names), NA)[1L]
      refuse_if(!is.na(kind), "layer", sprintf("have a %s of its own", kind),
        sprintf("the one of '%s'", sub("^[.]", "", paste(names(others)[[place]], own, sep = "."))),
        sprintf("Untie them (give the layer a %s of its own), or train with the full vocabulary.", kind))
    }
  }
}

# Refuses gradients that are left, and a parameter that the optimizer does not train once.
check_trained = function(parameter, name, optimizer) {
  refuse_if(!torch::is_undefined_tensor(parameter$grad) && parameter$grad$any()$item(), "layer",
    "have no gradients left", sprintf("some of its %s", name), "Call optimizer$zero_grad() before.")
  trained = unlist(lapply(optimizer$param_groups, `[[`, "params"), recursive = FALSE)
  times = sum(vapply(trained, identical, NA, parameter))
  refuse_if(!is.null(optimizer) && parameter$requires_grad && times != 1L, "optimizer",
    "train each parameter of the layer once", sprintf("its %s %s", name, show_count(times, "time")))
}
