/* The rules of a text, "rules", each of which is checked. */

#include "core/functions.h"
#include "core/rules.h"

/* Make "places" the result: where the pattern of each rule begins and ends in the text, and its weight. */
static bool call_read_rules(const Parts *request, Host *host) {
  Rules rules;
  if (!read_rules(request, &rules, host)) return false;
  double *places = host->vector(host, "places", DOUBLES, 4 * rules.n_rules);
  if (places == NULL) return false;
  for (int64_t i = 0; i < rules.n_rules; i++, places += 4) {
    Span pattern = rules.rules[i].pattern, weight = rules.rules[i].weight;
    places[0] = (double)pattern.begin;
    places[1] = (double)pattern.end;
    places[2] = (double)weight.begin;
    places[3] = (double)weight.end;
  }
  return true;
}

const Function read_rules_function = {"read_rules", call_read_rules};
