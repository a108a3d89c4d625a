/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page's template: what stands in front of the data and what behind; and
 * whole files, as it is one. Called by page.c and out.c; for its files by views.c.
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
	/* what is written before the data: up to three pieces; then what behind */
	struct kp_piece {
		const char *data;
		size_t len;
	} before[5], after;
	char *d3;		/* text of the d3 file, made safe for a script element */
	size_t d3_len;
};

/*
 * The whole file, up to 64 MiB, with a NUL behind it, to be freed; false: error says why.
 * what is "template" or "d3 file".
 */
bool kp_template_read_file(const char *what, const char *path, char **text, size_t *len,
			   char *error, size_t error_size);

/* Reads and splits. false: error says why. */
bool kp_template_open(struct kp_template *t, const char *path, const char *d3_path,
		      char *error, size_t error_size);
void kp_template_close(struct kp_template *t);

#endif
