# autotune: settings first, targets below; `make help` lists them.
CC      ?= cc
CFLAGS  ?= -O2 -g
WARN     = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
           -Wformat=2 $(WERROR)
HARDEN  ?= -fstack-protector-strong $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),$(if $(SANITIZE),,$(FORTIFY)))
PREFIX  ?= /usr/local
MINUTES ?= 8
STATE   ?= bench/records
DESTDIR ?=
SHARE    = $(DESTDIR)$(PREFIX)/share
BUILD   ?= build
VERSION  = 0.2.0
FORTIFY  = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 # checked copies, in what is optimized
FRAMES   = $(if $(findstring FORTIFY,$(HARDEN)),-Wframe-larger-than=65536) # all calls fit 256 KiB: main.c
LIBS     = -Wl,-z,relro,-z,now -l:libinih.a -l:libxxhash.a -l:libmd.a -ldl -lm -lpthread

# A name with a blank in it would be two names, and `rm` would remove both.
one_name = $(if $(filter 1,$(words _$($1)_)),,$(error $1='$($1)' has a blank in it: choose a folder without one))
some     = $(if $(strip $($1)),,$(error $1 is empty: name a folder, or leave $1 out))
# What a shell or sed takes for more than itself would be installed elsewhere, or stay when it is removed.
ODD      = \ ' " ` & ; | < > ( ) [ ] { } * ? ! %
plain    = $(foreach odd,$(ODD),$(if $(findstring $(odd),$($1)),$(error $1='$($1)' has a $(odd) in it: choose a folder without one)))
absolute = $(if $(patsubst /%,,$($1)),$(error $1='$($1)' does not begin with /: name the whole path))
$(if $(CUDA_HOME),$(call one_name,CUDA_HOME)$(call plain,CUDA_HOME))
$(foreach name,DESTDIR PREFIX BUILD,$(call one_name,$(name))$(call plain,$(name)))$(call some,PREFIX)$(call some,BUILD)$(call absolute,PREFIX)

# The CUDA headers: CUDA_HOME, the toolkit's usual place, pip's, the distribution's.
PYTHONS  = $(VIRTUAL_ENV) $(abspath $(dir $(shell command -v python3))..) $(HOME)/.local \
           /usr /usr/local
PLACES   = $(CUDA_HOME:%=%/include) /usr/local/cuda/include $(wildcard $(foreach p,$(PYTHONS), \
           $p/lib/python3*/site-packages/nvidia/*/include \
           $p/lib/python3*/dist-packages/nvidia/*/include)) /usr/include
find     = $(firstword $(foreach p,$(PLACES),$(if $(wildcard $p/$1),$p)))
CUDA_INCLUDE := $(if $(call find,cuda.h),$(if $(call find,nvrtc.h),\
           $(sort $(call find,cuda.h) $(call find,nvrtc.h))))

ALLFLAGS = -std=c11 -D_GNU_SOURCE -ffile-prefix-map="$$PWD"=. -DVERSION='"$(VERSION)"' -I. -fPIC -fvisibility=hidden \
           $(WARN) $(CFLAGS) $(HARDEN) $(SANITIZE) $(if $(findstring undefined,$(SANITIZE)),-fno-sanitize-recover=undefined) \
           $(if $(CUDA_INCLUDE),$(CUDA_INCLUDE:%=-isystem %) -DHAVE_CUDA)
DEPEND   = -MMD -MP -MT $@ -MF $@.d
# A line a step; `make V=1` has the commands in its place, `make -s` neither.
Q        = $(if $(V),,@)
say      = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-7s %s\n' $1 $(or $2,$@))
SOURCES  = $(wildcard generator/*.c cache/*.c autotune/*/*.c) autotune/embedded.c
OBJECTS  = $(SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/embedded.o
EMBEDDED = $(sort generator/dims.h generator/planner.h generator/selector.h $(wildcard templates/*.* templates/*/* configs/*.ini configs/operations/* configs/ladder/* configs/published/* configs/tuned/*/*.ini))
EMBEDDED_LIBRARY = $(filter-out generator/% configs/published/% configs/ladder/% templates/ladder/% templates/report/% templates/export/%,$(EMBEDDED))
EMBEDS   = $(addprefix $(BUILD)/obj/,embedded embedded_library)
# In the folders that they have here: they link to each other.
DOCS     = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE $(wildcard docs/*.md) docs/speedup.svg tests/gpu/json_launch.py \
           $(HEADERS) bench/results/README.md bench/results/h200-cub-small.md
# autotune-mpi is built where there is an MPI; autotune itself never links one.
MPICC   ?= mpicc
mpi_libs = $(shell $1 --showme:link 2> /dev/null || $1 -link_info 2> /dev/null | cut -d ' ' -f 2-)
mpi_flags = $(patsubst -I%,-isystem %,$(filter -I%,$(shell $1 --showme:compile 2> /dev/null || $1 -compile_info 2> /dev/null)))
MPI_LIBS := $(call mpi_libs,$(MPICC))
MPI_FLAGS := $(if $(MPI_LIBS),$(call mpi_flags,$(MPICC)))
MPI      = $(if $(MPI_LIBS),$(BUILD)/autotune-mpi)
# For the tests alone: by MPICH, where that lies beside another MPI.
MPICH    = $(if $(MPI_LIBS),$(if $(shell command -v mpicc.mpich),$(BUILD)/mpich/autotune-mpi))
# A make for what `setup` may just have made possible, as parallel as this machine.
REMAKE   = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

all: $(BUILD)/autotune library $(MPI) ## build the program and the library
	$(call say,DONE,"$(BUILD)/autotune; next: make run tunes; make test proves; make install; make help")

run: ## install what is missing, build, and tune on GPU 0, else on the host emulator
	@CC="$(CC)" ./setup build
	@$(REMAKE) $(BUILD)/autotune
	$(BUILD)/autotune

bench: $(BUILD)/autotune ## build CUB's reductions with nvcc, for `autotune bench --against cub`
	@bench/cub/build.sh $(BUILD)

records: $(BUILD)/autotune ## tune what ships on GPU 0, MINUTES more of the state in the folder STATE
	@env -u DEVICE bench/records/run.sh "$(MINUTES)" "$(STATE)"

golden: $(BUILD)/autotune ## write the golden files again, to be reviewed by `git diff`
	@AUTOTUNE=$(BUILD)/autotune tests/golden/make.sh

docs: $(BUILD)/autotune ## write what the manual, completion and docs/usage.md say of options
	@docs/generate.sh $(BUILD)/autotune

install: $(BUILD)/autotune $(MPI) install-library ## install below DESTDIR/PREFIX
	install -D -m 755 $(BUILD)/autotune $(DESTDIR)$(PREFIX)/bin/autotune
	$(if $(MPI),install -D -m 755 $(BUILD)/autotune-mpi $(DESTDIR)$(PREFIX)/bin/autotune-mpi)
	install -D -m 644 docs/autotune.1 $(SHARE)/man/man1/autotune.1
	install -D -m 644 docs/autotune.bash $(SHARE)/bash-completion/completions/autotune
	for f in $(DOCS); do install -D -m 644 $$f $(SHARE)/doc/autotune/$$f || exit 1; done

uninstall: uninstall-library ## remove what install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/autotune" "$(DESTDIR)$(PREFIX)/bin/autotune-mpi" "$(SHARE)/man/man1/autotune.1"
	rm -rf "$(SHARE)/doc/autotune" "$(SHARE)/bash-completion/completions/autotune"
	$(PRUNE)

clean: ## remove what was built
	rm -rf "$(BUILD)"

help: ## print this
	@sed -n 's/^\([a-z-]*\):.* ## /  make \1\t/p' Makefile check.mk | expand -t 20

# Changes when the compiler, its options or the list of embedded files do.
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(ALLFLAGS) $(EMBEDDED)' | cmp -s - $@ || echo '$(CC) $(ALLFLAGS) $(EMBEDDED)' > $@

$(BUILD)/autotune: $(OBJECTS) $(BUILD)/obj/autotune/main.o
	$(call say,LD)
	$Q$(CC) $(ALLFLAGS) -pie -o $@ $^ $(LIBS)
	$(if $(CUDA_INCLUDE),,@echo "note: no CUDA headers found (cuda.h and nvrtc.h: CUDA_HOME," \
	    "/usr/local/cuda, pip): this autotune has the host device only")

$(BUILD)/autotune-mpi: $(OBJECTS) $(BUILD)/obj/autotune/main_mpi.o
	$(call say,LD)
	$Q$(CC) $(ALLFLAGS) -pie -o $@ $^ $(LIBS) $(MPI_LIBS)

$(BUILD)/obj/autotune/main_mpi.o: ALLFLAGS += $(MPI_FLAGS)

$(BUILD)/mpich/autotune-mpi: $(OBJECTS) autotune/main_mpi.c
	$(call say,LD)
	@mkdir -p $(@D)
	$Q$(CC) $(ALLFLAGS) $(call mpi_flags,mpicc.mpich) -pie -o $@ autotune/main_mpi.c $(OBJECTS) $(LIBS) $(call mpi_libs,mpicc.mpich)
	@ln -sf ../autotune $(@D)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$Q$(CC) $(ALLFLAGS) $(FRAMES) $(DEPEND) -c -o $@ $<

$(BUILD)/obj/embedded.S: FILES = $(EMBEDDED)
$(BUILD)/obj/embedded_library.S: FILES = $(EMBEDDED_LIBRARY)
$(EMBEDS:%=%.S): $(EMBEDDED) generator/embed.sh $(BUILD)/flags
	$(call say,EMBED)
	@mkdir -p $(@D)
	$Qsh generator/embed.sh $(FILES) > $@

$(EMBEDS:%=%.o): %.o: %.S $(EMBEDDED)
	$(call say,AS,$<)
	$Q$(CC) -c -o $@ $<

include library.mk check.mk

.PHONY: all run bench records golden docs install uninstall clean help force
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
