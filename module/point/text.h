/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of typed tracepoints. Any context. */
#ifndef KU_POINT_TEXT_H
#define KU_POINT_TEXT_H

#include <linux/types.h>

/*
 * Checks a definition "NAME TYPE FIELD, TYPE FIELD|FORMAT". Returns the length of the name, or 0 if
 * it is not valid.
 */
size_t ku_point_check(const char *text);
/*
 * Returns whether the @len bytes of @name match @pattern. * matches any number of characters, ?
 * matches one.
 */
bool ku_point_match(const char *pattern, const char *name, size_t len);

#endif
