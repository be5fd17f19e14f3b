/* Draws within groups, for the routines that make the groups. */

#ifndef RBRIDGE_GROUP_DRAWS_H
#define RBRIDGE_GROUP_DRAWS_H

#include "core/group_draw.h"

/* Allocate the scratch space of draws without replacement. */
SubsetScratch scratch_of(const GroupDraw *draw);

#endif
