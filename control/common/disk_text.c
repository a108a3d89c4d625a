// SPDX-License-Identifier: BSD-3-Clause
/* Texts of requests of disks: see disk_text.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/disk_text.h"

static const char *const ops[] = KUTRACE_DISK_OP_LABELS;

const char *ku_disk_op_label(uint32_t op)
{
	return ops[op < KUTRACE_DISK_OPS ? op : KUTRACE_DISK_OTHER];
}

struct ku_disk ku_disk_decode(const uint64_t words[2])
{
	return (struct ku_disk){
		.number = (uint32_t)(words[0] >> KUTRACE_DISK_NUMBER_SHIFT),
		.bytes = (uint32_t)words[0],
		.error = (uint32_t)(words[1] >> KUTRACE_DISK_ERROR_SHIFT),
		.op = (uint32_t)(words[1] >> KUTRACE_DISK_OP_SHIFT) & KUTRACE_DISK_OP_MASK,
		.sector = words[1] & KUTRACE_DISK_SECTOR_MASK,
	};
}

void ku_disk_set_device(struct ku_disk *disk, uint32_t device, const char *name)
{
	size_t len;

	if (!name || !*name) {
		snprintf(disk->device, sizeof(disk->device), "%u:%u", device >> KUTRACE_DISK_MAJOR_SHIFT,
			 device & ((1U << KUTRACE_DISK_MAJOR_SHIFT) - 1));
		return;
	}
	/* A space ends the device in a text. */
	for (len = 0; name[len] && len < sizeof(disk->device) - 1; len++)
		disk->device[len] = (unsigned char)name[len] <= ' ' ? '_' : name[len];
	disk->device[len] = '\0';
}

size_t ku_disk_put(const struct ku_disk *disk, char text[KU_DISK_TEXT_MAX])
{
	int len = snprintf(text, KU_DISK_TEXT_MAX, "%s %s %" PRIu32 " @%" PRIu64, disk->device,
			   ku_disk_op_label(disk->op), disk->bytes, disk->sector);

	if (disk->error)
		len += snprintf(text + len, KU_DISK_TEXT_MAX - (size_t)len, " error %" PRIu32, disk->error);
	return (size_t)len;
}

bool ku_disk_parse(struct ku_disk *disk, const char *text, size_t len)
{
	char copy[KU_DISK_TEXT_MAX], op[16];
	int end = 0, more = 0;

	if (!len || len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (copy[len - 1] == '?')
		copy[len - 1] = '\0';
	*disk = (struct ku_disk){ .op = KUTRACE_DISK_OPS };
	if (sscanf(copy, "%31s %15s %10" SCNu32 " @%16" SCNu64 "%n", disk->device, op, &disk->bytes,
		   &disk->sector, &end) < 4 || !end)
		return false;
	for (uint32_t i = 0; i < KUTRACE_DISK_OPS; i++)
		if (!strcmp(op, ops[i]))
			disk->op = i;
	if (sscanf(copy + end, " error %10" SCNu32 "%n", &disk->error, &more) == 1)
		end += more;
	sscanf(copy + end, " #%10" SCNu32, &disk->number);
	return disk->op < KUTRACE_DISK_OPS && disk->sector <= KUTRACE_DISK_SECTOR_MASK;
}
