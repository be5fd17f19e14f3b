# Files of recipes, read and written as R/base_recipe_file.R describes them, without its functions: so tests can write
# what the package would not.

dtypes_of_recipes = c(raw = "U8", integer = "I32", double = "F64")
sizes_of_recipes = c(raw = 1L, integer = 4L, double = 8L)

recipe_of = function(generator) attr(generator, "settings")$recipe

# The file of a recipe.
recipe_file = function(recipe, file = tempfile(fileext = ".recipe")) {
  vectors = unlist(lapply(c("parts", "state", "labels"), function(entry) {
    given = Filter(Negate(is.null), recipe[[entry]])
    named = stats::setNames(given, sprintf("%s.%s", rep(entry, length(given)), names(given)))
    unlist(unname(Map(vectors_of_file, names(named), named)), recursive = FALSE)
  }), recursive = FALSE)
  types = vapply(vectors, typeof, "")
  ends = cumsum(lengths(vectors) * sizes_of_recipes[types])
  metadata = sprintf('"__metadata__":{"format":"pystrat.recipe","version":"%d","kind":"%s"%s}', recipe$version,
    recipe$kind, if (is.null(recipe$seed)) "" else sprintf(',"seed":"%.0f"', recipe$seed))
  entries = sprintf('"%s":{"dtype":"%s","shape":[%d],"data_offsets":[%.0f,%.0f]}', names(vectors),
    dtypes_of_recipes[types], lengths(vectors), c(0, ends)[seq_along(ends)], ends)
  header = charToRaw(sprintf("{%s}", paste(c(metadata, entries), collapse = ",")))
  numbers = lapply(vectors, function(vector) {
    if (is.double(vector)) vector[is.na(vector)] = NaN
    if (is.raw(vector)) vector else writeBin(vector, raw(), endian = "little")
  })
  writeBin(c(as.raw(length(header) %/% 256^(0:7) %% 256), header, unlist(numbers)), file)
  file
}

# Text is its bytes, and the number of them of each element.
vectors_of_file = function(name, vector) {
  if (!is.character(vector)) {
    return(stats::setNames(list(vector), name))
  }
  vector = enc2utf8(vector)
  stats::setNames(list(charToRaw(paste(vector, collapse = "")), nchar(vector, "bytes")),
    paste0(name, c(".text", ".lengths")))
}

# The generator of a recipe, if its file is not refused.
generator_of_recipe = function(recipe) read_batch_sampler(recipe_file(recipe))
