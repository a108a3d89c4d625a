// SPDX-License-Identifier: BSD-3-Clause
/*
 * Access to the module through ku_dev: all code must use it to open, query or map
 * /dev/kutrace/control, and gets the library's errors.
 *
 * If the device does not exist or cannot be opened, ku_dev uses the control system call of a
 * patched kernel, and KU_CALL_FD stands for a descriptor. The call offers commands, information,
 * marks, and the blocks of a recording that is off, copied 4 KiB at a time instead of mapped. It
 * returns the module's names in blocks too (kutrace_abi.h). It shares no memory with the module, so
 * snapshot and stream cannot work.
 *
 * Must not keep a descriptor open between calls: this would keep the module from being unloaded.
 */
#include "lib/device/device.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/entry.h"
#include "kutrace_call.h"
#include "libkutrace.h"

/* --- control system call ----------------------------------------------------------- */

#define COPY_BYTES	4096
#define COPY_WORDS	(COPY_BYTES / sizeof(uint64_t))
#define REFUSED		(~0ULL)

/* Executes the control system call. Every error, also ENOSYS without the call, means refused. */
static uint64_t call(uint64_t command, uint64_t arg)
{
	return (uint64_t)syscall(KUTRACE_CALL, command, arg);
}

static bool call_answers(void)
{
	uint64_t version = call(KUTRACE_CMD_VERSION, 0);

	return version >= 1 && version <= 255;
}

static int call_info(struct kutrace_info *info)
{
	/* the module refuses reserved members that are not zero */
	*info = (struct kutrace_info){.length = sizeof(*info)};
	if (call(KUTRACE_CMD_INFO, (uint64_t)(uintptr_t)info) == 0)
		return 0;
	/* root has every permission, so the module must have another version */
	return geteuid() ? -EPERM : -EPROTO;
}

/*
 * Executes a command. The device refuses RESET and FLUSH while recording. The control system call
 * would end the recording instead, so this function refuses them.
 */
static int call_command(struct kutrace_control *control)
{
	struct kutrace_info info;
	bool ends = control->command == KUTRACE_CMD_RESET || control->command == KUTRACE_CMD_FLUSH;

	control->result = REFUSED;
	if (!ends || call(KUTRACE_CMD_TEST, 0) == 0)
		control->result = call(control->command, control->arg);
	/* a failed query gives the cause; otherwise the caller gets only the result REFUSED */
	return control->result == REFUSED ? call_info(&info) : 0;
}

static int call_mark(uint64_t entry)
{
	struct kutrace_info info;

	if (call(KUTRACE_CMD_INSERT1, entry) != REFUSED)
		return 0;
	return call_info(&info) ? -EPERM : -EINVAL;
}

static int call_ioctl(unsigned long request, unsigned long arg)
{
	switch (request) {
	case KUTRACE_IOC_MARK:
		return call_mark(arg);
	case KUTRACE_IOC_INFO:
		return call_info((struct kutrace_info *)arg);
	case KUTRACE_IOC_CONTROL:
		return call_command((struct kutrace_control *)arg);
	default:
		return -ENOTCONN;	/* only the device has this function */
	}
}

/* --- blocks -------------------------------------------------------------------- */

/* Gets the number of name blocks. The info->used_blocks data blocks follow the name blocks. */
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
 * Copies a block (KUTRACE_CMD_GET4KB), or the counter bytes of a block (KUTRACE_CMD_GETIPC4KB), of
 * @words words. Returns -ESTALE if the control system call refuses: another program reads, or has
 * begun a new recording.
 */
static int copy_block(uint64_t *to, uint64_t number, unsigned int words, uint64_t command)
{
	for (unsigned int word = 0; word < words; word += COPY_WORDS)
		if (call(KUTRACE_CMD_SET4KB, number * words + word) ||
		    call(command, (uint64_t)(uintptr_t)(to + word)))
			return -ESTALE;
	return 0;
}

/* Allocates memory that the caller unmaps like a mapping of the device. */
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
static void *map_copy(uint64_t number, size_t size, uint64_t command, int *error)
{
	struct kutrace_info info;
	uint64_t names = 0;
	void *memory;

	*error = count_blocks(&names, &info);
	memory = *error ? NULL : get_memory(size, error);
	if (!memory)
		return NULL;
	*error = copy_block(memory, names + number, (unsigned int)(size / sizeof(uint64_t)), command);
	if (!*error)
		return memory;
	munmap(memory, size);
	return NULL;
}

static void *call_map(uint64_t offset, size_t bytes, int *error)
{
	if (offset == KUTRACE_MMAP_META && bytes >= sizeof(struct kutrace_meta_page))
		return map_meta(bytes, error);
	if (offset >= KUTRACE_MMAP_BYTES && bytes == KUTRACE_IPC_BYTES)
		return map_copy((offset - KUTRACE_MMAP_BYTES) / KUTRACE_IPC_BYTES, bytes,
				KUTRACE_CMD_GETIPC4KB, error);
	if (offset >= KUTRACE_MMAP_BLOCKS && bytes == KUTRACE_BLOCK_BYTES)
		return map_copy((offset - KUTRACE_MMAP_BLOCKS) / KUTRACE_BLOCK_BYTES, bytes,
				KUTRACE_CMD_GET4KB, error);
	*error = -ENOTCONN;
	return NULL;
}

/* --- names ---------------------------------------------------------------------- */

/* Adds the names of a block. The entries of the block begin at word @w. */
static int add_block_names(const uint64_t *block, unsigned int w, struct ku_name_list *names,
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
		ret = copy_block(block, i, KUTRACE_BLOCK_WORDS, KUTRACE_CMD_GET4KB);
		ret = ret ?: add_block_names(block, i ? KUTRACE_FIRST_WORD : KUTRACE_FIRST_WORD0,
					     names, bad);
	}
	free(block);
	return ret;
}

/* --- device ------------------------------------------------------------------------ */

bool ku_device_refuses(int error)
{
	return error == -EACCES || error == -EPERM || error == -EROFS;
}

static int no_device(int flags, int error)
{
	bool absent = ku_device_error(error) == -ENODEV;
	bool closed = ku_device_refuses(error) && (flags & O_ACCMODE) == O_RDONLY;

	return (absent || closed) && call_answers() ? KU_CALL_FD : error;
}

static int real_open(int flags)
{
	int fd, high;

	fd = open(KUTRACE_DEVICE, flags | O_CLOEXEC);
	if (fd < 0)
		return no_device(flags, -errno);
	if (fd > STDERR_FILENO)
		return fd;
	/* the program has closed standard descriptors: do not take their numbers */
	high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (high < 0)
		high = -errno;
	close(fd);
	return high;
}

static void real_close(int fd)
{
	if (fd != KU_CALL_FD)
		close(fd);
}

static int real_ioctl(int fd, unsigned long request, unsigned long arg)
{
	int ret;

	if (fd == KU_CALL_FD)
		return call_ioctl(request, arg);
	ret = ioctl(fd, (unsigned int)request, arg);
	return ret < 0 ? -errno : ret;
}

static void *real_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	void *address;

	if (fd == KU_CALL_FD)
		return call_map(offset, bytes, error);
	address = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (address != MAP_FAILED)
		return address;
	*error = -errno;
	return NULL;
}

static void real_unmap(void *address, size_t bytes)
{
	munmap(address, bytes);
}

static bool real_wait(int fd, short events, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};
	int ret = poll(&poll_fd, 1, timeout_ms);

	if (ret < 0 && errno != EINTR)
		kutrace_msleep(timeout_ms);
	return ret > 0;
}

static const struct ku_dev_ops real_ops = {
	.open = real_open,
	.close = real_close,
	.ioctl = real_ioctl,
	.map = real_map,
	.unmap = real_unmap,
	.wait = real_wait,
};

_Static_assert(sizeof(long) == 8, "libkutrace is for 64-bit programs");

const struct ku_dev_ops *ku_dev = &real_ops;

int ku_device_error(int error)
{
	switch (error < 0 ? -error : error) {
	case 0:
		return 0;
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
	case ENODEV:
		return -ENODEV;
	case EACCES:
	case EPERM:
		return -EPERM;
	case ENOTTY:
		return -EPROTO;
	default:
		return error < 0 ? error : -error;
	}
}

int ku_device_ioctl(int fd, unsigned long request, void *arg)
{
	int ret = ku_dev->ioctl(fd, request, (unsigned long)arg);

	/* the open file shows that the module is loaded, so only the session can be missing */
	if (ret == -ENODEV || ret == -ENOENT)
		return -ESRCH;
	return ret < 0 ? ku_device_error(ret) : 0;
}

/* Clock shift of the last information from the module. Recordings can have different shifts. */
static int clock_shift = -1;

int ku_clock_shift(void)
{
	return __atomic_load_n(&clock_shift, __ATOMIC_RELAXED);
}

int ku_device_info(int fd, struct kutrace_info *info)
{
	int ret;

	*info = (struct kutrace_info){.length = sizeof(*info)};
	ret = ku_dev->ioctl(fd, KUTRACE_IOC_INFO, (unsigned long)info);
	if (ret == -EINVAL)
		return -EPROTO;
	if (ret == -ENODEV)
		return -ESRCH;
	if (ret < 0)
		return ku_device_error(ret);
	if (info->abi_version != KUTRACE_ABI_VERSION || info->length < sizeof(*info))
		return -EPROTO;
	info->start_comm[sizeof(info->start_comm) - 1] = '\0';
	info->name[sizeof(info->name) - 1] = '\0';
	__atomic_store_n(&clock_shift, (int)(info->clock_shift & 63), __ATOMIC_RELAXED);
	return 0;
}

int ku_device_command(int fd, uint64_t command, uint64_t arg, uint64_t *result)
{
	struct kutrace_control control = {.command = command, .arg = arg, .result = ~0ULL};
	int ret;

	ret = ku_device_ioctl(fd, KUTRACE_IOC_CONTROL, &control);
	if (ret)
		return ret;
	if (control.result == ~0ULL)
		return -EINVAL;
	if (result)
		*result = control.result;
	return 0;
}
