/* A user's names for log columns, stored between runs. */
#ifndef UI_LOG_NAMES_H
#define UI_LOG_NAMES_H

/* Loads the stored names. */
void log_names_read(void);
/* Stores names added since, if any; failures are ignored. */
void log_names_keep(void);

#endif
