# Files of recipes: plain vectors behind a header in JSON, without any code; pystrat/recipe_file.py has the layout.
# A recipe has only one form as a file. So a header is valid if the header of what was read is the same text, and no
# parser has to be trusted with it.

file_types = c(raw = "U8", integer = "I32", double = "F64")
file_sizes = c(raw = 1, integer = 4, double = 8)
recipe_entries = c("parts", "state", "labels")
largest_header = 2^16
text_bytes = 72 # an element of character() in R: a pointer and a short string

# -> the recipe of a file, whose vectors take at most `max_bytes`; what it means is not checked.
read_recipe = function(path, max_bytes) {
  input = file(normalizePath(path), "rb")
  on.exit(close(input))
  header = read_header(input)
  found = header_vectors(header)
  if (file.size(path) != 8 + nchar(header) + sum(found$counts * file_sizes[found$types])) {
    refuse_file("vectors of another size than its header says")
  }
  n_texts = sum(found$counts[endsWith(found$names, ".lengths")])
  check_recipe_bytes(sum(found$counts * file_sizes[found$types]) + text_bytes * n_texts, max_bytes)
  vectors = Map(function(type, count) read_vector(input, type, count), found$types, found$counts)
  recipe = recipe_of_vectors(header_metadata(header), found$names, vectors)
  if (!identical(header, recipe_header(recipe, file_vectors(recipe)))) {
    refuse_file("a header of another form")
  }
  recipe
}

refuse_file = function(got) {
  stop_parameter("file", "be written by write_batch_sampler() or rbridge.export_r()", got)
}

# A header is short, and of printable ASCII: the names of vectors are.
read_header = function(input) {
  begin = readBin(input, "raw", 8L)
  size = if (length(begin) == 8L) sum(as.integer(begin) * 256^(0:7)) else 0
  bytes = if (size <= largest_header) readBin(input, "raw", size)
  if (length(bytes) != size || size == 0 || any(bytes < as.raw(0x20) | bytes > as.raw(0x7e))) {
    refuse_file("a file without a header")
  }
  rawToChar(bytes)
}

# -> list(version, kind, seed), all of them text
header_metadata = function(header) {
  form = paste0('^\\{"__metadata__":\\{"format":"pystrat.recipe","version":"([0-9]{1,9})",',
    '"kind":"([a-z_]+)"(,"seed":"([0-9]{1,15})")?\\}')
  found = regmatches(header, regexec(form, header))[[1L]]
  if (length(found) == 0L) {
    refuse_file("a header of another form")
  }
  list(version = found[2L], kind = found[3L], seed = found[5L])
}

# -> list(names, types, counts), with one element for each vector of the file
header_vectors = function(header) {
  form = '"([a-z0-9_.]+)":\\{"dtype":"(U8|I32|F64)","shape":\\[([0-9]{1,15})\\]'
  vectors = regmatches(header, gregexpr(form, header))[[1L]]
  list(
    names = sub(form, "\\1", vectors),
    types = names(file_types)[match(sub(form, "\\2", vectors), file_types)],
    counts = as.double(sub(form, "\\3", vectors))
  )
}

# R reads less than 2^31 bytes at a time.
read_vector = function(input, type, count, at_once = 2^27) {
  begins = seq(0, max(count - 1, 0), by = at_once)
  parts = lapply(begins, function(begin) {
    readBin(input, type, min(at_once, count - begin), size = file_sizes[[type]], endian = "little")
  })
  if (length(parts) == 1L) parts[[1L]] else unlist(parts)
}

recipe_of_vectors = function(metadata, names, vectors) {
  recipe = list(
    kind = metadata$kind, version = as.integer(metadata$version),
    seed = if (nzchar(metadata$seed)) as.double(metadata$seed), parts = list(), state = list(), labels = list()
  )
  for (place in seq_along(names)) {
    words = strsplit(names[place], ".", fixed = TRUE)[[1L]]
    is_text = length(words) == 3L && words[3L] == "text"
    if (is_text && !identical(names[place + 1L], paste(c(words[1:2], "lengths"), collapse = "."))) {
      refuse_file("a text without lengths")
    }
    if (length(words) < 2L || !words[1L] %in% recipe_entries || words[2L] %in% names(recipe[[words[1L]]])) {
      next # the form of the header is another one, then
    }
    recipe[[words[1L]]][[words[2L]]] = if (is_text) {
      texts_of_bytes(vectors[[place]], vectors[[place + 1L]])
    } else {
      vectors[[place]]
    }
  }
  recipe
}

texts_of_bytes = function(bytes, lengths) {
  are_lengths = is.raw(bytes) && is.integer(lengths) && !anyNA(lengths) && all(lengths >= 0L)
  if (!are_lengths || sum(as.double(lengths)) != length(bytes) || any(bytes == as.raw(0L))) {
    refuse_file("a text that is not one")
  }
  texts = readChar(bytes, lengths, useBytes = TRUE)
  Encoding(texts) = "UTF-8"
  if (!all(validUTF8(texts))) {
    refuse_file("a text that is not UTF-8")
  }
  texts
}

# -> the vectors of a file, by name: raw, integer and double
file_vectors = function(recipe) {
  found = list()
  for (entry in recipe_entries) {
    for (name in names(recipe[[entry]])) {
      found = c(found, vectors_of_part(recipe[[entry]][[name]], paste(entry, name, sep = ".")))
    }
  }
  found
}

vectors_of_part = function(vector, name) {
  if (!is.character(vector)) {
    return(stats::setNames(list(vector), name))
  }
  texts = enc2utf8(vector)
  found = list(charToRaw(paste(texts, collapse = "")), nchar(texts, "bytes"))
  stats::setNames(found, paste0(name, c(".text", ".lengths")))
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
  for (vector in vectors) {
    write_vector(vector, output)
  }
}

# R writes less than 2^31 bytes at a time.
write_vector = function(vector, output, at_once = 2^27) {
  if (is.double(vector)) {
    vector[is.na(vector)] = one_nan
  }
  n = length(vector)
  for (begin in seq(0, max(n - 1, 0), by = at_once)) {
    some = if (n <= at_once) vector else vector[(begin + 1):min(begin + at_once, n)]
    writeBin(some, output, endian = "little")
  }
}

# The same bits on all processors.
one_nan = readBin(as.raw(c(0, 0, 0, 0, 0, 0, 0xf8, 0x7f)), "double", endian = "little")
