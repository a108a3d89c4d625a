/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts of requests of disks, in event text and in the names of rows:
 *
 *   vda read 16384 @2048
 *   vda write 4096 @81920 error 5 #65537
 *
 * device, operation, bytes, first sector, error if there is one, and in event text the number of the
 * request. Must not allocate.
 */
#ifndef KU_COMMON_DISK_TEXT_H
#define KU_COMMON_DISK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_disk.h"

#define KU_DISK_DEVICE_MAX	32	/* size of the name of a device, with the NUL */
#define KU_DISK_TEXT_MAX	128	/* size of a text, with the NUL */

struct ku_disk {
	char device[KU_DISK_DEVICE_MAX];
	uint32_t op;		/* enum kutrace_disk_op */
	uint32_t bytes;
	uint64_t sector;
	uint32_t error;		/* number of the error; 0: none */
	uint32_t number;	/* see kutrace_disk.h; not in the names of rows */
};

/* Reads the two words after the first word of an event. Does not set the device. */
struct ku_disk ku_disk_decode(const uint64_t words[2]);
/* Sets the device's name: @name, or "MAJOR:MINOR" from the device number if @name is NULL or empty. */
void ku_disk_set_device(struct ku_disk *disk, uint32_t device, const char *name);
/* Writes the text. Returns its length. */
size_t ku_disk_put(const struct ku_disk *disk, char text[KU_DISK_TEXT_MAX]);
/* Reads a text. A question mark at its end is ignored. Returns false if the text is no such text. */
bool ku_disk_parse(struct ku_disk *disk, const char *text, size_t len);
/* Returns the name of an operation. */
const char *ku_disk_op_label(uint32_t op);

#endif
