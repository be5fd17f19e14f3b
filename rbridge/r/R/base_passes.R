# Epochs that take the rows of a stratum less or more often than once: walked parts of a stratum, and whole passes.
# A plan takes k of the n rows of a stratum.
# The surplus k %% n rows are walked: the stratum has a fixed order, that of epoch 0, and an epoch takes rows from place
# epoch * k %% n on, cyclically.
# An epoch orders entries: the rows of the dataset, followed by the repetitions, stratum by stratum, whole passes first.
# The C core draws them: src/core/passes.h.

# A setup whose epochs are drawn by passes. It needs no memory: the codes differ from epoch to epoch.
with_passes = function(setup) {
  setup["memory"] = list(NULL)
  c(setup, list(passes = passes_setup(setup)))
}

# -> list(
#   codes = the pass of each entry, from 0; rows in no batch have the number of passes,
#   sizes = the entries of each pass,
#   repeated = the rows, from 1, of the entries beyond the dataset,
#   short = which of these are in short passes, which have other rows in each epoch,
#   walks = the strata that are walked, see walked_orders()
# )
passes_setup = function(setup) {
  taken = setup$plan$counts
  available = setup$counts[seq_along(taken)]
  whole = pmax(taken %/% available, 1)
  short = ifelse(taken < available, 0, taken %% available)
  n_passes = whole + (short > 0)
  ends = cumsum(n_passes)
  rows_of = rows_by_stratum(setup$codes, seq_along(setup$codes), which(n_passes > 1))
  own = ends - whole
  sizes = rep(pmin(taken, available), n_passes)
  sizes[(ends - n_passes + 1)[short > 0]] = short[short > 0]
  behind = lapply(names(rows_of), function(name) {
    stratum = as.integer(name)
    again = whole[stratum] - 1
    list(
      codes = c(rep(own[stratum] + seq_len(again), each = available[stratum]), rep(own[stratum] - 1, short[stratum])),
      rows = c(rep(rows_of[[name]], again), integer(short[stratum])),
      is_short = rep(c(FALSE, TRUE), c(again * available[stratum], short[stratum]))
    )
  })
  list(
    codes = if (length(behind) == 0L) {
      setup$codes
    } else {
      as.integer(c(c(own, ends[length(ends)])[as.integer(setup$codes) + 1L], unlist(lapply(behind, `[[`, "codes"))))
    },
    sizes = sizes,
    repeated = as.integer(unlist(lapply(behind, `[[`, "rows"))),
    short = which(as.logical(unlist(lapply(behind, `[[`, "is_short")))),
    walks = walked_orders(setup, taken, available)
  )
}

# Rows of some strata, given in ascending order, each in the given order of all rows: a list, by the number of the
# stratum.
rows_by_stratum = function(codes, rows, strata) {
  numbers = as.integer(codes[rows]) + 1L
  is_wanted = numbers %in% strata
  rows = rows[is_wanted]
  numbers = numbers[is_wanted]
  rows = rows[order(numbers, method = "radix")]
  ends = cumsum(tabulate(match(numbers, strata), length(strata)))
  begins = c(0, ends)[seq_along(strata)]
  stats::setNames(Map(function(begin, end) rows[begin + seq_len(end - begin)], begins, ends), strata)
}

# For each walked stratum: its rows in the fixed order, and the number of them in an epoch.
walked_orders = function(setup, taken, available) {
  walked = which(taken %% available > 0)
  if (length(walked) == 0L) {
    return(list())
  }
  n_rows = length(setup$codes)
  order = if (setup$shuffle) shuffled_rows(n_rows, epoch_seed(setup$seed, 0)) else seq_len(n_rows)
  rows_of = rows_by_stratum(setup$codes, order, walked)
  Map(function(rows, taken) list(rows = rows, taken = taken), rows_of, taken[walked])
}

# -> list(rows, offsets), as epoch_batches() returns them
passes_batches = function(setup, epoch) {
  passes = setup$passes
  codes = passes$codes
  over = lapply(passes$walks, function(walk) {
    if (walk$taken > length(walk$rows)) walked_rows(walk, epoch, walk$taken %% length(walk$rows))
  })
  left_out = lapply(passes$walks, function(walk) {
    if (walk$taken < length(walk$rows)) walked_rows(walk, epoch + 1, length(walk$rows) - walk$taken)
  })
  n_passes = length(passes$sizes) # an integer, like the codes
  codes[as.integer(unlist(left_out))] = if (is.raw(codes)) as.raw(n_passes) else n_passes
  repeated = passes$repeated
  repeated[passes$short] = as.integer(unlist(over))
  plan = setup$plan
  .Call(C_draw_passes, codes, passes$sizes, plan$counts, setup$counts[seq_along(plan$counts)], plan$n_batches,
    length(setup$codes), repeated, if (setup$shuffle) epoch_seed(setup$seed, epoch))
}

# `count` rows of a walk, from the place where an epoch begins.
walked_rows = function(walk, epoch, count) {
  n = length(walk$rows)
  begin = multiplied_modulo(epoch, walk$taken, n)
  walk$rows[(begin + seq_len(count) - 1) %% n + 1]
}

# a * b modulo n, for a below 2^24 and b below 2^31: the product is computed in two parts, because it may exceed 2^53.
multiplied_modulo = function(a, b, n) {
  ((a %% 4096) * b + (a %/% 4096) * ((4096 * b) %% n)) %% n
}
