# The library: libautotune.a and .so, and what is installed with them. Included by the Makefile.
LIBDIR   ?= $(PREFIX)/lib
$(call one_name,LIBDIR)$(call plain,LIBDIR)$(call some,LIBDIR)$(call absolute,LIBDIR)
OBJCOPY  ?= objcopy
JOIN     ?= $(CC) -r -nostdlib
ABI       = 0
ARCHIVE   = $(BUILD)/libautotune.a
SHARED    = $(BUILD)/libautotune.so.$(VERSION)
LIBRARY   = $(filter $(addprefix $(BUILD)/obj/,generator/% cache/% autotune/device/% autotune/library/% \
            autotune/embedded.o),$(OBJECTS)) $(BUILD)/obj/embedded_library.o
AT_LIB    = $(DESTDIR)$(LIBDIR)
AT_CMAKE  = $(AT_LIB)/cmake/autotune
FILLED    = $(AT_LIB)/pkgconfig/autotune.pc $(AT_CMAKE)/autotuneConfig.cmake $(AT_CMAKE)/autotuneConfigVersion.cmake
COMPLETE  = $(if $(SANITIZE),,-Wl$(COMMA)-z$(COMMA)defs) # a sanitizer's names are the program's
COMMA    := ,
# What uninstalling leaves empty goes too, up to DESTDIR/PREFIX: rmdir stops at what is not.
FOLDERS   = bin include share/man/man1 share/man/man3 share/bash-completion/completions \
            share/doc/autotune share/doc \
            $(patsubst $(PREFIX)/%,%,$(filter $(PREFIX)/%,$(LIBDIR)))
PRUNE     = for at in "$(AT_LIB)/cmake" "$(AT_LIB)/pkgconfig"; do rmdir "$$at" 2> /dev/null; done; \
            cd "$(DESTDIR)$(PREFIX)" 2> /dev/null && rmdir -p $(FOLDERS) 2> /dev/null || :
HEADERS   = $(addprefix include/,autotune.h autotune.hpp autotune.f90 autotune_reference.h)
EXPORTED  = $(wildcard $(addprefix examples/*/,Makefile CMakeLists.txt *.c))
FILL      = sed -e 's|@VERSION@|$(VERSION)|g' -e 's|@PREFIX@|$(PREFIX)|g' \
            -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|g' \
            -e 's|@INCLUDE@|$(shell realpath -m --relative-to=$(LIBDIR)/cmake/autotune $(PREFIX)/include)|g'

library: $(ARCHIVE) $(SHARED)

$(SHARED): $(LIBRARY)
	$(call say,LD)
	$Q$(CC) $(ALLFLAGS) -shared -Wl,-soname,libautotune.so.$(ABI) -Wl,--exclude-libs,ALL $(COMPLETE) -o $@ $^ $(LIBS)

# One object, in which everything but the public functions is local: nothing of it can meet a
# name of the program that it is linked into.
$(ARCHIVE): $(LIBRARY)
	$(call say,AR)
	$Q$(JOIN) -o $(BUILD)/libautotune.o $^ -l:libinih.a -l:libxxhash.a -l:libmd.a
	$Q$(OBJCOPY) -w --keep-global-symbol='autotune_*' $(BUILD)/libautotune.o
	@rm -f $@
	$Q$(AR) rcsD $@ $(BUILD)/libautotune.o

install-library: $(ARCHIVE) $(SHARED)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include $(HEADERS)
	install -D -m 644 -t $(AT_LIB) $(ARCHIVE)
	install -D -m 755 -t $(AT_LIB) $(SHARED)
	ln -sf $(notdir $(SHARED)) $(AT_LIB)/libautotune.so.$(ABI)
	ln -sf libautotune.so.$(ABI) $(AT_LIB)/libautotune.so
	umask 022 && mkdir -p $(AT_LIB)/pkgconfig $(AT_CMAKE) && rm -f $(FILLED)
	umask 022 && $(FILL) autotune/library/autotune.pc.in > $(AT_LIB)/pkgconfig/autotune.pc
	umask 022 && $(FILL) autotune/library/autotuneConfig.cmake.in > $(AT_CMAKE)/autotuneConfig.cmake
	umask 022 && $(FILL) autotune/library/autotuneConfigVersion.cmake.in > $(AT_CMAKE)/autotuneConfigVersion.cmake
	install -D -m 644 docs/autotune.3 $(SHARE)/man/man3/autotune.3
	install -D -m 644 -t $(SHARE)/doc/autotune/examples $(wildcard examples/*.c examples/*.cu examples/*.md)
	for f in $(EXPORTED); do install -D -m 644 $$f $(SHARE)/doc/autotune/$$f || exit 1; done

uninstall-library:
	rm -f $(HEADERS:%="$(DESTDIR)$(PREFIX)/%") "$(AT_LIB)/libautotune.a" \
	    "$(AT_LIB)/libautotune.so" "$(AT_LIB)/libautotune.so.$(ABI)" "$(AT_LIB)"/libautotune.so.$(ABI).* "$(AT_LIB)/pkgconfig/autotune.pc" \
	    "$(SHARE)/man/man3/autotune.3"
	rm -rf "$(AT_CMAKE)" "$(SHARE)/doc/autotune/examples"
	$(PRUNE)

.PHONY: library install-library uninstall-library
