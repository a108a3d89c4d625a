/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the names of sampled addresses: of the kernel in a copy of kallsyms, of programs in the
 * maps of the process and in the files that the maps name. Must open only regular ones of those
 * files, and only below a given root. Must not use the network.
 */
#ifndef KP_SYM_H
#define KP_SYM_H

#include <stdio.h>

#include "base/memory.h"
#include "model/span.h"

struct kp_sym_entry {
	uint64_t address;
	const struct kp_str *name;
};

struct kp_sym_files;		/* see report/sym_user.h */

/* A part of a file in the memory of a process. */
struct kp_sym_mapping {
	uint64_t start, end;	/* addresses */
	uint64_t offset;	/* offset of start in the file */
	int64_t file;		/* number of the file in files */
};

struct kp_sym_process {
	/* threads of the process; NULL: all threads that no other process has */
	int64_t *pids;
	size_t pid_count;
	bool collected;		/* threads with the next KP_SYM_NEAR numbers also have these maps */
	bool has_maps;		/* false for a kernel thread, which has no maps */
	KP_VECTOR(struct kp_sym_mapping) mappings;	/* mapped files, sorted by address */
};

/* KUtrace 3 (Sites) gives a thread the maps of a process whose number is lower by at most this. */
#define KP_SYM_NEAR 11

struct kp_sym {
	const struct kp_span_sink *next;	/* set by the caller */
	struct kp_sym_entry *kernel;
	size_t kernel_count, kernel_cap;
	struct kp_sym_process *processes;
	size_t process_count;
	struct kp_sym_files *files;	/* files that the maps name; NULL: no maps */
	struct kp_strings strings;
	struct kp_map known;		/* address and process -> index in found */
	const struct kp_str **found;	/* name of each address; NULL: the address has no name */
	size_t found_count, found_cap;
	/* numbers of samples in the rows, and of samples with a name */
	uint64_t samples, named;
	char message[400];
	char note[400];			/* note of kp_sym_maps(); empty: none */
};

/* kp_sym_kallsyms() and kp_sym_maps() return 0, or -1 and set the message. */
int kp_sym_kallsyms(struct kp_sym *sym, FILE *in, const char *shown);
/*
 * pids: "105,106" or "all". With "all", the file may also be a collection: the maps of several
 * processes, each after a line with "=== /proc/PID/maps". root: directory that contains the paths
 * in the maps, or NULL. debug: directory of separate debug files besides the usual ones, or NULL.
 * Leaves out wrong lines, and then sets the note.
 */
int kp_sym_maps(struct kp_sym *sym, const char *pids, FILE *maps, const char *shown,
		const char *root, const char *debug);

/* Returns a sink that passes rows on to next, with names in PC samples. */
struct kp_span_sink kp_sym_sink(struct kp_sym *sym);
void kp_sym_free(struct kp_sym *sym);

#endif
