/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a CTF trace: those of a folder, or of an archive (tar) of one. Knows names and
 * bytes, not what is in them. Used by import/ctf_source.c.
 */
#ifndef KP_IMPORT_CTF_FILES_H
#define KP_IMPORT_CTF_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vector.h"

struct kp_ctf_file {
	char *name;		/* within the trace's folder */
	char *path;		/* NULL: in the archive */
	uint64_t offset;	/* there */
	uint64_t bytes;
};

struct kp_ctf_files {
	FILE *archive;
	KP_VECTOR(struct kp_ctf_file) list;	/* in the order of their names, but for the first: metadata */
	char message[400];
};

/*
 * The trace in that folder, or in one below it: a file "metadata" and those beside it. 0, or -1 with
 * files->message; to be closed in either case.
 */
int kp_ctf_files_folder(struct kp_ctf_files *files, const char *path);

/* The same of an archive, which can be read at any place; files closes it. */
int kp_ctf_files_archive(struct kp_ctf_files *files, FILE *archive, const char *shown);

/* All len bytes of a file, from offset on. 0, or -1 with files->message. */
int kp_ctf_files_read(struct kp_ctf_files *files, size_t file, uint64_t offset, void *bytes, size_t len);

void kp_ctf_files_close(struct kp_ctf_files *files);

#endif
