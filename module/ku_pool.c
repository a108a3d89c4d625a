// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a session: its blocks, the page and table that readers map. */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ku_session.h"

#define KU_BLOCK_ORDER get_order(KUTRACE_BLOCK_BYTES)
#define KU_BLOCK_PAGES (KUTRACE_BLOCK_BYTES / PAGE_SIZE)

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
	}
	kvfree(ring->words);
	ring->words = NULL;
	vfree(session->bytes);
	free_percpu(ring->cpu);
	vfree(session->meta);
	ku_aux_exit(&session->aux);
}

/* Physically contiguous if it can be had, split so that pages map one by one. */
static u64 *ku_alloc_block(u32 *scattered)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
					__GFP_RETRY_MAYFAIL, KU_BLOCK_ORDER);

	if (page) {
		split_page(page, KU_BLOCK_ORDER);
		return page_address(page);
	}
	(*scattered)++;
	return vmalloc_user(KUTRACE_BLOCK_BYTES);
}

int ku_pool_alloc(struct ku_session *session, unsigned int mb)
{
	struct ku_ring *ring = &session->ring;
	u32 nblocks = mb * (SZ_1M / KUTRACE_BLOCK_BYTES);
	u64 table = PAGE_SIZE;
	u64 bytes = PAGE_ALIGN(table + (u64)nblocks * sizeof(struct kutrace_block));
	u32 i, scattered = 0;
	int cpu;

	ring->words = kvcalloc(nblocks, sizeof(*ring->words), GFP_KERNEL);
	ring->cpu = alloc_percpu(struct ku_cpu);
	session->meta = vmalloc_user(bytes);
	if (!ring->words || !ring->cpu || !session->meta || ku_aux_init(&session->aux))
		goto fail;
	for (i = 0; i < nblocks; i++) {
		ring->words[i] = ku_alloc_block(&scattered);
		if (!ring->words[i])
			goto fail;
		ring->nblocks = i + 1;
		cond_resched();
	}
	if (scattered)
		pr_info("kutrace: %u of %u blocks are not physically contiguous\n",
			scattered, nblocks);
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(ring->cpu, cpu));
	*session->meta = (struct kutrace_meta_page){
		.length = sizeof(*session->meta),
		.abi_version = KUTRACE_ABI_VERSION,
		.nblocks = nblocks,
		.meta_bytes = bytes,
		.table_offset = table,
		.aux_bytes = KUTRACE_AUX_BYTES,
	};
	ring->table = (void *)session->meta + table;
	return 0;
fail:
	pr_err("kutrace: no memory for %u MiB of blocks; try a smaller size\n", mb);
	ku_pool_free(session);
	return -ENOMEM;
}

int ku_pool_alloc_bytes(struct ku_session *session)
{
	u64 size = (u64)session->ring.nblocks * KUTRACE_IPC_BYTES;
	u8 *bytes;

	if (session->bytes)
		return 0;
	bytes = vmalloc_user(size);
	if (!bytes) {
		pr_err("kutrace: no memory for %llu KiB of counters' bytes\n", size >> 10);
		return -ENOMEM;
	}
	/* Pairs with those who map it without a lock. */
	smp_store_release(&session->bytes, bytes);
	return 0;
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
	/* Pairs with the release in ku_pool_alloc_bytes(). */
	return smp_load_acquire(&session->bytes) ?
		(u64)session->ring.nblocks * KUTRACE_IPC_BYTES : 0;
}

struct page *ku_pool_meta_page(struct ku_session *session, u64 offset)
{
	if (offset >= session->meta->meta_bytes)
		return NULL;
	return vmalloc_to_page((char *)session->meta + offset);
}

struct page *ku_pool_block_page(struct ku_session *session, u64 offset)
{
	u64 block = offset / KUTRACE_BLOCK_BYTES;
	char *at;

	if (block >= session->ring.nblocks)
		return NULL;
	at = (char *)session->ring.words[block] + offset % KUTRACE_BLOCK_BYTES;
	return is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);
}

struct page *ku_pool_bytes_page(struct ku_session *session, u64 offset)
{
	if (offset >= ku_pool_bytes_size(session))
		return NULL;
	return vmalloc_to_page(session->bytes + offset);
}
