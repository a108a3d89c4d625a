# SPDX-License-Identifier: BSD-3-Clause
#
# Builds kutrace.ko for a kernel: make module KDIR=/lib/modules/6.1.0-56-cloud-amd64/build
#
# Each kernel has a build directory with links to the sources. So the checkout stays clean, and
# modules for several kernels can exist at the same time.

KDIR ?= /lib/modules/$(shell uname -r)/build
# The release as uname -r prints it. Debian's kernel.release has another one.
KREL = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
MODULE_DIR = $(BUILD)/module/$(KREL)
MODULE = $(MODULE_DIR)/kutrace.ko
MODULE_ARGS ?=
KBUILD_ARGS ?= W=1
# Prefix of the command that runs the kernel's build; usually empty.
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

# Root only loads the module: `make module && sudo make load`.
load: $(if $(AS_ROOT),module)
	@test -f $(MODULE) || { echo "make load: $(MODULE) is not built:" \
	  "make module first, not as root" >&2; exit 1; }
	$(AS_ROOT) insmod $(MODULE) $(MODULE_ARGS)

unload:
	$(AS_ROOT) rmmod kutrace

# Measures core/ of the module in user space.
BENCH_PROGS += $(BUILD)/bench/bin/bench_ring

$(BUILD)/bench/bin/bench_ring: tests/bench/bench_ring.c $(wildcard module/core/*.[ch] module/uapi/*)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fno-pic -no-pie $< -o $@

# Measures calls and returns of a direct hook in user space. x86 only.
ifeq ($(shell uname -m),x86_64)
BENCH_PROGS += $(BUILD)/bench/bin/returns
endif

$(BUILD)/bench/bin/returns: tests/bench/returns.c tests/bench/returns.S module/probes/x86/direct_return.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -c tests/bench/returns.S -o $@_plain.o
	$(CC) $(CPPFLAGS) -DTHUNKS -c tests/bench/returns.S -o $@_thunks.o
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fno-pic -no-pie $< $@_plain.o $@_thunks.o -o $@
	@rm $@_plain.o $@_thunks.o
