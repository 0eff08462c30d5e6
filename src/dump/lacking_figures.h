/* Rows without a figure that the other rows of their type have: a tool writes the same ones of each tensor. */
#ifndef DUMP_LACKING_FIGURES_H
#define DUMP_LACKING_FIGURES_H

#include "dump/dump.h"

/* Adds a problem for each such row. Called once all rows are there, with the lock. */
void lacking_figures_find(struct dump *d);

#endif
