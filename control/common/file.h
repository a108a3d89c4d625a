/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that gets its name only when it is whole. Until then it is a part,
 * ".NAME.PID-N.part" in the same folder, and what has the name stays as it is.
 * Functions return 0 or a negative errno.
 */
#ifndef KU_COMMON_FILE_H
#define KU_COMMON_FILE_H

#include <sys/stat.h>

struct ku_part {
	int fd;			/* to write to; -1 once the caller has closed it */
	char *target;		/* the name that it will get; NULL: there is no part */
	char *name;		/* the one that it has; NULL: no part, or named already */
};

/*
 * Makes a part for that name, which is no symbolic link; for its owner alone (0600), as
 * traces and pages show what everybody did.
 */
int ku_part_open(struct ku_part *part, const char *target);
/*
 * Gives it mode and, if allowed, owner of the file that it replaces. Where the group cannot
 * be kept, the mode's rights of the group go.
 */
int ku_part_keep_mode(int fd, const struct stat *before);
/* Renames it; it must be whole and closed. On failure it is still there. */
int ku_part_rename(struct ku_part *part);
/* Closes and removes the part, if it has no other name yet, and frees. */
void ku_part_abandon(struct ku_part *part);

/* fsync(); 0 also where the file system cannot do that. */
int ku_sync_file(int fd);
/* The same for the folder of target, whose new name is lost in a crash otherwise. */
int ku_sync_folder(const char *target);

#endif
