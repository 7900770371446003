# autotune: settings first, targets below; `make help` lists them.
CC      ?= cc
CFLAGS  ?= -O2 -g
WARN     = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
           -Wformat=2 $(WERROR)
PREFIX  ?= /usr/local
BUILD   ?= build
VERSION  = 0.1.0
CUDA_INCLUDE ?= $(firstword $(dir $(wildcard $(CUDA_HOME)/include/cuda.h \
           /usr/local/cuda/include/cuda.h)))
LIBS     = -l:libinih.a -l:libxxhash.a -ldl -lm -lpthread

ALLFLAGS = -std=c11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I. $(WARN) $(CFLAGS) $(SANITIZE) \
           $(if $(CUDA_INCLUDE),-isystem $(CUDA_INCLUDE) -DHAVE_CUDA)

SOURCES  = $(wildcard generator/*.c cache/*.c autotune/*/*.c) autotune/embedded.c
OBJECTS  = $(SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/embedded.o
EMBEDDED = $(sort $(wildcard templates/* templates/ladder/* configs/*.ini configs/tuned/*.ini))
TESTS    = $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

all: $(BUILD)/autotune

$(BUILD)/autotune: $(OBJECTS) $(BUILD)/obj/autotune/main.o
	$(CC) $(ALLFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALLFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/embedded.S: $(EMBEDDED) generator/embed.sh Makefile
	@mkdir -p $(@D)
	sh generator/embed.sh $(EMBEDDED) > $@

$(BUILD)/obj/embedded.o: $(BUILD)/obj/embedded.S $(EMBEDDED)
	$(CC) -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(ALLFLAGS) -MMD -MP -o $@ $< $(OBJECTS) -lcmocka $(LIBS)

unit: $(TESTS)
	@for t in $(TESTS); do echo "== $$t"; $$t || exit 1; done

clean:
	rm -rf $(BUILD)

.PHONY: all unit clean
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
