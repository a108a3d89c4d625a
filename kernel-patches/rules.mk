# SPDX-License-Identifier: BSD-3-Clause
#
# make kernel KVER=6.1 [CONFIG=stripped|debug|kcsan|cfi|debian] [ARCH=arm64] [UNPATCHED=1|BUILTIN=1]:
# a kernel with KUtrace from the distribution's source package; see build.sh.

KVER ?= 6.1
CONFIG ?= stripped
UNPATCHED ?=
ARCH ?=
BUILTIN ?=

.PHONY: kernel
kernel:
	@tests/deps.sh kernel $(filter arm64,$(ARCH))
	@kernel-patches/build.sh --kver $(KVER) --config $(CONFIG) $(if $(ARCH),--arch $(ARCH)) \
		$(if $(UNPATCHED),--unpatched) $(if $(BUILTIN),--builtin)
