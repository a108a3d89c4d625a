// SPDX-License-Identifier: BSD-3-Clause
/* See model/names.h. The list has no size limit, because a trace may name any number of pids. */
#include "model/names.h"

#include "base/number.h"

/* Returns the object's entry, or NULL. */
static struct kp_name *find(const struct kp_names *names, uint32_t base, uint32_t number)
{
	uint32_t at;

	return kp_map_get(&names->index, (uint64_t)base << 32 | number, &at) ?
		       &names->list.items[at] : NULL;
}

/* Returns the object's entry, and adds an empty entry if needed. Returns NULL without memory. */
static struct kp_name *find_or_add(struct kp_names *names, uint32_t base, uint32_t number)
{
	struct kp_name *name = find(names, base, number);

	if (name || KP_APPEND(&names->list, (struct kp_name){ .base = base, .number = number }))
		return name;
	name = &names->list.items[names->list.count - 1];
	if (!kp_map_set(&names->index, (uint64_t)base << 32 | number, (uint32_t)(names->list.count - 1)))
		return name;
	names->list.count--;
	return NULL;
}

int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len)
{
	struct kp_name *name = find_or_add(names, base, number);

	if (!name)
		return -1;
	if (len > 1u << 20)
		len = 1u << 20;
	if (name->room <= len) {
		uint32_t room = (uint32_t)(len + 16) & ~15u;
		char *bigger = kp_allocated(realloc(name->text, room));

		if (!bigger)
			return -1;
		name->text = bigger;
		name->room = room;
	}
	memcpy(name->text, text, len);
	name->text[len] = 0;
	name->len = (uint32_t)len;
	return 0;
}

void kp_names_set_kind(struct kp_names *names, uint32_t base, uint32_t number, uint32_t kind)
{
	struct kp_name *name = find(names, base, number);

	if (name)
		name->kind = kind;
}

const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number)
{
	const struct kp_name *name = find(names, base, number);

	return name && name->room ? name : NULL;
}

void kp_names_free(struct kp_names *names)
{
	for (size_t i = 0; i < names->list.count; i++)
		free(names->list.items[i].text);
	free(names->list.items);
	kp_map_free(&names->index);
	memset(names, 0, sizeof(*names));
}

bool kp_is_name_of(const char *name, size_t len, const char *wanted)
{
	const size_t n = strlen(wanted);
	const char *dot = memrchr(name, '.', len);

	return n && n <= len && !memcmp(name, wanted, n) && (n == len || (dot && n == (size_t)(dot - name)));
}

static bool is_wait(const struct kp_span *span)
{
	return span->cpu < 0 && span->event >= KUTRACE_MADE_WAITA && span->event <= KUTRACE_MADE_WAITZ;
}

/* Returns true if the thread of the row has a CPU, even if the CPU does not run. */
static bool is_on_cpu(const struct kp_span *span)
{
	return kp_span_is_execution(span) || kp_span_is_stopped(span);
}

/* Returns the entry of @pid, and adds the entry if needed. Returns NULL without memory. */
static struct kp_life *life_of(struct kp_lives *lives, int64_t pid)
{
	struct kp_life *life;
	uint32_t index;

	if (kp_map_get(&lives->index, (uint64_t)pid, &index))
		return &lives->list.items[index];
	index = (uint32_t)lives->list.count;
	life = KP_PUSH(&lives->list);
	if (!life || kp_map_set(&lives->index, (uint64_t)pid, index))
		return NULL;
	*life = (struct kp_life){ .until = INT64_MAX };
	return life;
}

/* Returns the pid of the thread that runs, waits or is woken in the row; 0: none. */
static int64_t whose(const struct kp_span *span)
{
	if (span->event == KP_EVENT_WAKEUP)
		return span->retval;
	return is_wait(span) || is_on_cpu(span) ? span->pid : 0;
}

/* Extends the last pause by @span, which touches or overlaps it, or begins a new pause. */
static void take_pause(struct kp_lives *lives, const struct kp_span *span)
{
	const int64_t end = span->start + span->dur;

	if (span->start > lives->resumed) {
		lives->paused = span->start;
		lives->resumed = end;
	} else if (end > lives->resumed) {
		lives->resumed = end;
	}
}

/* Returns true if an interval of length @time is visible at this resolution. */
static bool is_long(const struct kp_lives *lives, int64_t time)
{
	return time >= KP_LIFE_GAP && time / 2 >= lives->resolution;
}

/*
 * Returns true if the gap from the thread's last row to @now is too long for a living thread. Pauses
 * do not count. A gap that begins while rows are missing shows nothing: a wait has no row there.
 */
static bool was_absent(const struct kp_lives *lives, const struct kp_life *life, int64_t now)
{
	const int64_t off = lives->paused > life->until ? lives->paused : life->until;
	const int64_t on = lives->resumed < now ? lives->resumed : now;

	if (life->until >= now || life->until < lives->complete)
		return false;
	return is_long(lives, now - life->until - (on > off ? on - off : 0));
}

/*
 * Returns true if the row overlaps the thread's run on another CPU: it belongs to a new thread. A
 * wakeup proves nothing: a thread is also woken while it goes to sleep in its exit.
 */
static bool overlaps(const struct kp_lives *lives, const struct kp_life *life, const struct kp_span *span)
{
	const bool runs = is_on_cpu(span);

	return span->event != KP_EVENT_WAKEUP && !(runs && span->cpu == life->cpu) &&
	       is_long(lives, life->ran_until - span->start) && is_long(lives, span->dur);
}

/*
 * Returns true if the row continues the last run of the previous thread with this pid, on that
 * thread's CPU.
 */
static bool is_of_earlier(const struct kp_life *life, const struct kp_span *span)
{
	return life->before_until && is_on_cpu(span) && span->cpu == life->before_cpu &&
	       span->start - life->before_until < KP_LIFE_GAP;
}

static void begin_life(struct kp_life *life)
{
	life->number++;
	life->exiting = false;
	life->before_cpu = life->cpu;
	life->before_until = life->ran_until;
	life->until = INT64_MAX;
	life->ran_until = 0;
}

/* Assigns a row to a life of its pid. After an exit, a gap or an overlap begins a new life. */
static void is_there(const struct kp_lives *lives, struct kp_life *life, const struct kp_span *span)
{
	const int64_t end = span->start + span->dur;

	if (is_of_earlier(life, span)) {
		life->before_until = end;
		life->of_row = life->number - 1;
		return;
	}
	if (life->exiting && (was_absent(lives, life, span->start) || overlaps(lives, life, span)))
		begin_life(life);
	life->of_row = life->number;
	if (life->until == INT64_MAX || end > life->until)
		life->until = end;
	if (is_on_cpu(span)) {
		life->cpu = span->cpu;
		life->ran_until = end;
	}
}

void kp_lives_header(struct kp_lives *lives, const struct kp_header_item *items, size_t count)
{
	struct kp_pause partial;

	lives->resolution = kp_header_resolution(items, count);
	if (kp_header_partial(items, count, &partial))
		lives->complete = partial.on;
}

int64_t kp_lives_row(struct kp_lives *lives, const struct kp_span *span)
{
	const bool exits = span->event == KUTRACE_TASKEXIT;
	const int64_t pid = exits ? span->arg0 : whose(span);
	struct kp_life *life;

	if (span->event == KUTRACE_MADE_PAUSE)
		take_pause(lives, span);
	if (pid > 0) {
		life = life_of(lives, pid);
		if (!life)
			return -1;
		if (exits)
			life->exiting = true;
		else
			is_there(lives, life, span);
		if (pid == span->pid)
			return life->of_row;
	}
	return kp_lives_of(lives, span->pid);
}

uint32_t kp_lives_of(const struct kp_lives *lives, int64_t pid)
{
	uint32_t index;

	return kp_map_get(&lives->index, (uint64_t)pid, &index) ? lives->list.items[index].of_row : 0;
}

bool kp_lives_exiting(const struct kp_lives *lives, int64_t pid)
{
	uint32_t index;

	return kp_map_get(&lives->index, (uint64_t)pid, &index) && lives->list.items[index].exiting;
}

void kp_lives_free(struct kp_lives *lives)
{
	kp_map_free(&lives->index);
	free(lives->list.items);
	memset(lives, 0, sizeof(*lives));
}

/*
 * Names of threads of the kernel and its modules, up to 15 bytes. # stands for digits, * at the end
 * for any text. A user program with such a name counts as a kernel thread until it does what only
 * user code can do.
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

/*
 * Names of workers: threads that belong to a program, but never leave the kernel. In older kernels,
 * some of them are kernel threads.
 */
static const char *const kp_worker_names[] = { "kvm-nx-lpage-re", "vhost-#", "iou-wrk-#", "iou-sqp-#" };

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
	for (size_t i = 0; i < count; i++)
		if (kp_matches(patterns[i], text, len))
			return true;
	return false;
}

bool kp_is_worker_name(const char *text, size_t len)
{
	return kp_matches_any(kp_worker_names, sizeof(kp_worker_names) / sizeof(kp_worker_names[0]), text, len);
}

bool kp_is_kernel_name(const char *text, size_t len)
{
	return kp_matches_any(kp_kernel_names, sizeof(kp_kernel_names) / sizeof(kp_kernel_names[0]), text, len) ||
	       kp_is_worker_name(text, len);
}
