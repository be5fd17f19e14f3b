/* The positives of a table of users and items, for the routines that draw negatives. */

#ifndef RBRIDGE_POSITIVES_H
#define RBRIDGE_POSITIVES_H

#include "arguments.h"

/* The positives of a table. A cell is user * n_items + item, both counted from 0. */
typedef struct {
  int64_t *cells;     /* n_positives: the distinct ones, sorted; then the repetitions, sorted */
  int64_t n_positives;
  int64_t n_distinct;
  int64_t n_users;
  int64_t n_items;
} Positives;

/* Read cells that R holds as doubles, and check their order. */
Positives read_positives(SEXP cells, SEXP n_users, SEXP n_items);

/* Return the beginning of the distinct cells of each user, and the end of the last one's. */
int64_t *starts_of_users(const Positives *positives);

/* Turn the ranks of free cells into cells, in place. */
void find_cells_of_ranks(const Positives *positives, int64_t *ranks, int64_t count);

/* Turn the bits of 64-bit integers into the doubles that R has, in place. */
void numbers_to_doubles(double *numbers, int64_t count);

#endif
