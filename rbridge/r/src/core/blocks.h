/* Batches of a few strata each: the rows of a stratum are cut into blocks, and blocks are dealt to batches.
 *
 * Stratum s has n_blocks[s] blocks, at most one for each batch, and together the strata have as many blocks as the
 * batches have room for. A batch has the floor or the ceiling of the mean number of blocks; larger batches come first.
 * No batch has two blocks of a stratum. The batches are filled one after the other: first with the strata that have as
 * many blocks left as there are batches left, then with the strata whose next block comes first in the order of the
 * epoch. So every batch can be filled: the number of strata that must be in every remaining batch never exceeds the
 * mean, and no stratum has more blocks left than there are batches.
 */

#ifndef PYSTRAT_BLOCKS_H
#define PYSTRAT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host.h"

/* The blocks of an epoch. The caller owns the arrays. */
typedef struct {
  int64_t n_strata;
  int64_t n_batches;
  int64_t n_all;           /* blocks of all strata */
  const int64_t *counts;   /* rows of each stratum, at least n_blocks[s] */
  const int64_t *n_blocks; /* of each stratum, from 0 to n_batches */
  const int64_t *starts;   /* n_strata numbers: where the rows of a stratum begin in `sequences` */
  const int64_t *begins;   /* n_strata numbers: where the blocks of a stratum begin among all blocks */
  int32_t *sequences;      /* the rows, stratum by stratum, each in the order of the epoch */
  int32_t *firsts;         /* n_all numbers: the place of the first row of each block in the order of the epoch */
  int32_t *batch_of;       /* n_all numbers: the batch of each block, from 0 */
} Blocks;

/* The first rank of a block: the larger blocks of a stratum come first. */
static inline int64_t block_begin(int64_t count, int64_t n_blocks, int64_t block) {
  int64_t over = count % n_blocks;
  return block * (count / n_blocks) + (block < over ? block : over);
}

/* Gather the `count` rows from place `begin` on of the order of the epoch: fill `sequences` and `firsts`.
 *
 * `bytes`, or `integers` if it is NULL, has the stratum of each row, n_strata for rows that the epoch leaves out.
 * `ranks` and `found` have n_strata numbers, zeros before the first rows: how many rows and blocks of a stratum have
 * been found. Every stratum occurs counts[s] times. Rows are counted from 0 in `order`, and from `first_row` in
 * `sequences`.
 */
static inline void gather_blocks(
    const int32_t *order, int64_t begin, int64_t count, const uint8_t *bytes, const int32_t *integers,
    int32_t first_row, int64_t *ranks, int64_t *found, Blocks *blocks
) {
  for (int64_t i = 0; i < count; i++) {
    int32_t row = order[i];
    int64_t stratum = bytes != NULL ? bytes[row] : integers[row];
    if (stratum >= blocks->n_strata || blocks->n_blocks[stratum] == 0) continue;
    int64_t rank = ranks[stratum]++;
    blocks->sequences[blocks->starts[stratum] + rank] = row + first_row;
    int64_t block = found[stratum];
    if (block == blocks->n_blocks[stratum]) continue;
    if (rank == block_begin(blocks->counts[stratum], blocks->n_blocks[stratum], block)) {
      blocks->firsts[blocks->begins[stratum] + block] = (int32_t)(begin + i);
      found[stratum] = block + 1;
    }
  }
}

/* The state of dealing the blocks to the batches; the caller owns the arrays. */
typedef struct {
  int64_t batch;     /* the number of batches that are filled */
  int64_t dealt;     /* the number of blocks in them */
  int64_t heap_size;
  int32_t *heap;     /* n_strata numbers: strata that may come next, a heap by key */
  int32_t *keys;     /* n_strata numbers: the place of their next block in the order of the epoch */
  int32_t n_always;
  int32_t *always;   /* n_strata numbers: the strata that are in every remaining batch */
  int32_t *left;     /* n_strata numbers: blocks of each stratum that are not yet dealt */
  int32_t *heads;    /* n_batches + 1 numbers: the first stratum with this number of blocks left, or -1 */
  int32_t *next;     /* n_strata numbers: another stratum with the same number of blocks left, or -1 */
  int32_t *previous; /* n_strata numbers: the same backwards; -1 for the first one */
} Dealing;

/* Add a stratum to those with the same number of blocks left. */
static inline void link_stratum(Dealing *dealing, int32_t stratum) {
  int32_t *head = &dealing->heads[dealing->left[stratum]];
  dealing->next[stratum] = *head;
  dealing->previous[stratum] = -1;
  if (*head >= 0) dealing->previous[*head] = stratum;
  *head = stratum;
}

static inline void unlink_stratum(Dealing *dealing, int32_t stratum) {
  int32_t next = dealing->next[stratum];
  int32_t previous = dealing->previous[stratum];
  if (next >= 0) dealing->previous[next] = previous;
  if (previous >= 0) {
    dealing->next[previous] = next;
  } else {
    dealing->heads[dealing->left[stratum]] = next;
  }
}

/* Put a stratum on the heap. Its key does not change, even if blocks of it are dealt meanwhile. */
static inline void push_stratum(const Blocks *blocks, Dealing *dealing, int32_t stratum) {
  int64_t dealt = blocks->n_blocks[stratum] - dealing->left[stratum];
  int32_t key = blocks->firsts[blocks->begins[stratum] + dealt];
  int64_t place = dealing->heap_size++;
  dealing->keys[stratum] = key;
  while (place > 0) {
    int64_t parent = (place - 1) / 2;
    if (dealing->keys[dealing->heap[parent]] <= key) break;
    dealing->heap[place] = dealing->heap[parent];
    place = parent;
  }
  dealing->heap[place] = stratum;
}

/* Take the stratum with the least key from the heap. */
static inline int32_t pop_stratum(Dealing *dealing) {
  int32_t *heap = dealing->heap;
  const int32_t *keys = dealing->keys;
  int32_t top = heap[0];
  int64_t size = --dealing->heap_size;
  int32_t moved = heap[size];
  int64_t place = 0;
  while (2 * place + 1 < size) {
    int64_t child = 2 * place + 1;
    if (child + 1 < size && keys[heap[child + 1]] < keys[heap[child]]) child += 1;
    if (keys[moved] <= keys[heap[child]]) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = moved;
  return top;
}

/* Begin to deal the blocks, after all of them were gathered. */
static inline void begin_dealing(const Blocks *blocks, Dealing *dealing) {
  dealing->batch = dealing->dealt = dealing->heap_size = 0;
  dealing->n_always = 0;
  for (int64_t batch = 0; batch <= blocks->n_batches; batch++) dealing->heads[batch] = -1;
  for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
    dealing->left[stratum] = (int32_t)blocks->n_blocks[stratum];
    if (dealing->left[stratum] == 0) continue;
    link_stratum(dealing, (int32_t)stratum);
    push_stratum(blocks, dealing, (int32_t)stratum);
  }
}

/* Deal the next block of a stratum to the batch that is being filled. */
static inline void deal_block(Blocks *blocks, Dealing *dealing, int32_t stratum) {
  int64_t block = blocks->n_blocks[stratum] - dealing->left[stratum];
  blocks->batch_of[blocks->begins[stratum] + block] = (int32_t)dealing->batch;
  dealing->left[stratum] -= 1;
  dealing->dealt += 1;
}

/* Whether a stratum must be in every remaining batch after the one that is being filled, which does not have it. */
static inline bool comes_always(const Blocks *blocks, const Dealing *dealing, int32_t stratum) {
  return dealing->left[stratum] == blocks->n_batches - dealing->batch;
}

/* Fill all batches. `chosen` has n_strata numbers. */
static inline bool deal_blocks(Blocks *blocks, Dealing *dealing, int32_t *chosen, Host *host) {
  int64_t checked = 0;
  begin_dealing(blocks, dealing);
  for (; dealing->batch < blocks->n_batches; dealing->batch++) {
    if (dealing->dealt - checked >= GO_ON_ROWS) {
      checked = dealing->dealt;
      if (!host->go_on(host)) return false;
    }
    int64_t batches_left = blocks->n_batches - dealing->batch;
    int64_t room = (blocks->n_all - dealing->dealt + batches_left - 1) / batches_left;
    /* They stay on the heap, where pop_stratum() finds that they are always included. */
    while (dealing->heads[batches_left] >= 0) {
      int32_t stratum = dealing->heads[batches_left];
      unlink_stratum(dealing, stratum);
      dealing->always[dealing->n_always++] = stratum;
    }
    int64_t n_chosen = 0;
    for (int64_t free = room - dealing->n_always; free > 0 && dealing->heap_size > 0;) {
      int32_t stratum = pop_stratum(dealing);
      if (comes_always(blocks, dealing, stratum)) continue;
      unlink_stratum(dealing, stratum);
      chosen[n_chosen++] = stratum;
      free -= 1;
    }
    for (int64_t i = 0; i < n_chosen; i++) {
      deal_block(blocks, dealing, chosen[i]);
      if (dealing->left[chosen[i]] == 0) continue;
      link_stratum(dealing, chosen[i]);
      push_stratum(blocks, dealing, chosen[i]);
    }
    for (int32_t i = 0; i < dealing->n_always; i++) deal_block(blocks, dealing, dealing->always[i]);
  }
  return true;
}

/* Fill `offsets`, of n_batches + 1 numbers, zeros before: where each batch begins, and where the last one ends. */
static inline void fill_block_offsets(const Blocks *blocks, int64_t *offsets) {
  for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
    int64_t count = blocks->counts[stratum];
    int64_t n_blocks = blocks->n_blocks[stratum];
    for (int64_t block = 0; block < n_blocks; block++) {
      int64_t size = block_begin(count, n_blocks, block + 1) - block_begin(count, n_blocks, block);
      offsets[blocks->batch_of[blocks->begins[stratum] + block] + 1] += size;
    }
  }
  for (int64_t batch = 0; batch < blocks->n_batches; batch++) offsets[batch + 1] += offsets[batch];
}

/* Write the rows of the epoch, batch after batch, each in order of stratum.
 *
 * `next_places` has n_batches numbers: at first the offsets, then the ends of the batches.
 */
static inline bool write_blocks(const Blocks *blocks, int64_t *next_places, int32_t *rows, Host *host) {
  int64_t written = 0;
  for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
    int64_t count = blocks->counts[stratum];
    int64_t n_blocks = blocks->n_blocks[stratum];
    const int32_t *sequence = blocks->sequences + blocks->starts[stratum];
    for (int64_t block = 0; block < n_blocks; block++) {
      int64_t first = block_begin(count, n_blocks, block);
      int64_t size = block_begin(count, n_blocks, block + 1) - first;
      int64_t *place = &next_places[blocks->batch_of[blocks->begins[stratum] + block]];
      memcpy(rows + *place, sequence + first, (size_t)size * sizeof(int32_t));
      *place += size;
    }
    written += count;
    if (written >= GO_ON_ROWS) {
      written = 0;
      if (!host->go_on(host)) return false;
    }
  }
  return true;
}

#endif
