# SPDX-License-Identifier: BSD-3-Clause
#
# make kernel KVER=6.1 [CONFIG=stripped|debug|debian] [UNPATCHED=1|BUILTIN=1]:
# a kernel with KUtrace from the distribution's source package; see build.sh.

KVER ?= 6.1
CONFIG ?= stripped
UNPATCHED ?=
BUILTIN ?=

.PHONY: kernel
kernel:
	@tests/deps.sh kernel
	@kernel-patches/build.sh --kver $(KVER) --config $(CONFIG) \
		$(if $(UNPATCHED),--unpatched) $(if $(BUILTIN),--builtin)
