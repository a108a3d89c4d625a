/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of typed tracepoints. Any context. */
#ifndef KU_POINT_TEXT_H
#define KU_POINT_TEXT_H

#include <linux/types.h>

/* "NAME TYPE FIELD, TYPE FIELD|FORMAT": the length of the name; 0: it is no definition. */
size_t ku_point_check(const char *text);
/* Whether len bytes of name are as pattern says; * is any number of them, ? is one. */
bool ku_point_match(const char *pattern, const char *name, size_t len);

#endif
