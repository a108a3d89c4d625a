# SPDX-License-Identifier: BSD-3-Clause
#
# Source tarball and packages.

DIST := $(BUILD)/dist/kutrace-$(VERSION).tar.xz

.PHONY: dist deb
dist: template
	control/dist/tarball.sh $(VERSION) $(TEMPLATE) $(DIST)
	@echo "$(DIST)"

# Builds Debian packages for the suite of this machine: $(BUILD)/deb/*.deb
deb:
	@tests/deps.sh package $(if $(PAGE_BUILT),,page)
	+@$(MAKE) --no-print-directory dist
	rm -rf $(BUILD)/deb
	mkdir -p $(BUILD)/deb
	tar -C $(BUILD)/deb -xf $(DIST)
	cp -R control/dist/debian $(BUILD)/deb/kutrace-$(VERSION)/debian
	cd $(BUILD)/deb/kutrace-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u BUILD -u PREFIX \
		dpkg-buildpackage -us -uc -b
	@ls $(BUILD)/deb/*.deb
