// SPDX-License-Identifier: GPL-2.0-only
/* Chooses a back end when the module is loaded. */
#include <linux/printk.h>
#include <linux/string.h>

#include "backends/backends.h"
#include "compat/version.h"

const struct ku_hooks *ku_find_hooks(const char *backend)
{
	bool any = !backend || !backend[0];

#if KU_HAVE_HOOKS
	if (any || !strcmp(backend, "patched"))
		return &ku_hooks_static;
#endif
	if (any || !strcmp(backend, "tracepoints"))
		return &ku_hooks_tp;
	pr_err("kutrace: backend=%s: this kernel has %stracepoints\n", backend,
	       KU_HAVE_HOOKS ? "patched and " : "");
	return NULL;
}
