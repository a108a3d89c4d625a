/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the folder of a CTF trace, and unpacks an archive (tar) of one to a temporary folder. Does not interpret the
 * content of the files.
 */
#ifndef KP_INTEROP_CTF_FILES_H
#define KP_INTEROP_CTF_FILES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"

struct kp_ctf_file {
	char *name;		/* in the folder of the trace */
	char *path;		/* NULL: the file is in the archive */
	uint64_t offset;	/* of the content in the archive */
	uint64_t bytes;		/* size of the content */
};

struct kp_ctf_files {
	FILE *archive;
	char folder[PATH_MAX];			/* has the files of the trace */
	KP_VECTOR(struct kp_ctf_file) list;	/* first metadata, then the streams by name */
	char message[400];
};

/*
 * Finds the trace in the folder @path or below it: a file "metadata" and the files in the same folder. Of
 * several traces it takes the kernel's. Returns 0, or -1 with files->message. The caller closes @files in
 * both cases.
 */
int kp_ctf_files_folder(struct kp_ctf_files *files, const char *path);

/*
 * Finds the trace in an archive, as above, and unpacks it to a folder that kp_ctf_files_close() removes, and so does
 * exit(). @archive must be seekable; kp_ctf_files_close() closes it. @shown: its name in messages.
 */
int kp_ctf_files_archive(struct kp_ctf_files *files, FILE *archive, const char *shown);

void kp_ctf_files_close(struct kp_ctf_files *files);

#endif
