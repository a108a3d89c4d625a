// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a session: its blocks, and the page and table that readers map.
 *
 * The memory is charged to the memory cgroup of the caller. ku_pool_limit_mb limits the memory of
 * all sessions together. Allocation stops with an error if the kernel reports too little available
 * memory for the rest of the session. Allocations fail without killing a process.
 *
 * Context: process, may sleep. Nothing may use the memory that ku_pool_free() frees.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "core/memory.h"
#include "names/names.h"
#include "session/pool.h"

#define KU_BLOCK_ORDER get_order(KUTRACE_BLOCK_BYTES)
#define KU_BLOCK_PAGES (KUTRACE_BLOCK_BYTES / PAGE_SIZE)
/* Blocks between two tests whether enough memory is available for the rest: 64 MiB. */
#define KU_ASK_BLOCKS 1024

unsigned int ku_pool_limit_mb;
static u64 ku_pool_bytes;	/* bytes of all sessions */
static DEFINE_SPINLOCK(ku_pool_lock);

static u64 ku_pool_limit(void)
{
	u64 mb = READ_ONCE(ku_pool_limit_mb);

	return mb ? mb << 20 : (u64)totalram_pages() << PAGE_SHIFT >> 1;
}

static bool ku_pool_available(u64 bytes)
{
	return bytes >> PAGE_SHIFT < (u64)max(si_mem_available(), 0L);
}

/* Reserves memory for a session. Returns 0, -EDQUOT above the limit of all, or -ENOMEM. */
static int ku_pool_reserve(struct ku_session *session, u64 bytes)
{
	u64 limit = ku_pool_limit();
	int err = 0;

	spin_lock(&ku_pool_lock);
	if (ku_pool_bytes > limit || bytes > limit - ku_pool_bytes) {
		err = -EDQUOT;
	} else {
		ku_pool_bytes += bytes;
		session->reserved += bytes;
	}
	spin_unlock(&ku_pool_lock);
	if (err)
		pr_info_ratelimited("kutrace: %s needs %llu MiB: all sessions would have more than %llu MiB (sessions_mb)\n",
				    current->comm, bytes >> 20, limit >> 20);
	else if (!ku_pool_available(bytes))
		err = -ENOMEM;
	return err;
}

static void ku_pool_unreserve(struct ku_session *session, u64 bytes)
{
	spin_lock(&ku_pool_lock);
	ku_pool_bytes -= bytes;
	session->reserved -= bytes;
	spin_unlock(&ku_pool_lock);
}

/* Allocates zeroed pages, which page faults map one by one. */
static void *ku_pool_pages(u64 bytes)
{
	return bytes > ULONG_MAX ? NULL : __vmalloc(bytes, KU_LARGE_GFP);
}

void ku_pool_free(struct ku_session *session)
{
	struct ku_ring *ring = &session->ring;
	u32 i, j;

	for (i = 0; ring->words && i < ring->nblocks; i++) {
		u64 *words = ring->words[i];

		if (is_vmalloc_addr(words)) {
			vfree(words);
			continue;
		}
		for (j = 0; words && j < KU_BLOCK_PAGES; j++)
			__free_page(virt_to_page((char *)words + j * PAGE_SIZE));
		cond_resched();
	}
	kvfree(ring->words);
	ring->words = NULL;
	kvfree(ring->shares);
	vfree(session->bytes);
	free_percpu(ring->cpu);
	vfree(session->meta);
	ku_names_free(&session->names);
	ku_pool_unreserve(session, session->reserved);
}

/* Allocates a block, contiguous if possible, and split so that its pages are mapped one by one. */
static u64 *ku_alloc_block(u32 *scattered)
{
	struct page *page = alloc_pages(KU_LARGE_GFP, KU_BLOCK_ORDER);

	if (page) {
		split_page(page, KU_BLOCK_ORDER);
		return page_address(page);
	}
	(*scattered)++;
	return ku_pool_pages(KUTRACE_BLOCK_BYTES);
}

static int ku_alloc_blocks(struct ku_ring *ring, u32 nblocks)
{
	u32 scattered = 0, i;

	for (i = 0; i < nblocks; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (!(i % KU_ASK_BLOCKS) &&
		    !ku_pool_available((u64)(nblocks - i) * KUTRACE_BLOCK_BYTES))
			return -ENOMEM;
		ring->words[i] = ku_alloc_block(&scattered);
		if (!ring->words[i])
			return -ENOMEM;
		ring->nblocks = i + 1;
		cond_resched();
	}
	if (scattered)
		pr_info("kutrace: %u of %u blocks are not physically contiguous\n",
			scattered, nblocks);
	return 0;
}

int ku_pool_alloc(struct ku_session *session, unsigned int mb)
{
	struct ku_ring *ring = &session->ring;
	u32 nblocks = mb * (SZ_1M / KUTRACE_BLOCK_BYTES);
	u64 table = PAGE_SIZE;
	u64 bytes = PAGE_ALIGN(table + (u64)nblocks * sizeof(struct kutrace_block));
	u64 blocks = (u64)nblocks * KUTRACE_BLOCK_BYTES;
	u32 names = ku_names_size(nblocks);
	int cpu, err;

	err = ku_pool_reserve(session, blocks + bytes + ku_names_memory(names));
	if (err)
		goto fail;
	err = -ENOMEM;
	ring->words = kvcalloc(nblocks, sizeof(*ring->words), KU_LARGE_GFP);
	ring->shares = kvzalloc(sizeof(*ring->shares), GFP_KERNEL_ACCOUNT);
	ring->cpu = alloc_percpu_gfp(struct ku_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	session->meta = ku_pool_pages(bytes);
	if (!ring->words || !ring->shares || !ring->cpu || !session->meta ||
	    ku_names_alloc(&session->names, names))
		goto fail;
	err = ku_alloc_blocks(ring, nblocks);
	if (err)
		goto fail;
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(ring->cpu, cpu));
	*session->meta = (struct kutrace_meta_page){
		.length = sizeof(*session->meta),
		.abi_version = KUTRACE_ABI_VERSION,
		.nblocks = nblocks,
		.meta_bytes = bytes,
		.table_offset = table,
		.aux_bytes = session->names.aux.bytes,
	};
	ring->table = (void *)session->meta + table;
	/* Needed here, because a session can be turned on without a reset. */
	ring->whole.count = nblocks;
	return 0;
fail:
	if (err == -ENOMEM)
		pr_err_ratelimited("kutrace: no memory for %u MiB of blocks; try a smaller size\n",
				   mb);
	ku_pool_free(session);
	return err;
}

int ku_pool_share(struct ku_session *session)
{
	struct ku_ring *ring = &session->ring;
	u32 nshares, next = 0, others = 0;
	int cpu;

	cpus_read_lock();
	nshares = num_online_cpus();
	/* A refused reset changes nothing: the session may continue with its present shares. */
	if (ring->nblocks / nshares < KU_SHARE_BLOCKS)
		goto refused;
	for_each_online_cpu(cpu)
		ring->shares->of[cpu] = next++;
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			ring->shares->of[cpu] = others++ % nshares;
	cpus_read_unlock();
	return nshares;
refused:
	cpus_read_unlock();
	pr_info_ratelimited("kutrace: %s: cannot divide %u blocks among %u CPUs: each CPU needs %u\n",
			    current->comm, ring->nblocks, nshares, KU_SHARE_BLOCKS);
	return -ENOBUFS;
}

int ku_pool_alloc_bytes(struct ku_session *session)
{
	u64 size = (u64)session->ring.nblocks * KUTRACE_IPC_BYTES;
	u8 *bytes = NULL;
	int err;

	/* Pairs with the exchange below. */
	if (smp_load_acquire(&session->bytes))
		return 0;
	err = ku_pool_reserve(session, size);
	if (!err) {
		bytes = ku_pool_pages(size);
		/* The allocator gives up if the caller is being killed. */
		if (!bytes)
			err = fatal_signal_pending(current) ? -EINTR : -ENOMEM;
	}
	if (err == -ENOMEM)
		pr_err_ratelimited("kutrace: no memory for %llu KiB of counter bytes\n",
				   size >> 10);
	if (err)
		goto unreserve;
	/* Store zeros before the pointer, for readers that map the memory without a lock. */
	if (!cmpxchg(&session->bytes, NULL, bytes))
		return 0;
	/* Another caller was faster. */
	vfree(bytes);
unreserve:
	if (err != -EDQUOT)
		ku_pool_unreserve(session, size);
	return err;
}

u64 ku_pool_meta_bytes(struct ku_session *session)
{
	return session->meta->meta_bytes;
}

u64 ku_pool_block_bytes(struct ku_session *session)
{
	return (u64)session->ring.nblocks * KUTRACE_BLOCK_BYTES;
}

u64 ku_pool_bytes_size(struct ku_session *session)
{
	/* Pairs with the exchange in ku_pool_alloc_bytes(). */
	return smp_load_acquire(&session->bytes) ?
		(u64)session->ring.nblocks * KUTRACE_IPC_BYTES : 0;
}

struct page *ku_pool_meta_page(struct ku_session *session, u64 offset)
{
	if (offset >= session->meta->meta_bytes)
		return NULL;
	offset = array_index_nospec(offset, session->meta->meta_bytes);
	return vmalloc_to_page((char *)session->meta + offset);
}

struct page *ku_pool_block_page(struct ku_session *session, u64 offset)
{
	u64 block = offset / KUTRACE_BLOCK_BYTES;
	char *at;

	if (block >= session->ring.nblocks)
		return NULL;
	block = array_index_nospec(block, session->ring.nblocks);
	at = (char *)session->ring.words[block] + offset % KUTRACE_BLOCK_BYTES;
	return is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);
}

struct page *ku_pool_bytes_page(struct ku_session *session, u64 offset)
{
	u64 bytes = ku_pool_bytes_size(session);

	if (offset >= bytes)
		return NULL;
	offset = array_index_nospec(offset, bytes);
	return vmalloc_to_page(session->bytes + offset);
}
