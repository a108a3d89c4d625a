# SPDX-License-Identifier: BSD-3-Clause
#
# kutrace.ko for a kernel: make module KDIR=/lib/modules/6.1.0-56-cloud-amd64/build
#
# The sources are linked into the build directory, one per kernel, so that the
# checkout stays clean and modules for several kernels can stand side by side.

KDIR ?= /lib/modules/$(shell uname -r)/build
# As uname -r will say; Debian's kernel.release says something else.
KREL = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
MODULE_DIR = $(BUILD)/module/$(KREL)
MODULE = $(MODULE_DIR)/kutrace.ko
MODULE_ARGS ?=
KBUILD_ARGS ?= W=1
# What the kernel's build is run in: nothing, or a command that runs a command.
KBUILD_IN ?=
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: module load unload module-clean

module:
	@test -n "$(KREL)" || { echo "make module: $(KDIR) is no kernel build folder:" \
	  "install the kernel's headers, or give KDIR=" >&2; exit 1; }
	@mkdir -p $(MODULE_DIR)
	@cp -Rpu $(filter-out %.mk %/FLOORS,$(wildcard module/*)) $(MODULE_DIR)/
	$(KBUILD_IN) $(MAKE) -C $(KDIR) M=$(abspath $(MODULE_DIR)) $(KBUILD_ARGS) modules
	@echo "built $(MODULE)"

# Root builds nothing: `make module && sudo make load`.
load: $(if $(AS_ROOT),module)
	@test -f $(MODULE) || { echo "make load: $(MODULE) is not built:" \
	  "make module first, not as root" >&2; exit 1; }
	$(AS_ROOT) insmod $(MODULE) $(MODULE_ARGS)

unload:
	$(AS_ROOT) rmmod kutrace

# The ring core, measured in user space.
BENCH_PROGS += $(BUILD)/bench/bin/bench_ring

$(BUILD)/bench/bin/bench_ring: tests/bench/bench_ring.c $(wildcard module/core/*.[ch] module/uapi/*)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fno-pic -no-pie $< -o $@

# The calls and returns of a direct hook, in user space. Its instructions are x86's.
ifeq ($(shell uname -m),x86_64)
BENCH_PROGS += $(BUILD)/bench/bin/returns
endif

$(BUILD)/bench/bin/returns: tests/bench/returns.c tests/bench/returns.S module/probes/x86/direct_return.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -c tests/bench/returns.S -o $@_plain.o
	$(CC) $(CPPFLAGS) -DTHUNKS -c tests/bench/returns.S -o $@_thunks.o
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fno-pic -no-pie $< $@_plain.o $@_thunks.o -o $@
	@rm $@_plain.o $@_thunks.o
