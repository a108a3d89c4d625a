/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that appears under its name only when it is whole. Until then it is
 * ".NAME.PID-N.part" in the same directory, and what had the name before stays as it
 * was. What is no regular file (device, pipe) is written directly.
 */
#ifndef KP_OUTPUT_H
#define KP_OUTPUT_H

struct kp_output {
	int fd;			/* write here; -1 when it was handed on */
	char *target;		/* what the name stands for, links followed; or NULL */
	char *part;		/* NULL: written directly */
};

/*
 * 0 or -errno. A new file is for its owner alone (0600), because pages and JSON hold
 * everybody's programs; one that was there keeps its mode, and its owner if we may
 * give it to them.
 */
int kp_output_open(struct kp_output *output, const char *path);

/*
 * Gives the part its name; all must have been written and the descriptor be closed.
 * 0 or -errno; then the part is gone and the file before is still there.
 */
int kp_output_commit(struct kp_output *output);

/* Removes the part, if there is one, and frees. */
void kp_output_abandon(struct kp_output *output);

#endif
