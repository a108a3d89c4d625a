// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace.ko: module parameters, initialization and exit. Initializes the components in the order
 * of the file FLOORS, and must do nothing else.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "backends/backends.h"
#include "core/block.h"
#include "core/ring.h"
#include "ctl/ctl.h"
#ifdef CONFIG_KUTRACE_CONTROL
#include "ctl/syscall.h"
#endif /* CONFIG_KUTRACE_CONTROL */
#include "point/point.h"
#include "record/record.h"
#include "session/backend.h"
#include "session/pool.h"
#include "session/sessions.h"
#include "users/user.h"

#define KU_MB_BY_CPUS	(~0U)

static unsigned int mb = KU_MB_BY_CPUS;
module_param(mb, uint, 0444);
MODULE_PARM_DESC(mb, "size of the trace buffer in MiB (1 to 65536; default 32, or half a MiB for each CPU if that is more)");

module_param_named(sessions_mb, ku_pool_limit_mb, uint, 0644);
MODULE_PARM_DESC(sessions_mb, "limit for the buffers of all sessions together, in MiB (default 0: half of the machine's memory)");

static unsigned int mode = 0660;
module_param(mode, uint, 0444);
MODULE_PARM_DESC(mode, "permission bits of /dev/kutrace/control (default 0660)");

static unsigned int gid;
module_param(gid, uint, 0444);
MODULE_PARM_DESC(gid, "group whose members may record and read, if marks_all is set (default 0: none)");

static char *backend;
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend, "patched or tracepoints (default: patched if the kernel has the hooks)");

static bool marks_all;
module_param(marks_all, bool, 0444);
MODULE_PARM_DESC(marks_all, "let every user insert marks (default no)");

static unsigned int marks_rate = 10000;
module_param(marks_rate, uint, 0644);
MODULE_PARM_DESC(marks_rate, "limit of marks per second for each user without permission to record; more marks are lost and counted (default 10000, 0: no limit)");

/* Returns a buffer size at which each CPU can clear its next block in time: core/block.c. */
static unsigned int ku_mb_by_cpus(void)
{
	return max(32U, DIV_ROUND_UP(num_online_cpus() * KU_AHEAD_BLOCKS * KUTRACE_BLOCK_BYTES,
				     SZ_1M));
}

/* Initializes everything except the device files. */
static int __init ku_init_recording(void)
{
	const struct ku_hooks *hooks;
	int err;

	if (mb == KU_MB_BY_CPUS)
		mb = ku_mb_by_cpus();
	if (mb < 1 || mb > 65536) {
		pr_err("kutrace: mb=%u is not between 1 and 65536\n", mb);
		return -EINVAL;
	}
	/* The check includes CPUs that may be plugged in later. */
	if (!ku_ring_names_cpus(nr_cpu_ids)) {
		pr_err("kutrace: this machine may have %u CPUs, but a trace can have only %u; set nr_cpus=%u on the kernel's command line\n",
		       nr_cpu_ids, KUTRACE_CPUS, KUTRACE_CPUS);
		return -EOPNOTSUPP;
	}
	hooks = ku_find_hooks(backend);
	if (!hooks)
		return -EOPNOTSUPP;
	ku_access_init(marks_all, make_kgid(&init_user_ns, gid));
	ku_user_rate_init(&marks_rate);
	err = ku_point_init();
	if (err)
		return err;
	err = ku_sessions_init(mb, hooks);
	if (err) {
		ku_point_exit();
		return err;
	}
#ifdef CONFIG_KUTRACE_CONTROL
	ku_syscall_allow(hooks->backend == KUTRACE_BACKEND_PATCHED);
#endif /* CONFIG_KUTRACE_CONTROL */
	return 0;
}

static void ku_exit_recording(void)
{
#ifdef CONFIG_KUTRACE_CONTROL
	ku_syscall_allow(false);
#endif /* CONFIG_KUTRACE_CONTROL */
	ku_sessions_exit();
	ku_point_exit();
	ku_user_exit();
}

#ifndef MODULE
static unsigned int boot;
module_param(boot, uint, 0444);
MODULE_PARM_DESC(boot, "size in MiB of a recording that begins before the second CPU starts (default 0: no recording)");

static bool ku_booted;

/* Starts recording at boot, after memory, clocks and RCU, before other CPUs and drivers. */
static int __init ku_init_boot(void)
{
	if (!boot)
		return 0;
	mb = boot;
	if (ku_init_recording())
		return 0;
	if (!ku_session_on(ku_session_main())) {
		ku_booted = true;
		return 0;
	}
	ku_exit_recording();
	return 0;
}

early_initcall(ku_init_boot);
#else
#define ku_booted false
#endif

static int __init ku_init(void)
{
	int err = ku_booted ? 0 : ku_init_recording();

	if (err)
		return err;
	/* Files can be opened as soon as their node exists: refuse this until all nodes exist. */
	err = ku_files_init(mode, make_kgid(&init_user_ns, gid));
	if (err)
		goto recording;
	err = ku_dev_init(mode);
	if (err)
		goto files;
	ku_access_allow();
	return 0;
files:
	ku_files_exit();
recording:
	ku_exit_recording();
	return err;
}

/* No device file is open any more, but a recording may still be on. */
static void __exit ku_exit(void)
{
	ku_dev_exit();
	ku_files_exit();
	ku_exit_recording();
}

module_init(ku_init);
module_exit(ku_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUtrace: every transition between user and kernel execution");
MODULE_VERSION("0.1.0");
