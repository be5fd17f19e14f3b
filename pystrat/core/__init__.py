"""What all samplers share: arguments to strata, strata to recipes, recipes to epochs, and the states of training."""
