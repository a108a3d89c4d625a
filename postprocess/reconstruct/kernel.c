// SPDX-License-Identifier: BSD-3-Clause
/*
 * Recognizes kernel threads by their names, see reconstruct/kernel.h.
 */
#include "reconstruct/kernel.h"

/*
 * Names that the kernel and its modules give to their threads, cut after 15 bytes as all names of
 * threads are. #: digits; * at the end: anything. A user program with such a name counts as a kernel
 * thread only until it does what only user code does.
 */
static const char *const kp_kernel_names[] = {
	/* CPUs, interrupts, timers */
	"kthreadd", "kworker/*", "ksoftirqd/#", "ktimers/#", "ktimersoftd/#", "irq_work/#", "migration/#",
	"stopper/#", "cpuhp/#", "idle_inject/#", "acpi_pad/#", "irq/*", "pool_workqueue_*", "mm_percpu_wq",
	"events/#", "watchdog/#", "watchdogd", "kwatchdog", "khungtaskd", "posixcputmr/#", "sugov:#", "cppc_fie",
	"cpumap/*", "backlog_napi/#", "napi/*", "pr/*", "rcu_*", "rcub/#", "rcuc/#", "rcuog/#", "rcuop/#",
	"rcuos/#", "psimon", "hwlatd", "hwlatd/#", "cpuwti/#", "khelper", "async/mgr",
	/* memory */
	"kswapd#", "kcompactd#", "khugepaged", "ksmd", "oom_reaper", "kmemleak", "kdamond.#", "zswap-shrink",
	"slub_flushwq", "pgdatinit#", "ksgxd", "hv_balloon", "xen-balloon",
	/* blocks and volumes */
	"writeback", "bdi-default", "sync_supers", "pdflush", "flush-#:#", "kblockd", "kblockd/#", "blkcg_punt_bio",
	"kthrotld", "kintegrityd", "loop#", "nbd#-recv", "scsi_eh_#", "scsi_tmf_#", "scsi_wq_#", "fc_wq_#",
	"ata_sff", "lpfc_worker_#", "iscsi_np", "iscsi_trx", "iscsi_ttx", "zfcperp*", "mmcqd/#", "usb-storage",
	"nvme-wq", "nvme-reset-wq", "nvme-delete-wq", "nvme_tcp_wq", "nvmet-*",
	"md#_raid#", "md#_resync", "md#_reshape", "md#_recovery", "md#_reclaim", "md#_cluster_*", "md_d#_raid#",
	"raid5wq", "kdmflush", "kdmflush/*", "kdmwork-#:#", "dm_bufio_cache", "dm-cache", "dm-clone", "dm-era", "dm-thin", "kcopyd",
	"dm-delay-flush-", "dm-integrity-*", "vdo#:*",
	"kmirrord", "ksnaphd", "kdelayd", "kverityd", "kmpathd", "kmpath_*", "kcryptd", "kcryptd/*", "kcryptd-*",
	"kcryptd_io", "kcryptd_io/*", "kcryptd_io-*", "dmcrypt_write", "dmcrypt_write/*", "dm_writecache_f",
	"writecache_endi", "bcache_*", "bch-copygc/*", "bch-rebalance/*", "bch-reclaim/*",
	"drbd_w_*", "drbd_r_*", "drbd_a_*", "drbd_s_*", "xenbus", "xenbus_probe", "xenwatch", "blkback.#.*",
	/* file systems */
	"jbd2/*", "kjournald", "ext4-rsv-conver", "ext4lazyinit", "kmmpd-*", "xfsaild/*", "xfs-*", "xfsalloc",
	"xfs_mru_cache",
	"btrfs-cleaner", "btrfs-transacti", "btrfs-worker*", "btrfs-delalloc", "btrfs-delalloc-", "btrfs-flush_del",
	"btrfs-cache", "btrfs-cache-#", "btrfs-submit", "btrfs-submit-#", "btrfs-fixup", "btrfs-fixup-#", "btrfs-endio*",
	"btrfs-rmw", "btrfs-rmw-#", "btrfs-compresse", "btrfs-freespace", "btrfs-delayed-m", "btrfs-readahead",
	"btrfs-qgroup-re", "btrfs-extent-re", "btrfs-scrub", "btrfs-scrub-#", "btrfs-scrubpari", "btrfs-scrubwrc*",
	"btrfs-scrubnc*", "btrfs-genwork", "btrfs-genwork-#", "btrfs-uuid", "btrfs-devrepl", "btrfs-balance",
	"f2fs_gc-*", "f2fs_ckpt-*", "f2fs_discard-*", "f2fs_flush-*", "gfs2_logd",
	"gfs2_logd/*", "gfs2_quotad", "gfs2_quotad/*", "dlm_recoverd", "dlm_scand", "dlm_send", "dlm_recv",
	"ocfs2cmt-*", "ocfs2dc-*", "ocfs2rec-*", "o2hb-*", "segctord", "jfsCommit", "jfsIO", "jfsSync",
	"jffs2_gcd_mtd#", "ubi_bgt#d", "ubifs_bgt#_#", "erofs_worker/#", "ecryptfs-kthrea", "reiserfs/*",
	"nfsd", "lockd", "nfsiod", "nfsv4.#-svc", "NFSv4 callback", "rpciod", "rpciod/#", "xprtiod", "cifsd",
	"cifsiod", "ksmbd-*", "ksmbd:*", "ceph-msgr", "krxrpcio/#", "audit_prune_tre",
	/* ZFS */
	"arc_prune", "arc_evict", "arc_reap", "dbu_evict", "dbuf_evict", "l2arc_feed", "txg_quiesce", "txg_sync",
	"dp_sync_taskq", "z_null_*", "z_rd_*", "z_wr_*", "z_fr_*", "zthr_procedure", "zvol_tq-#",
	"spl_system_task", "spl_delay_taskq", "spl_dynamic_tas", "spl_kmem_cache",
	/* network */
	"netns", "inet_frag_wq", "ipv6_addrconf", "kstrp", "tls-strp", "ipvs-e:*", "kpktgend_#", "wg-crypt-*",
	"krfcommd", "kbnepd *", "khidpd_*", "kauditd", "vif#.#-*",
	/* devices */
	"card#-crtc#", "crtc_event:#", "sdma#", "gfx_#.#.#", "comp_#.#.#", "nv_queue", "nvidia-modeset/*", "kdevtmpfs",
	"khubd", "kipmi#", "kapmd", "ksdioirqd/*", "spi#", "ptp#", "brcmf_wdog/*", "vmbus_irq/#", "khvcd", "kopald",
	"eehd", "hwrng", "edac-poller", "devfreq_wq", "acpi_thermal_pm", "tpm_dev_wq", "cryptomgr_probe",
	"cryptomgr_test",
	/* virtual machines */
	"kvm-pit/#",
};

/* Names of workers: threads of a program that never leave the kernel. In older kernels, some are kernel threads. */
static const char *const kp_worker_names[] = { "kvm-nx-lpage-re", "vhost-#", "iou-wrk-#", "iou-sqp-#" };

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

static bool kp_matches_any(const char *const *patterns, size_t count, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (kp_matches(patterns[i], text, len))
			return true;
	return false;
}

bool kp_rec_is_worker_name(const char *text, size_t len)
{
	return kp_matches_any(kp_worker_names, sizeof(kp_worker_names) / sizeof(kp_worker_names[0]), text, len);
}

bool kp_rec_is_kernel_name(const char *text, size_t len)
{
	return kp_matches_any(kp_kernel_names, sizeof(kp_kernel_names) / sizeof(kp_kernel_names[0]), text, len) ||
	       kp_rec_is_worker_name(text, len);
}
