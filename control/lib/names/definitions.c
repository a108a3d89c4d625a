// SPDX-License-Identifier: BSD-3-Clause
/* Definitions of typed tracepoints as names. Must not trust the order of the module's ids. */
#include "lib/names/definitions.h"

#include <errno.h>
#include <string.h>

#include "lib/device/call.h"
#include "lib/device/device.h"

/* Adds a definition in parts. The number of each name contains the id and the part's index. */
int ku_names_add_point(struct ku_name_list *names, uint32_t id, const char *text)
{
	size_t length = strlen(text), at, part;
	uint32_t piece = 0;
	int ret = 0;

	for (at = 0; at < length && !ret; at += part, piece++) {
		part = length - at < KUTRACE_NAME_MAX_BYTES ? length - at :
							      KUTRACE_NAME_MAX_BYTES;
		ret = ku_names_add(names, KUTRACE_NAME_EVENTDEF, KUTRACE_POINT_NUMBER(id, piece),
				   text + at, part);
	}
	return ret;
}

int ku_names_points(int fd, struct ku_name_list *names)
{
	struct kutrace_point_def def;
	uint32_t id = 1;
	int ret;

	if (fd == KU_CALL_FD)
		return 0;
	while (id < KUTRACE_POINT_IDS) {
		memset(&def, 0, sizeof(def));
		def.length = sizeof(def);
		def.id = id;
		ret = ku_dev->ioctl(fd, KUTRACE_IOC_POINT_LIST, (unsigned long)&def);
		/* no more definitions, or a module without typed tracepoints */
		if (ret == -ENOENT || ret == -ENOTTY)
			return 0;
		if (ret < 0)
			return ku_device_error(ret);
		if (def.id < id || def.id >= KUTRACE_POINT_IDS)
			return -EBADMSG;
		def.text[sizeof(def.text) - 1] = '\0';
		ret = ku_names_add_point(names, def.id, def.text);
		if (ret)
			return ret;
		id = def.id + 1;
	}
	return 0;
}
