# Recipes of generators, and their files.

recipe_of = function(generator) attr(generator, "settings")$recipe

recipe_file = function(recipe, file = tempfile(fileext = ".recipe")) {
  utils::getFromNamespace("write_recipe", "rbridge")(recipe, file)
  file
}

# The generator of a recipe, if its file is not refused.
generator_of_recipe = function(recipe) read_batch_sampler(recipe_file(recipe))
