// SPDX-License-Identifier: BSD-3-Clause
/* Defines a typed tracepoint in a library that host.c loads and unloads. */
#include "kutrace_point.h"

KUTRACE_POINT(tp_plug, "n=%u", (uint32_t, n));

void *plugin_byte(void);
void plugin_hit(uint32_t n);

void *plugin_byte(void)
{
	return &KUTRACE_POINT_OBJ_(tp_plug).on;
}

void plugin_hit(uint32_t n)
{
	kutrace_point_tp_plug(n);
}
