/* The catalogue: every text a user sees is written in English in the source inside _("…") and looked
 * up here. Translations are compiled in (po/LANG.po → .mo → the object file), so nothing depends on
 * installed locales. Formats may reorder their arguments with %1$s. */
#ifndef BASE_MSG_H
#define BASE_MSG_H

#define _(id) msg_get(id)
#define N_(id) id /* marks a text in a table for translation; looked up when shown */

/* Chooses by a locale name ("zh_CN.UTF-8", "zh", "en", "C"); NULL or unknown is English.
 * Returns the language in force ("en", "zh_CN"; English also without memory for the texts). Call it before threads
 * look texts up, or from one thread. */
const char *msg_language(const char *locale);
const char *msg_current(void);
const char *msg_get(const char *id) __attribute__((format_arg(1)));

#endif
