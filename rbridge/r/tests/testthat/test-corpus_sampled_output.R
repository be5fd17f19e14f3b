# A sampled vocabulary: its ids, the same training as with the full one, and no change outside of it.

test_that("ids that occur and those that always do, from 1", {
  expect_identical(sampled_vocabulary(list(c(6, 18, 4), 18:19, integer()), always = c(1, 4)), c(1L, 4L, 6L, 18L, 19L))
  expect_identical(sampled_vocabulary(matrix(c(4, 1, 2, 1), 2L)), c(1L, 2L, 4L))
  expect_identical(sampled_vocabulary(list()), integer())
})

test_that("other ids raise errors", {
  refused = function(text, ...) expect_error(sampled_vocabulary(...), text, fixed = TRUE)
  refused("'sequences' parameter must hold ids from 1 to 2147483647. Got 0 instead.", list(c(4, 0)))
  refused("'always' parameter must hold ids from 1 to 2147483647. Got 0.5 instead.", list(), always = 0.5)
  refused("Got NA instead.", list(c(1L, NA)))
  refused("Got a value of class 'factor' instead.", factor("a"))
  refused("must be a list of sequences of ids. Got nothing instead.", NULL)
  refused("Got 2147483648 instead.", 2^31)
  expect_true(is.function(utils::getS3method("with", "sampled_output", envir = globalenv()))) # for code of users
})

size = 50L
width = 8L

optimizers = list(
  sgd = function(parameters) torch::optim_sgd(parameters, lr = 0.1),
  momentum = function(parameters) torch::optim_sgd(parameters, lr = 0.1, momentum = 0.9, weight_decay = 0.01),
  adam = function(parameters) torch::optim_adam(parameters, lr = 0.05, amsgrad = TRUE),
  adamw = function(parameters) torch::optim_adamw(parameters, lr = 0.05, weight_decay = 0.1),
  adagrad = function(parameters) torch::optim_adagrad(parameters, lr = 0.1),
  adadelta = function(parameters) torch::optim_adadelta(parameters),
  rmsprop = function(parameters) torch::optim_rmsprop(parameters, lr = 0.01, momentum = 0.5, centered = TRUE)
)

model_of = function(bias = TRUE) {
  torch::with_torch_manual_seed(seed = 1, torch::nn_sequential(
    torch::nn_embedding(size, width), torch::nn_tanh(), torch::nn_linear(width, size, bias = bias)
  ))
}

# Predicts each id from the one before; returns the losses and gradients.
train_on = function(model, optimizer, ids, sampled = NULL, steps = 3L) {
  inputs = torch::torch_tensor(c(ids[[length(ids)]], ids[-length(ids)]))
  targets = torch::torch_tensor(ids)
  lapply(seq_len(steps), function(step) {
    optimizer$zero_grad()
    wanted = if (is.null(sampled)) targets else sampled$targets(targets)
    loss = torch::nnf_cross_entropy(model(inputs), wanted)
    loss$backward()
    optimizer$step()
    list(loss$item(), torch::as_array(model[[3L]]$weight$grad), torch::as_array(model[[1L]]$weight$grad))
  })
}

# All tensors of the layer and of the optimizer's state for it, as arrays.
state_of_layer = function(layer, optimizer) {
  plain = function(value) if (inherits(value, "torch_tensor")) torch::as_array(value$detach()) else value
  lapply(layer$parameters, function(parameter) {
    c(list(value = plain(parameter)), lapply(optimizer$state$get(parameter), plain))
  })
}

test_that("training equals that of the full vocabulary if every id is in the sample", {
  skip_without_libtorch()
  ids = c(seq(1L, size, 2L), seq(2L, size, 2L))
  for (name in names(optimizers)) {
    for (bias in c(TRUE, FALSE)) {
      full = model_of(bias)
      restricted = model_of(bias)
      plain = optimizers[[name]](full$parameters)
      optimizer = optimizers[[name]](restricted$parameters)
      for (epoch in 1:2) {
        expected = train_on(full, plain, ids)
        optimizer$zero_grad()
        sampled = sampled_output(restricted, restricted[[3L]], ids, optimizer)
        with(sampled, {
          found = train_on(restricted, optimizer, ids, sampled)
        })
        # The order of the ids is that of the layer, so that sums are the same to the last bit.
        expect_identical(found, expected)
        expect_identical(state_of_layer(restricted[[3L]], optimizer), state_of_layer(full[[3L]], plain))
      }
    }
  }
})

test_that("the layer computes the sampled rows, and targets follow", {
  skip_without_libtorch()
  model = model_of()
  layer = model[[3L]]
  inputs = torch::torch_tensor(c(2L, 3L))
  full = torch::as_array(model(inputs))
  sampled = sampled_output(model, layer, torch::torch_tensor(c(41L, 4L, 8L, 4L)))
  expect_identical(sampled$ids, c(4L, 8L, 41L))
  expect_error(sampled$targets(torch::torch_tensor(4L)), "for use between its beginning and its end")
  with(sampled, {
    expect_error(sampled$begin(), "has already begun")
    expect_identical(as.integer(layer$out_features), 3L)
    expect_equal(torch::as_array(model(inputs)), full[, c(4L, 8L, 41L)], tolerance = 1e-6)
    places = sampled$targets(torch::torch_tensor(rbind(c(41L, 4L), c(-100L, 8L))))
    expect_identical(torch::as_array(places), rbind(c(3L, 1L), c(-100L, 2L)))
    expect_true(places$dtype == torch::torch_long())
    expect_identical(torch::as_array(sampled$targets(torch::torch_tensor(c(6L, 4L)), ignore_index = 6)), c(-100L, 1L))
    for (unknown in c(6L, 0L, -1L, size + 1L, 1000000000L)) {
      expect_error(sampled$targets(torch::torch_tensor(c(4L, unknown))),
        sprintf("must be among the 3 sampled ids. Got %d instead. Make the vocabulary", unknown), fixed = TRUE)
    }
    expect_error(sampled$targets(torch::torch_tensor(0.5)),
      "must be a tensor of integers. Got a value of class 'torch_tensor' instead.", fixed = TRUE)
    expect_error(sampled$targets(4L), "must be a tensor of integers. Got 4 instead.", fixed = TRUE)
  })
  expect_identical(torch::as_array(model(inputs)), full)
  expect_identical(layer$out_features, size)
  expect_identical(with(sampled, as.integer(layer$weight$shape)), c(3L, width))
})

test_that("after an error everything is written back", {
  skip_without_libtorch()
  model = model_of()
  layer = model[[3L]]
  optimizer = optimizers$adam(model$parameters)
  weight = layer$weight
  sampled = sampled_output(model, layer, 2:3, optimizer)
  expect_error(with(sampled, {
    train_on(model, optimizer, 2:3, sampled)
    small = torch::as_array(layer$weight)
    stop("of the user")
  }), "of the user")
  expect_identical(layer$weight, weight)
  expect_identical(torch::as_array(weight)[2:3, ], small)
  expect_identical(optimizer$state$get(weight)$exp_avg$shape, weight$shape)
})

test_that("ids, layers and optimizers that do not serve are refused, and change nothing", {
  skip_without_libtorch()
  model = model_of()
  layer = model[[3L]]
  refused = function(message, code) expect_error(code, message, fixed = TRUE)
  refused("must hold ids from 1 to 50. Got 51 instead.", sampled_output(model, layer, c(1, 51)))
  refused("'layer' parameter must be a torch::nn_linear of the model. Got", sampled_output(model, model_of()[[3L]], 1))
  refused("must train each parameter of the layer once. Got its weight 0 times instead.",
    sampled_output(model, layer, 1, optimizers$sgd(model_of()$parameters))$begin())
  model(torch::torch_tensor(1L))$sum()$backward()
  refused("must have no gradients left. Got some of its weight instead. Call optimizer$zero_grad() before.",
    sampled_output(model, layer, 1)$begin())
  expect_identical(layer$out_features, size)
  model[[1L]]$weight = layer$weight
  refused("must have a weight of its own. Got the one of '0.weight' instead. Untie them",
    sampled_output(model, layer, 1)$begin())
})
