// SPDX-License-Identifier: GPL-2.0-only
/* Maps a session into a program. mmap_lock held: only ku_point_bytes_lock and spinlocks allowed. */
#include <linux/fs.h>
#include <linux/mm.h>

#include "compat/version.h"
#include "ctl/ctl.h"
#include "names/table.h"
#include "point/point.h"
#include "session/pool.h"

static vm_fault_t ku_map_fault(struct vm_fault *vmf)
{
	struct ku_file *mine = vmf->vma->vm_file->private_data;
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	struct page *page = NULL;

	if (offset >= KUTRACE_MMAP_BYTES)
		page = ku_pool_bytes_page(mine->session, offset - KUTRACE_MMAP_BYTES);
	else if (offset >= KUTRACE_MMAP_BLOCKS)
		page = ku_pool_block_page(mine->session, offset - KUTRACE_MMAP_BLOCKS);
	else if (offset >= KUTRACE_MMAP_AUX)
		page = ku_aux_page(ku_session_aux(mine->session), offset - KUTRACE_MMAP_AUX);
	else
		page = ku_pool_meta_page(mine->session, offset);
	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct ku_map_vm_ops = {
	.fault = ku_map_fault,
};

static void ku_map_meta_close(struct vm_area_struct *vma)
{
	ku_point_bytes_release(vma->vm_file, vma->vm_mm);
}

static const struct vm_operations_struct ku_map_meta_vm_ops = {
	.fault = ku_map_fault,
	.close = ku_map_meta_close,
};

/* A file without control may map only the first page, which shows whether to mark. */
int ku_map(struct file *file, struct vm_area_struct *vma)
{
	struct ku_file *mine = file->private_data;
	u64 bytes = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct ku_session *session = ku_file_use(mine);
	u64 limit;

	if (offset >= KUTRACE_MMAP_BYTES)
		limit = KUTRACE_MMAP_BYTES + ku_pool_bytes_size(session);
	else if (offset >= KUTRACE_MMAP_BLOCKS)
		limit = KUTRACE_MMAP_BLOCKS + ku_pool_block_bytes(session);
	else if (offset >= KUTRACE_MMAP_AUX)
		limit = KUTRACE_MMAP_AUX + ku_session_aux(mine->session)->bytes;
	else
		limit = mine->control && ku_file_owns(mine, session) ?
			ku_pool_meta_bytes(session) : PAGE_SIZE;
	if (!mine->control && offset)
		return -EPERM;
	if (offset && !ku_file_owns(mine, session))
		return -EACCES;
	if (offset > limit || bytes > limit - offset)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_ops = offset ? &ku_map_vm_ops : &ku_map_meta_vm_ops;
	return 0;
}
