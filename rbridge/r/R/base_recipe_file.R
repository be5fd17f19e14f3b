# Files of recipes: plain vectors behind a header in JSON, without any code; pystrat/core/recipe.py has the layout.
# A recipe has only one form as a file. So a header is valid if the header of what was read is the same text, and no
# parser has to be trusted with it.

file_types = c(raw = "U8", integer = "I32", double = "F64")
file_sizes = c(raw = 1, integer = 4, double = 8)

# -> the recipe of a file, whose vectors take at most `max_bytes`; what it means is not checked.
read_recipe = function(path, max_bytes) {
  input = file(normalizePath(path), "rb")
  on.exit(close(input))
  header = read_header(input)
  recipe = header_recipe(header)
  form = '"([a-z0-9_.]+)":\\{"dtype":"(U8|I32|F64)","shape":\\[([0-9]{1,15})\\]'
  entries = regmatches(header, gregexpr(form, header))[[1L]]
  names = sub(form, "\\1", entries)
  types = names(file_types)[match(sub(form, "\\2", entries), file_types)]
  counts = as.double(sub(form, "\\3", entries))
  bytes = sum(counts * file_sizes[types])
  refuse_file(file.size(path) != 8 + nchar(header) + bytes, "vectors of another size than its header says")
  check_recipe_bytes(bytes, max_bytes)
  vectors = stats::setNames(Map(function(type, count) {
    readBin(input, type, count, size = file_sizes[[type]], endian = "little")
  }, types, counts), names)
  n_texts = sum(unlist(lapply(vectors[endsWith(names, ".text")], `==`, as.raw(0L))))
  check_recipe_bytes(bytes + 72 * n_texts, max_bytes) # an element of character() is a pointer and a short string
  for (name in grep("^(parts|state|labels)[.][a-z0-9_]+([.]text)?$", names, value = TRUE)) {
    place = strsplit(name, ".", fixed = TRUE)[[1L]]
    recipe[[place[1:2]]] = if (length(place) == 2L) vectors[[name]] else texts_of_bytes(vectors[[name]])
  }
  refuse_file(!identical(header, recipe_header(recipe, file_vectors(recipe))), "a header of another form")
  recipe
}

refuse_file = function(condition, got) {
  refuse_if(condition, "file", "be written by write_batch_sampler() or rbridge.export_r()", got)
}

# A header is short, and of printable ASCII: the names of vectors are.
read_header = function(input) {
  begin = readBin(input, "raw", 8L)
  size = if (length(begin) == 8L) sum(as.integer(begin) * 256^(0:7)) else 0
  bytes = if (size <= 2^16) readBin(input, "raw", size)
  refuse_file(length(bytes) != size || size == 0 || any(bytes < as.raw(0x20) | bytes > as.raw(0x7e)),
    "a file without a header")
  rawToChar(bytes)
}

# The recipe that a header names, without its vectors.
header_recipe = function(header) {
  form = paste0('^\\{"__metadata__":\\{"format":"pystrat.recipe","version":"([0-9]{1,9})",',
    '"kind":"([a-z_]+)"(,"seed":"([0-9]{1,15})")?\\}')
  found = regmatches(header, regexec(form, header))[[1L]]
  refuse_file(length(found) == 0L, "a header of another form")
  refuse_if(as.double(found[2L]) != recipe_version, "recipe", sprintf("be of version %d", recipe_version), found[2L])
  new_recipe(found[3L], if (nzchar(found[5L])) as.double(found[5L]), list())
}

# Each text ends with a zero byte.
texts_of_bytes = function(bytes) {
  refuse_file(!is.raw(bytes) || any(utils::tail(bytes, 1L) != as.raw(0L)), "a text that is not one")
  texts = readBin(bytes, "character", sum(bytes == as.raw(0L)))
  Encoding(texts) = "UTF-8"
  refuse_file(!all(validUTF8(texts)), "a text that is not UTF-8")
  texts
}

# -> the vectors of a file, by name: raw, integer and double
file_vectors = function(recipe) {
  vectors = c(list(), unlist(recipe[c("parts", "state", "labels")], recursive = FALSE))
  are_texts = vapply(vectors, is.character, NA)
  vectors[are_texts] = lapply(vectors[are_texts], function(texts) writeBin(enc2utf8(texts), raw(), useBytes = TRUE))
  names(vectors)[are_texts] = sprintf("%s.text", names(vectors)[are_texts])
  vectors
}

recipe_header = function(recipe, vectors) {
  types = vapply(vectors, typeof, "")
  counts = lengths(vectors)
  ends = cumsum(counts * file_sizes[types])
  seed = if (!is.null(recipe$seed)) sprintf(',"seed":"%.0f"', recipe$seed)
  metadata = sprintf('"__metadata__":{"format":"pystrat.recipe","version":"%d","kind":"%s"%s}', recipe$version,
    recipe$kind, paste(seed, collapse = ""))
  entries = sprintf('"%s":{"dtype":"%s","shape":[%.0f],"data_offsets":[%.0f,%.0f]}', names(vectors),
    file_types[types], counts, ends - counts * file_sizes[types], ends)
  sprintf("{%s}", paste(c(metadata, entries), collapse = ","))
}

write_recipe = function(recipe, path) {
  vectors = file_vectors(recipe)
  header = charToRaw(recipe_header(recipe, vectors))
  output = file(path, "wb")
  on.exit(close(output))
  writeBin(as.raw(length(header) %/% 256^(0:7) %% 256), output)
  writeBin(header, output)
  one_nan = readBin(as.raw(c(0, 0, 0, 0, 0, 0, 0xf8, 0x7f)), "double", endian = "little") # on all processors
  for (vector in vectors) {
    writeBin(if (is.double(vector)) replace(vector, is.na(vector), one_nan) else vector, output, endian = "little")
  }
}
