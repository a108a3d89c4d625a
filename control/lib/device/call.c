// SPDX-License-Identifier: BSD-3-Clause
/*
 * The control system call of a patched kernel, for machines on which the device does not exist or
 * cannot be opened. It offers commands, information, marks, and the blocks of a recording that is
 * off: copied 4 KiB at a time instead of mapped. It returns the module's names in blocks too
 * (kutrace_abi.h).
 *
 * Must not be used if the device can be opened. The call shares no memory with the module, so
 * snapshot and stream cannot work.
 */
#include "lib/device/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/entry.h"
#include "kutrace_call.h"

#define COPY_BYTES	4096
#define COPY_WORDS	(COPY_BYTES / sizeof(uint64_t))
#define BYTES_WORDS	(KUTRACE_IPC_BYTES / sizeof(uint64_t))
#define REFUSED		(~0ULL)

/*
 * Executes the control system call. Every error means refused, including ENOSYS of a kernel
 * without the call.
 */
static uint64_t call(uint64_t command, uint64_t arg)
{
	return (uint64_t)syscall(KUTRACE_CALL, command, arg);
}

bool ku_call_answers(void)
{
	uint64_t version = call(KUTRACE_CMD_VERSION, 0);

	return version >= 1 && version <= 255;
}

static int call_info(struct kutrace_info *info)
{
	/* the module refuses reserved members that are not zero */
	memset(info, 0, sizeof(*info));
	info->length = sizeof(*info);
	if (call(KUTRACE_CMD_INFO, (uint64_t)(uintptr_t)info) == 0)
		return 0;
	/* root has every permission, so the module must have another version */
	return geteuid() ? -EPERM : -EPROTO;
}

/* Returns why a call was refused. 0: the request itself is the cause. */
static int refusal(void)
{
	struct kutrace_info info;

	return call_info(&info);
}

/*
 * Executes a command. The device refuses RESET and FLUSH while recording. The control system call
 * would end the recording instead, so this function refuses them.
 */
static int call_command(struct kutrace_control *control)
{
	bool ends = control->command == KUTRACE_CMD_RESET ||
		    control->command == KUTRACE_CMD_FLUSH;

	control->result = REFUSED;
	if (!ends || call(KUTRACE_CMD_TEST, 0) == 0)
		control->result = call(control->command, control->arg);
	return control->result == REFUSED ? refusal() : 0;
}

static int call_mark(uint64_t entry)
{
	if (call(KUTRACE_CMD_INSERT1, entry) != REFUSED)
		return 0;
	return refusal() ? -EPERM : -EINVAL;
}

int ku_call_ioctl(unsigned long request, unsigned long arg)
{
	switch (request) {
	case KUTRACE_IOC_MARK:
		return call_mark(arg);
	case KUTRACE_IOC_INFO:
		return call_info((struct kutrace_info *)arg);
	case KUTRACE_IOC_CONTROL:
		return call_command((struct kutrace_control *)arg);
	case KUTRACE_IOC_SESSION_CREATE:
	case KUTRACE_IOC_SESSION_ATTACH:
	case KUTRACE_IOC_SESSION_DESTROY:
	case KUTRACE_IOC_SESSION_LIST:
	case KUTRACE_IOC_SESSION_KEEP:
	case KUTRACE_IOC_MASK:
	case KUTRACE_IOC_FILTER:
	case KUTRACE_IOC_TRIGGER:
	case KUTRACE_IOC_FIRED:
	case KUTRACE_IOC_ATTEND:
	case KUTRACE_IOC_LOST:
	case KUTRACE_IOC_POINT_LIST:
	case KUTRACE_IOC_POINT_SWITCH:
		return -ENOTCONN;
	default:
		return -ENOTTY;
	}
}

/* --- blocks -------------------------------------------------------------------- */

/*
 * Returns the number of name blocks. info->used_blocks is the number of data blocks, which follow
 * them.
 */
static int count_blocks(uint64_t *names, struct kutrace_info *info)
{
	uint64_t words;
	int ret = call_info(info);

	if (ret)
		return ret;
	if (info->recording)
		return -ENOTCONN;
	words = call(KUTRACE_CMD_GETCOUNT, 0);
	if (words == REFUSED)
		return -ENOMEM;
	if (words >> 63)
		words = ~words;		/* the complement of the count: the buffer has wrapped */
	words /= KUTRACE_BLOCK_WORDS;
	if (words < info->used_blocks)
		return -EBADMSG;
	*names = words - info->used_blocks;
	return 0;
}

/*
 * Copies @words words from index @at on. Returns -ESTALE if the control system call refuses:
 * another program reads, or has begun a new recording.
 */
static int copy_words(uint64_t *to, uint64_t at, unsigned int words, uint64_t command)
{
	unsigned int word;

	for (word = 0; word < words; word += COPY_WORDS)
		if (call(KUTRACE_CMD_SET4KB, at + word) ||
		    call(command, (uint64_t)(uintptr_t)(to + word)))
			return -ESTALE;
	return 0;
}

static int copy_block(uint64_t *to, uint64_t number)
{
	return copy_words(to, number * KUTRACE_BLOCK_WORDS, KUTRACE_BLOCK_WORDS,
			  KUTRACE_CMD_GET4KB);
}

/* Copies the counter bytes of the block. */
static int copy_bytes(uint64_t *to, uint64_t number)
{
	return copy_words(to, number * BYTES_WORDS, BYTES_WORDS, KUTRACE_CMD_GETIPC4KB);
}

/* Allocates memory that the caller releases like a mapping of the device. */
static void *get_memory(size_t bytes, int *error)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	*error = -errno;
	return NULL;
}

/* Returns a copy of page offset 0 of the device, with the block table if @bytes includes it. */
static void *map_meta(size_t bytes, int *error)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct kutrace_meta_page *meta;
	struct kutrace_block *table;
	struct kutrace_info info;
	uint64_t names = 0, i;

	*error = count_blocks(&names, &info);
	if (*error)
		return NULL;
	meta = get_memory(bytes, error);
	if (!meta)
		return NULL;
	*meta = (struct kutrace_meta_page){
		.length = sizeof(*meta),
		.abi_version = KUTRACE_ABI_VERSION,
		.nblocks = info.nblocks,
		.meta_bytes = page + (info.nblocks * sizeof(*table) + page - 1) / page * page,
		.table_offset = page,
		.aux_bytes = KUTRACE_AUX_BYTES,
	};
	if (bytes < meta->meta_bytes)
		return meta;
	table = (struct kutrace_block *)((char *)meta + page);
	for (i = 0; i < info.used_blocks; i++) {
		uint64_t word0 = call(KUTRACE_CMD_GETWORD, (names + i) * KUTRACE_BLOCK_WORDS);

		table[i].seq = i + 1;
		table[i].cpu = (uint32_t)(word0 >> 56);
		table[i].state = KUTRACE_BLOCK_DONE;
	}
	return meta;
}

/* Returns a copy of a data block, or of its counter bytes. */
static void *map_copy(uint64_t number, size_t size, int (*copy)(uint64_t *, uint64_t),
		      int *error)
{
	struct kutrace_info info;
	uint64_t names = 0;
	void *memory;

	*error = count_blocks(&names, &info);
	memory = *error ? NULL : get_memory(size, error);
	if (!memory)
		return NULL;
	*error = copy(memory, names + number);
	if (!*error)
		return memory;
	munmap(memory, size);
	return NULL;
}

void *ku_call_map(uint64_t offset, size_t bytes, int *error)
{
	if (offset == KUTRACE_MMAP_META && bytes >= sizeof(struct kutrace_meta_page))
		return map_meta(bytes, error);
	if (offset >= KUTRACE_MMAP_BYTES && bytes == KUTRACE_IPC_BYTES)
		return map_copy((offset - KUTRACE_MMAP_BYTES) / KUTRACE_IPC_BYTES, bytes,
				copy_bytes, error);
	if (offset >= KUTRACE_MMAP_BLOCKS && bytes == KUTRACE_BLOCK_BYTES)
		return map_copy((offset - KUTRACE_MMAP_BLOCKS) / KUTRACE_BLOCK_BYTES, bytes,
				copy_block, error);
	*error = -ENOTCONN;
	return NULL;
}

/* --- names ---------------------------------------------------------------------- */

/* Adds the names of a block. Its entries begin at word @w. */
static int take_names(const uint64_t *block, unsigned int w, struct ku_name_list *names,
		      uint64_t *bad)
{
	uint64_t now = block[0] & ((1ULL << 56) - 1);
	int ret = 0;

	while (w < KUTRACE_BLOCK_WORDS && !ret) {
		uint64_t entry = block[w];
		uint32_t event = ku_entry_event(entry), length = ku_event_words(event);
		const char *text = (const char *)&block[w + 1];

		if (!entry || event == KUTRACE_TSDELTA) {
			/* in these blocks, TSDELTAs have no timestamp */
			now += ku_entry_arg(entry);
			w++;
			continue;
		}
		if (!ku_event_is_name(event) || w + length > KUTRACE_BLOCK_WORDS) {
			++*bad;		/* the next entry's position is unknown */
			break;
		}
		now += (ku_entry_ts(entry) - now) & KUTRACE_TS_MASK;
		ret = ku_names_add_entry(names, (uint16_t)KU_NAME_BASE(event), ku_entry_arg(entry),
					 text, (length - 1) * sizeof(*block));
		if (!ret)
			names->list[names->count - 1].counts = now;
		w += length;
	}
	return ret;
}

int ku_call_names(struct ku_name_list *names, uint64_t *bad)
{
	struct kutrace_info info;
	uint64_t *block = malloc(KUTRACE_BLOCK_BYTES);
	uint64_t count = 0, i;
	int ret = block ? count_blocks(&count, &info) : -ENOMEM;

	for (i = 0; i < count && !ret; i++) {
		ret = copy_block(block, i);
		if (!ret)
			ret = take_names(block, i ? KUTRACE_FIRST_WORD : KUTRACE_FIRST_WORD0,
					 names, bad);
	}
	free(block);
	return ret;
}
