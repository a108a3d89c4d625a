// SPDX-License-Identifier: BSD-3-Clause
/*
 * Recognizes kernel threads by their names, see reconstruct/kernel.h.
 */
#include "reconstruct/kernel.h"

/* Names of kernel threads. #: one or more digits; * at the end: anything. */
static const char *const kp_kernel_names[] = {
	"kthreadd", "kworker/*", "ksoftirqd/#", "ktimers/#", "irq_work/#", "migration/#",
	"cpuhp/#", "idle_inject/#", "irq/*", "pool_workqueue_*", "pr/*",
	"rcu_*", "rcub/#", "rcuc/#", "rcuog/#", "rcuop/#", "rcuos/#",
	"kswapd#", "kcompactd#", "khugepaged", "ksmd", "oom_reaper", "writeback",
	"kblockd", "kthrotld", "kintegrityd", "jbd2/*", "ext4-rsv-conver", "xfsaild/*",
	"xfs-*", "btrfs-*", "scsi_eh_#", "scsi_tmf_#", "loop#", "kcryptd/*", "dmcrypt_write/*",
	"kdevtmpfs", "kauditd", "khungtaskd", "watchdogd", "psimon", "hwrng",
	"kdamond.#", "vhost-#", "iou-wrk-#", "iou-sqp-#",
};

static bool kp_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool kp_matches(const char *pattern, const char *text, size_t len)
{
	const char *end = text + len;

	for (; *pattern; pattern++) {
		if (*pattern == '*')
			return true;
		if (text == end || (*pattern == '#' ? !kp_is_digit(*text) : *pattern != *text))
			return false;
		text++;
		while (*pattern == '#' && text < end && kp_is_digit(*text))
			text++;
	}
	return text == end;
}

bool kp_rec_is_kernel_name(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(kp_kernel_names) / sizeof(kp_kernel_names[0]); i++)
		if (kp_matches(kp_kernel_names[i], text, len))
			return true;
	return false;
}
