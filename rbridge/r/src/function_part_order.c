/* Parts of the data that are shuffled one by one: the order of the rows of one of them, and the last epoch. */

#include "core/epoch_order.h"
#include "core/functions.h"
#include "core/part_seeds.h"

/* Make "last" the result: the last epoch that has seeds for "n_parts" parts; -1 if there is none. */
static bool call_last_epoch(const Parts *request, Host *host) {
  double n_parts;
  return read_whole(request, "n_parts", 1, LARGEST_EXACT, &n_parts, host) &&
         host->number(host, "last", (double)last_part_epoch((int64_t)n_parts));
}

const Function last_epoch_function = {"last_epoch", call_last_epoch};
