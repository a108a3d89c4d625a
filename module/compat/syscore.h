/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares callbacks for suspend and resume. They run with interrupts disabled on the only active
 * CPU, while timekeeping runs. Later kernels pass data to them.
 */
#ifndef KU_COMPAT_SYSCORE_H
#define KU_COMPAT_SYSCORE_H

#include <linux/syscore_ops.h>

#ifdef KU_DECLARES_SYSCORE
#define KU_SYSCORE_ARGS	void *data
#define KU_SYSCORE(name, on_suspend, on_resume) \
	static const struct syscore_ops name##_ops = { \
		.suspend = on_suspend, \
		.resume = on_resume, \
	}; \
	static struct syscore name = { .ops = &name##_ops }
#else
#define KU_SYSCORE_ARGS	void
#define KU_SYSCORE(name, on_suspend, on_resume) \
	static struct syscore_ops name = { \
		.suspend = on_suspend, \
		.resume = on_resume, \
	}
#define register_syscore(syscore)	register_syscore_ops(syscore)
#define unregister_syscore(syscore)	unregister_syscore_ops(syscore)
#endif

#endif
