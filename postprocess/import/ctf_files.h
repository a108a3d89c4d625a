/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds and reads the files of a CTF trace, in a folder or in an archive (tar) of a folder. Does not
 * interpret their content.
 */
#ifndef KP_IMPORT_CTF_FILES_H
#define KP_IMPORT_CTF_FILES_H

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
 * Finds the trace in an archive, as above. @archive must be seekable; kp_ctf_files_close() closes it. @shown:
 * its name in messages.
 */
int kp_ctf_files_archive(struct kp_ctf_files *files, FILE *archive, const char *shown);

/* Reads @len bytes of the file with index @file, from @offset on. Returns 0, or -1 with files->message. */
int kp_ctf_files_read(struct kp_ctf_files *files, size_t file, uint64_t offset, void *bytes, size_t len);

void kp_ctf_files_close(struct kp_ctf_files *files);

#endif
