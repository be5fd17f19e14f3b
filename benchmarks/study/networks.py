"""Many small networks that are trained at once, as one batched computation.

A track is one training run's batches: the rows of each step. Each track has a network for each learning rate, and all
networks of all tracks make a step together. Every network gets the values that it would get alone, up to rounding.
"""

from __future__ import annotations

import math
from typing import Sequence

import torch

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class Networks:
    """Networks of one hidden layer (ReLU) for each track and learning rate, trained with Adam.

    Parameters
    ----------
    n_inputs, n_hidden, n_outputs : int
    seeds : sequence of int
        The seed of the first weights of each track, which are those of `torch.nn.Linear`. All rates begin with the same
        weights.
    rates : sequence of float
        The learning rates.
    """

    def __init__(
        self, n_inputs: int, n_hidden: int, n_outputs: int, *, seeds: Sequence[int], rates: Sequence[float]
    ) -> None:
        first = [_first_weights(n_inputs, n_hidden, n_outputs, seed) for seed in seeds]
        n_rates = len(rates)
        # The rates are beside the hidden units, so that one product serves all rates of a track.
        self.parameters = [
            torch.stack([layers[0] for layers in first])[:, :, None].repeat(1, 1, n_rates, 1),  # (T, d, R, h)
            torch.stack([layers[1] for layers in first])[:, None, None].repeat(1, 1, n_rates, 1),  # (T, 1, R, h)
            torch.stack([layers[2] for layers in first])[:, None].repeat(1, n_rates, 1, 1),  # (T, R, h, K)
            torch.stack([layers[3] for layers in first])[:, None, None].repeat(1, n_rates, 1, 1),  # (T, R, 1, K)
        ]
        for parameter in self.parameters:
            parameter.requires_grad_()
        self._means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._steps = torch.zeros(len(seeds), dtype=torch.float64)
        self._rates = torch.tensor(rates, dtype=torch.float64)

    def forward(self, inputs: torch.Tensor, tracks: slice = slice(None)) -> tuple[torch.Tensor, torch.Tensor]:
        """Compute the outputs and the hidden layers of tracks.

        Parameters
        ----------
        inputs : torch.Tensor, shape (T, b, d)
            The rows of each track.
        tracks : slice
            The tracks.

        Returns
        -------
        outputs : torch.Tensor, shape (T, R, b, K)
        hidden : torch.Tensor, shape (T, R, b, h)
        """
        first, first_bias, second, second_bias = (parameter[tracks] for parameter in self.parameters)
        n_tracks, n_rows, _ = inputs.shape
        n_rates, n_hidden = first.shape[2:]
        product = torch.baddbmm(first_bias.reshape(n_tracks, 1, -1), inputs, first.reshape(n_tracks, len(first[0]), -1))
        hidden = product.relu().view(n_tracks, n_rows, n_rates, n_hidden).transpose(1, 2)
        flat = hidden.reshape(n_tracks * n_rates, n_rows, n_hidden)
        outputs = torch.baddbmm(second_bias.flatten(0, 1), flat, second.flatten(0, 1))
        return outputs.view(n_tracks, n_rates, n_rows, -1), flat.view(n_tracks, n_rates, n_rows, n_hidden)

    def step(self, losses: torch.Tensor, usable: torch.Tensor) -> None:
        """Make a step of Adam.

        Parameters
        ----------
        losses : torch.Tensor, shape (T, R)
        usable : torch.Tensor of bool, shape (T,)
            Whether the track's batch has a loss. The networks of other tracks stay as they are.
        """
        gradients = torch.autograd.grad(losses.sum(), self.parameters)
        self._steps += usable
        sizes = self._rates / (1 - BETAS[0] ** self._steps.clamp(min=1))[:, None] * usable[:, None]
        scales = (1 - BETAS[1] ** self._steps.clamp(min=1)).sqrt()
        all_usable = bool(usable.all())
        with torch.no_grad():
            for place, (parameter, gradient) in enumerate(zip(self.parameters, gradients)):
                mean, square = self._means[place], self._squares[place]
                if all_usable:
                    mean.lerp_(gradient, 1 - BETAS[0])
                    square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
                else:
                    alive = usable.view(-1, 1, 1, 1)
                    mean.copy_(torch.where(alive, mean.lerp(gradient, 1 - BETAS[0]), mean))
                    squared = (square * BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
                    square.copy_(torch.where(alive, squared, square))
                shape = (len(sizes), 1, -1, 1) if place < 2 else (len(sizes), -1, 1, 1)
                root = square.sqrt().div_(scales.view(-1, 1, 1, 1).float()).add_(EPSILON)
                parameter.sub_(mean.div(root).mul_(sizes.view(shape).float()))


def _first_weights(n_inputs: int, n_hidden: int, n_outputs: int, seed: int) -> list[torch.Tensor]:
    """Return weights and biases of two layers, uniform as those of `torch.nn.Linear`."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for before, after in ((n_inputs, n_hidden), (n_hidden, n_outputs)):
        bound = 1 / math.sqrt(before)
        for shape in ((before, after), (after,)):
            found.append((torch.rand(shape, generator=generator) * 2 - 1) * bound)
    return found


def weights_of(networks: Networks, track: int, rate: int) -> list[torch.Tensor]:
    """Return copies of the weights of one network, in the form of two `torch.nn.Linear`."""
    first, first_bias, second, second_bias = networks.parameters
    found = [first[track, :, rate].T, first_bias[track, 0, rate], second[track, rate].T, second_bias[track, rate, 0]]
    return [tensor.detach().clone() for tensor in found]
