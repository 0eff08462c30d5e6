/* What a person said the columns of logs are called, kept from one run to the next. */
#ifndef UI_LOG_NAMES_H
#define UI_LOG_NAMES_H

/* Learns those kept. */
void log_names_read(void);
/* Keeps those learned since, if any were; a failure is nothing: they are asked for again. */
void log_names_keep(void);

#endif
