/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the names of sampled addresses. Names of kernel addresses are in a copy of kallsyms; names
 * of other addresses are found by the maps of the process and the mapped files. Must open only
 * regular files, and only below the folder @root if it is given. Must not use the network.
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

struct kp_sym_files;

/* A part of a file in the memory of a process. */
struct kp_sym_mapping {
	uint64_t start, end;	/* addresses */
	uint64_t offset;	/* offset of start in the file */
	int64_t file;		/* number of the file (kp_sym_file()) */
};

struct kp_sym_process {
	/* threads of the process; NULL: all threads that no other process lists */
	int64_t *pids;
	size_t pid_count;
	bool collected;		/* threads with the next KP_SYM_NEAR pids may also have these maps */
	bool has_maps;		/* false: no maps were listed, as for a kernel thread */
	KP_VECTOR(struct kp_sym_mapping) mappings;	/* mapped files, sorted by address */
};

/* Maximum distance of a thread's pid from the pid of its process, as in KUtrace 3 (Sites). */
#define KP_SYM_NEAR 11

struct kp_sym {
	const struct kp_span_sink *next;	/* set by the caller */
	struct kp_sym_entry *kernel;
	size_t kernel_count, kernel_cap;
	struct kp_sym_process *processes;
	size_t process_count;
	struct kp_sym_files *files;	/* mapped files; NULL: kp_sym_maps() was not called */
	struct kp_strings strings;
	struct kp_map known;		/* address and process -> index in found */
	const struct kp_str **found;	/* name of each address; NULL: the address has no name */
	size_t found_count, found_cap;
	/* numbers of samples, and of samples with a name */
	uint64_t samples, named;
	char message[400];
	char note[400];			/* note of kp_sym_maps(); empty: none */
};

/* kp_sym_kallsyms() and kp_sym_maps() return 0, or -1 and set the message. */
int kp_sym_kallsyms(struct kp_sym *sym, FILE *in, const char *shown);
/*
 * @pids: "105,106" or "all". With "all", @maps may be a collection: maps of several processes, each
 * after a line with "=== /proc/PID/maps". @root: directory below which the paths in the maps are,
 * or NULL. @debug: additional directory of separate debug files, or NULL. Leaves out lines that are
 * no maps, and sets the note.
 */
int kp_sym_maps(struct kp_sym *sym, const char *pids, FILE *maps, const char *shown,
		const char *root, const char *debug);

/* Returns a sink that passes rows on to next, and replaces addresses in PC samples by names. */
struct kp_span_sink kp_sym_sink(struct kp_sym *sym);
void kp_sym_free(struct kp_sym *sym);

#endif
