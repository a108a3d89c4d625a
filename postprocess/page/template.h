/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splits a page's template into the text before and after the data. Also reads whole files.
 */
#ifndef KP_PAGE_TEMPLATE_H
#define KP_PAGE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

enum kp_template_kind { KP_TEMPLATE_OURS, KP_TEMPLATE_ORIGINAL };

struct kp_template {
	enum kp_template_kind kind;
	char *text;
	size_t len;
	/* the parts to write before the data, and the part after them */
	struct kp_piece {
		const char *data;
		size_t len;
	} before[5], after;
	char *d3;		/* text of the d3 file, escaped for a script element */
	size_t d3_len;
};

/*
 * Reads a whole file of up to 64 MiB and adds a NUL; the caller frees *@text. On failure, returns
 * false and sets the error. @what: kind of the file in the error, such as "template" or "d3 file".
 */
bool kp_template_read_file(const char *what, const char *path, char **text, size_t *len,
			   char *error, size_t error_size);

/* Reads and splits the template. On failure, returns false and sets the error. */
bool kp_template_open(struct kp_template *t, const char *path, const char *d3_path,
		      char *error, size_t error_size);
void kp_template_close(struct kp_template *t);

#endif
