/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the names of offsets in mapped files, with elfutils. Processes share the files. A file is
 * opened when it is needed; the number of open files is limited.
 */
#ifndef KP_REPORT_SYM_USER_H
#define KP_REPORT_SYM_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kp_sym_files;

/* Returns an empty set of files, or NULL without memory. */
struct kp_sym_files *kp_sym_files_new(void);
/*
 * Sets the directories for the files of further calls of kp_sym_file(). @root: directory below
 * which the paths are, or NULL. @debug: additional directory of separate debug files, or NULL.
 * Returns 0, or -1 with a message.
 */
int kp_sym_files_under(struct kp_sym_files *files, const char *root, const char *debug,
		       char *message, size_t size);
/* Returns the number of the file with this path, or -1 without memory. Does not open the file. */
int64_t kp_sym_file(struct kp_sym_files *files, const char *path);
/*
 * Finds the function at @offset of the file, and the functions inlined there. Writes
 * "outer>inlined>inlined" to @text, cut to @size. Returns false if there is no name.
 */
bool kp_sym_file_name(struct kp_sym_files *files, int64_t file, uint64_t offset, char *text,
		      size_t size);
/*
 * Returns the number of files that were needed but could not be read. Sets *@first to the first
 * such file and the reason.
 */
uint64_t kp_sym_files_unread(const struct kp_sym_files *files, const char **first);
void kp_sym_files_free(struct kp_sym_files *files);

#endif
