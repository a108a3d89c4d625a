// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recording session: memory for its blocks, reset, on, off, clock pairs,
 * names of the tasks alive at start.
 *
 * Hooks are attached before the first event counts and detached after the last:
 * in between ku_ring.active decides. Locking: ku_session_lock serialises all
 * changes; the emit path takes no lock.
 */
#include <linux/cpu.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "ku_aux.h"
#include "ku_compat.h"
#include "ku_dev.h"
#include "ku_emit.h"
#include "ku_hooks.h"
#include "ku_session.h"

#define KU_BLOCK_ORDER get_order(KUTRACE_BLOCK_BYTES)
#define KU_BLOCK_PAGES (KUTRACE_BLOCK_BYTES / PAGE_SIZE)

DEFINE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);
unsigned int ku_clock_shift __read_mostly;

static DEFINE_MUTEX(ku_session_lock);
static const struct ku_hooks *ku_hooks;
static struct kutrace_meta_page *ku_meta;
static u64 ku_khz;
static unsigned int ku_finest_shift;
static u64 ku_emit_ps;
static u64 ku_missed_before;	/* return probes missed before the reset */
static unsigned int ku_vmalloc_blocks;
static bool ku_ready;

/* State of the recording, under the lock. */
static struct {
	bool on;
	bool ever_on;		/* since the reset */
	u64 flags;
	u64 changes;		/* what could be read while it is off is another now */
	struct kutrace_pair start;
	struct kutrace_pair stop;
	u32 start_cpu;
	u32 start_pid;
	char start_comm[16];
} ku_session;

/* ---- clock ---- */

u64 ku_ns_to_counts(u64 ns)
{
	return mul_u64_u64_div_u64(ns, ku_khz, 1000000) >> ku_clock_shift;
}

/* The smallest shift with at least 10 ns a count. */
static int ku_clock_init(void)
{
	ku_khz = ku_arch_clock_khz();
	if (!ku_khz || !ku_arch_clock_synchronous()) {
		pr_err("kutrace: no time counter that all CPUs share (the kernel calls the TSC unstable; tsc=reliable on the command line overrules it)\n");
		return -ENODEV;
	}
	ku_finest_shift = 0;
	while ((10 * ku_khz) >> ku_finest_shift > 1000000)
		ku_finest_shift++;
	ku_clock_shift = ku_finest_shift;
	return 0;
}

/*
 * Both clocks at one instant: the tightest of a few tries, and the middle of
 * it. Error: half the time of reading the wall clock.
 */
static void ku_read_pair(struct kutrace_pair *pair)
{
	u64 best = ~0ULL;
	int tries;

	for (tries = 0; tries < 8; tries++) {
		unsigned long flags;
		u64 before, after, ns;

		local_irq_save(flags);
		before = ku_clock();
		ns = ktime_get_real_ns();
		after = ku_clock();
		local_irq_restore(flags);
		if (after - before >= best)
			continue;
		best = after - before;
		pair->counts = before + best / 2;
		pair->real_ns = ns;
	}
}

/* ---- memory ---- */

static void ku_free_blocks(void)
{
	u32 i, j;

	for (i = 0; ku_ring.words && i < ku_ring.nblocks; i++) {
		u64 *words = ku_ring.words[i];

		if (is_vmalloc_addr(words)) {
			vfree(words);
			continue;
		}
		for (j = 0; words && j < KU_BLOCK_PAGES; j++)
			__free_page(virt_to_page((char *)words + j * PAGE_SIZE));
	}
	kvfree(ku_ring.words);
	ku_ring.words = NULL;
	vfree(ku_ring.closed);
	vfree(ku_meta);
}

/* Physically contiguous if it can be had, split so that pages map one by one. */
static u64 *ku_alloc_block(void)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
					__GFP_RETRY_MAYFAIL, KU_BLOCK_ORDER);

	if (page) {
		split_page(page, KU_BLOCK_ORDER);
		return page_address(page);
	}
	ku_vmalloc_blocks++;
	return vmalloc_user(KUTRACE_BLOCK_BYTES);
}

static int ku_alloc_blocks(unsigned int mb)
{
	u32 nblocks = mb * (SZ_1M / KUTRACE_BLOCK_BYTES);
	u64 table = PAGE_SIZE;
	u64 bytes = PAGE_ALIGN(table + (u64)nblocks * sizeof(struct kutrace_block));
	u32 i;

	ku_ring.words = kvcalloc(nblocks, sizeof(*ku_ring.words), GFP_KERNEL);
	ku_ring.closed = vzalloc(KUTRACE_BLOCK_BYTES + sizeof(u64));
	ku_meta = vmalloc_user(bytes);
	if (!ku_ring.words || !ku_ring.closed || !ku_meta)
		goto fail;
	for (i = 0; i < nblocks; i++) {
		ku_ring.words[i] = ku_alloc_block();
		if (!ku_ring.words[i])
			goto fail;
		ku_ring.nblocks = i + 1;
		cond_resched();
	}
	if (ku_vmalloc_blocks)
		pr_info("kutrace: %u of %u blocks are not physically contiguous\n",
			ku_vmalloc_blocks, nblocks);
	*ku_meta = (struct kutrace_meta_page){
		.length = sizeof(*ku_meta),
		.abi_version = KUTRACE_ABI_VERSION,
		.nblocks = nblocks,
		.meta_bytes = bytes,
		.table_offset = table,
		.aux_bytes = KUTRACE_AUX_BYTES,
	};
	ku_ring.table = (void *)ku_meta + table;
	return 0;
fail:
	pr_err("kutrace: no memory for %u MiB of blocks; try a smaller mb=\n", mb);
	ku_free_blocks();
	return -ENOMEM;
}

u64 ku_session_meta_bytes(void)
{
	return ku_meta->meta_bytes;
}

u64 ku_session_block_bytes(void)
{
	return (u64)ku_ring.nblocks * KUTRACE_BLOCK_BYTES;
}

struct page *ku_session_meta_page(u64 offset)
{
	if (offset >= ku_meta->meta_bytes)
		return NULL;
	return vmalloc_to_page((char *)ku_meta + offset);
}

struct page *ku_session_block_page(u64 offset)
{
	u64 block = offset / KUTRACE_BLOCK_BYTES;
	char *at;

	if (block >= ku_ring.nblocks)
		return NULL;
	at = (char *)ku_ring.words[block] + offset % KUTRACE_BLOCK_BYTES;
	return is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);
}

/* ---- reset, on, off ---- */

static void ku_close_cpu(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	ku_ring_close_this_cpu();
	local_irq_restore(flags);
}

/* Every CPU closed; stores still under way end with the detaching of hooks. */
static void ku_close_all(void)
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(ku_close_cpu, NULL, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			ku_ring_close_other_cpu(per_cpu_ptr(&ku_cpu, cpu));
	cpus_read_unlock();
}

static void ku_set_active(u32 active)
{
	WRITE_ONCE(ku_ring.active, active);
	WRITE_ONCE(ku_meta->active, active);
}

static void ku_name_task(struct task_struct *task, u64 counts)
{
	char comm[TASK_COMM_LEN];

	get_task_comm(comm, task);
	ku_aux_add(KUTRACE_NAME_PID, task->pid, comm, strlen(comm), counts);
}

/*
 * Names of all tasks. They bear the time from before the hooks were attached,
 * so that whatever a hook has said since comes after.
 */
static void ku_name_all(u64 counts)
{
	struct task_struct *group, *task;

	ku_aux_add(KUTRACE_NAME_PID, 0, "-idle-", 6, counts);
	rcu_read_lock();
	for_each_process_thread(group, task)
		ku_name_task(task, counts);
	rcu_read_unlock();
}

/* What begins with the first event: the pair, and who is responsible. */
static void ku_session_begin(void)
{
	if (ku_session.start.counts)
		return;
	ku_read_pair(&ku_session.start);
	ku_session.start_pid = current->pid;
	ku_task_comm(ku_session.start_comm);
	ku_session.start_cpu = raw_smp_processor_id();
}

int ku_session_reset(u64 flags, unsigned int clock_shift)
{
	u64 changes;
	int cpu, err = 0;

	if (flags & ~(u64)KUTRACE_RESET_WRAP)
		return -EOPNOTSUPP;
	mutex_lock(&ku_session_lock);
	if (ku_session.on) {
		err = -EBUSY;
		goto out;
	}
	ku_ring_reset(flags & KUTRACE_RESET_WRAP);
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu, cpu));
	ku_aux_reset();
	ku_irq_reset();
	ku_missed_before = ku_hooks->missed();
	changes = ku_session.changes;
	memset(&ku_session, 0, sizeof(ku_session));
	ku_session.changes = changes + 1;
	ku_session.flags = flags;
	/* Every CPU is closed, so no time is compared with one of the other shift. */
	ku_clock_shift = clock_shift ?: ku_finest_shift;
out:
	mutex_unlock(&ku_session_lock);
	return err;
}

int ku_session_on(void)
{
	int err = 0;
	u64 before;

	mutex_lock(&ku_session_lock);
	if (!ku_session_ready()) {
		err = -ENODEV;
		goto out;
	}
	if (ku_session.on)
		goto out;
	if (!ku_session.ever_on)
		ku_aux_keep();
	before = ku_clock();
	err = ku_hooks->attach();
	if (err)
		goto out;
	/* Every time: tasks come and go while recording is off. */
	ku_name_all(before);
	ku_session_begin();
	ku_session.on = true;
	ku_session.ever_on = true;
	ku_session.changes++;
	ku_set_active(1);
out:
	mutex_unlock(&ku_session_lock);
	return err;
}

static void ku_session_off_locked(void)
{
	if (!ku_session.on)
		return;
	ku_set_active(0);
	ku_close_all();
	ku_read_pair(&ku_session.stop);
	/* Also waits for probes that were interrupted before their store. */
	ku_hooks->detach();
	ku_session.on = false;
	ku_dev_wake();
}

void ku_session_off(void)
{
	mutex_lock(&ku_session_lock);
	ku_session_off_locked();
	mutex_unlock(&ku_session_lock);
}

/*
 * A point although recording is off, into this CPU's block, where recording goes
 * on. Hooks are detached, so nobody else records meanwhile, but for a mark.
 */
void ku_session_insert(u64 entry)
{
	unsigned long flags;

	mutex_lock(&ku_session_lock);
	ku_session.changes++;
	if (!ku_session.on) {
		ku_session_begin();
		WRITE_ONCE(ku_ring.active, 1);
	}
	local_irq_save(flags);
	ku_emit(entry);
	local_irq_restore(flags);
	if (!ku_session.on)
		WRITE_ONCE(ku_ring.active, 0);
	mutex_unlock(&ku_session_lock);
}

void ku_session_insert_name(u16 base, u32 number, const char *name, size_t len)
{
	mutex_lock(&ku_session_lock);
	ku_session.changes++;
	ku_aux_add(base, number, name, len, ku_clock());
	mutex_unlock(&ku_session_lock);
}

/* ---- reading while it is off ---- */

int ku_session_hold(void)
{
	mutex_lock(&ku_session_lock);
	if (!ku_session.on)
		return 0;
	mutex_unlock(&ku_session_lock);
	return -EBUSY;
}

void ku_session_release(void)
{
	mutex_unlock(&ku_session_lock);
}

u64 ku_session_changes(void)
{
	return ku_session.changes;
}

void ku_session_close_blocks(void)
{
	ku_close_all();
}

/* ---- what is known ---- */

/* The control system call may come as soon as the hooks are registered. */
bool ku_session_ready(void)
{
	/* Pairs with the release in ku_session_init(). */
	return smp_load_acquire(&ku_ready);
}

bool ku_session_recording(void)
{
	return READ_ONCE(ku_ring.active);
}

u64 ku_session_used_blocks(void)
{
	return min_t(u64, ku_atomic64_read(&ku_ring.taken), ku_ring.nblocks);
}

bool ku_session_wrapped(void)
{
	return ku_ring.wrap && ku_atomic64_read(&ku_ring.taken) > ku_ring.nblocks;
}

void ku_session_info_held(struct kutrace_info *info)
{
	u64 names_lost;
	int cpu, cause;

	memset(info, 0, sizeof(*info));
	info->length = sizeof(*info);
	info->abi_version = KUTRACE_ABI_VERSION;
	info->backend = ku_hooks->backend;
	info->recording = ku_session.on;
	info->flags = ku_session.flags;
	info->wrapped = ku_session_wrapped();
	info->nblocks = ku_ring.nblocks;
	info->used_blocks = ku_session_used_blocks();
	info->taken_blocks = ku_atomic64_read(&ku_ring.taken);
	info->categories = ku_hooks->categories();
	info->caveats = ku_hooks->caveats();
	info->clock_khz = ku_khz;
	info->clock_shift = ku_clock_shift;
	info->ncpus = nr_cpu_ids;
	if (ku_session.ever_on)
		info->start = ku_session.start;
	info->stop = ku_session.stop;
	if (ku_session.on)
		ku_read_pair(&info->stop);
	info->start_cpu = ku_session.start_cpu;
	info->start_pid = ku_session.start_pid;
	memcpy(info->start_comm, ku_session.start_comm, sizeof(info->start_comm));
	for_each_possible_cpu(cpu)
		for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++)
			info->lost[cause] +=
				READ_ONCE(per_cpu(ku_cpu, cpu).lost[cause]);
	ku_aux_bounds(&info->aux_first, &info->aux_last, &names_lost);
	info->lost[KUTRACE_LOST_NAMES] = names_lost;
	info->lost[KUTRACE_LOST_PROBE] = ku_hooks->missed() - ku_missed_before;
	info->emit_ps = ku_emit_ps;
}

void ku_session_info(struct kutrace_info *info)
{
	mutex_lock(&ku_session_lock);
	ku_session_info_held(info);
	mutex_unlock(&ku_session_lock);
}

/* ---- cost of an event, measured once at load ---- */

#define KU_MEASURE_EVENTS 4000

/*
 * Emits into a block of the pool on this CPU with interrupts off, before
 * anything is attached: what one event costs here, in picoseconds.
 */
static void ku_measure_emit(void)
{
	unsigned long flags;
	u64 start, end;
	int i;

	ku_ring_reset(false);
	local_irq_save(flags);
	WRITE_ONCE(ku_ring.active, 1);
	ku_emit(KU_EVENT(KUTRACE_MARKD));
	start = rdtsc();
	for (i = 0; i < KU_MEASURE_EVENTS; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | (u32)i);
	end = rdtsc();
	WRITE_ONCE(ku_ring.active, 0);
	ku_ring_close_this_cpu();
	local_irq_restore(flags);
	ku_emit_ps = mul_u64_u64_div_u64(end - start, 1000000000ULL,
					 ku_khz * KU_MEASURE_EVENTS);
	ku_ring_reset(false);
}

/* The back end by that name, or the best the kernel has; NULL if it has it not. */
static const struct ku_hooks *ku_find_hooks(const char *backend)
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

/**
 * ku_session_init() - find hooks, allocate and measure
 * @mb: size of the pool in MiB
 * @backend: "patched", "tracepoints", or NULL or "" for what is best here
 *
 * Returns 0 or -errno, with the reason in the log.
 */
int ku_session_init(unsigned int mb, const char *backend)
{
	int cpu, err;

	ku_hooks = ku_find_hooks(backend);
	if (!ku_hooks)
		return -EOPNOTSUPP;
	err = ku_clock_init();
	if (err)
		return err;
	err = ku_hooks->init();
	if (err)
		return err;
	err = ku_alloc_blocks(mb);
	if (err)
		goto hooks;
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu, cpu));
	ku_measure_emit();
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu, cpu));
	ku_ring.filled = ku_dev_filled;
	/* Whoever sees it ready sees all of the above. */
	smp_store_release(&ku_ready, true);
	return 0;
hooks:
	ku_hooks->exit();
	return err;
}

/* The control system call may still come: it must not turn recording on again. */
void ku_session_exit(void)
{
	mutex_lock(&ku_session_lock);
	WRITE_ONCE(ku_ready, false);
	ku_session_off_locked();
	mutex_unlock(&ku_session_lock);
	ku_hooks->exit();
	ku_free_blocks();
}
