/* Numbers for doubles, in order of first appearance, in a time that does not depend on the values. Two are the same if
 * their bits are, which may be those of integers.
 */

#include "core/functions.h"
#include "core/numbering.h"

/* Make "codes" the result, the number of each of the "values", from the host's first row, and "values", the distinct
 * ones in the order of their numbers.
 */
static bool call_number_values(const Parts *request, Host *host) {
  Part given = find_part(request, "values");
  bool are_doubles = given.type == DOUBLES && given.length <= LARGEST_COUNT;
  if (!are_doubles) return refuse(host, "values", "others", "be doubles, at most %d", LARGEST_COUNT);
  const int64_t *distinct = NULL;
  int64_t *codes = host->vector(host, "codes", LONGS, given.length);
  int64_t n_found = codes == NULL ? -1 : number_values(given.values, given.length, codes, &distinct, host);
  double *values = n_found < 0 ? NULL : host->vector(host, "values", DOUBLES, n_found);
  if (values == NULL) return false;
  if (n_found > 0) memcpy(values, distinct, (size_t)n_found * sizeof *values);
  for (int64_t row = 0; host->first_row != 0 && row < given.length; row++) codes[row] += host->first_row;
  return true;
}

const Function number_values_function = {"number_values", call_number_values};
