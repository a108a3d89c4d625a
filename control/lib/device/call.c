// SPDX-License-Identifier: BSD-3-Clause
/*
 * The control system call of a patched kernel in the place of the device, for where there is
 * none or it cannot be opened: commands, info, marks, and blocks copied 4 KiB at a time
 * instead of mapped, while recording is off. Names come in blocks, too (kutrace_abi.h). Must
 * never be taken where the device can be had: without memory shared with the module there
 * is no snapshot and no stream. Called by device.c and the kernel's names.
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

/* Anything but success is refused: ENOSYS of another kernel, too. */
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
	/* The module refuses reserved fields that are not zero. */
	memset(info, 0, sizeof(*info));
	info->length = sizeof(*info);
	if (call(KUTRACE_CMD_INFO, (uint64_t)(uintptr_t)info) == 0)
		return 0;
	/* root may all; only the module of another version does not know that */
	return geteuid() ? -EPERM : -EPROTO;
}

/* Why something was refused: 0, it is the thing itself. */
static int refusal(void)
{
	struct kutrace_info info;

	return call_info(&info);
}

/* What the device refuses while recording, the call ends recording for. */
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

/* --- what is recorded ---------------------------------------------------------- */

/* How many blocks there are: of names, and *used of recording behind them. */
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
		words = ~words;		/* it has wrapped */
	words /= KUTRACE_BLOCK_WORDS;
	if (words < info->used_blocks)
		return -EBADMSG;
	*names = words - info->used_blocks;
	return 0;
}

/*
 * Copies so many words from index at on; refused: somebody else reads, or has begun
 * something new.
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

/* Its bytes of counters. */
static int copy_bytes(uint64_t *to, uint64_t number)
{
	return copy_words(to, number * BYTES_WORDS, BYTES_WORDS, KUTRACE_CMD_GETIPC4KB);
}

/* Memory that is given back as a mapping of the device is. */
static void *get_memory(size_t bytes, int *error)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	*error = -errno;
	return NULL;
}

/* As page offset 0 of the device, with a table of what was recorded if asked for. */
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

/* A block of the recording, or its bytes. */
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

/* The names of one block, the entries of which begin at word w. */
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
			now += ku_entry_arg(entry);	/* these have no time of their own */
			w++;
			continue;
		}
		if (!ku_event_is_name(event) || w + length > KUTRACE_BLOCK_WORDS) {
			++*bad;		/* what follows cannot be told apart */
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
