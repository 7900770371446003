# What checks the program: tests, fuzzers, the formatter, analyzers. Included by the Makefile.
FUZZ_SECONDS ?= 60
TOOLS     = build/tools/bin
TESTS     = $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))
FUZZERS   = $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
DEVICE    = $(patsubst tests/device/%.c,$(BUILD)/device/%,$(wildcard tests/device/test_*.c) tests/device/host_data.c)
# All C but the templates, whose control lines no formatter knows.
FORMATTED = $(shell find autotune bench cache examples generator include python tests -name '*.[ch]' -o -name '*.[ch]pp')
NEEDED    = $(BUILD)/obj/needed.a
LEFT_OUT  = awk '$$3 == "rest" { printf " %s", $$1 }' tests/long
PREPARE   = @CC="$(CC)" ./setup test && $(REMAKE) tests

tests: $(BUILD)/autotune $(MPI) $(MPICH) library $(TESTS) $(DEVICE) $(BUILD)/sign $(BUILD)/plant_code $(BUILD)/mutate $(BUILD)/every_kernel

test: ## install what is missing, build, and run the tests: about three minutes on two cores
	$(PREPARE)
	@echo "left out, see make test-all:$$($(LEFT_OUT))"
	@tests/run $(BUILD) quick

test-all: ## the same with the tests that take long: every test that needs no GPU
	$(PREPARE)
	@tests/run $(BUILD)

test-rest: ## those alone that `make test` leaves out
	$(PREPARE)
	@tests/run $(BUILD) rest

unit: tests ## run the unit tests alone
	@tests/run $(BUILD) unit

test-gpu: $(BUILD)/autotune library $(DEVICE) ## prove the program and its kernels on GPU 0
	@tests/gpu.sh $(BUILD)

soak: ## what CI has no time for, then every variant of every operation, type and architecture (hours)
	@.ci/run soak
	@$(REMAKE) $(BUILD)/autotune
	@tests/soak.sh $(BUILD)/autotune

fuzz: ## fuzz the readers of text, each FUZZ_SECONDS long
	@./setup ci
	@$(REMAKE) BUILD=$(BUILD)/fuzz CC=clang SANITIZE=-fsanitize=fuzzer-no-link,address,undefined fuzzers
	@tests/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

fuzzers: $(FUZZERS)

format: ## format all C, in place
	@./setup tools
	@$(TOOLS)/clang-format -i $(FORMATTED)

check-format: ## name what is not formatted
	@./setup tools
	@$(TOOLS)/clang-format --dry-run -Werror $(FORMATTED)

# gcc 12 loses pointers that are stored in elements of an array, and calls each a leak: those are left
# to the leak sanitizer that CI runs the tests under.
ANALYZE   = -O1 -fanalyzer -Wno-analyzer-malloc-leak -DANALYZER

PYTHON_FLAGS = $(shell python3 -c 'import sysconfig; print("-isystem", sysconfig.get_path("include"))' 2> /dev/null)

analyze: ## clang-tidy and gcc -fanalyzer over the whole program (about six minutes on two cores)
	@./setup tools
	@tests/tidy.sh all -- $(filter-out -ffile-prefix-map%,$(ALLFLAGS)) $(MPI_FLAGS) $(PYTHON_FLAGS)
	@$(REMAKE) BUILD=$(BUILD)/analyze CFLAGS='$(ANALYZE)' WERROR=-Werror $(BUILD)/analyze/autotune

check-tidy: ## clang-tidy over what has changed since main, and a sixteenth of the rest
	@./setup tools
	@tests/tidy.sh some -- $(filter-out -ffile-prefix-map%,$(ALLFLAGS)) $(MPI_FLAGS) $(PYTHON_FLAGS)

coverage: ## which lines and branches the tests run, by folder (an hour)
	@CC="$(CC)" ./setup test
	@$(REMAKE) BUILD=$(BUILD)/coverage CFLAGS='-O0 -g' SANITIZE=--coverage tests
	@tests/coverage.sh $(BUILD)/coverage

# The objects, of which a test is linked with those that it needs.
$(NEEDED): $(OBJECTS)
	@rm -f $@
	$Q$(AR) rcsT $@ $^

$(BUILD)/unit/%: tests/unit/%.c $(NEEDED)
	$(call say,TEST,$<)
	@mkdir -p $(@D)
	$Q$(CC) $(ALLFLAGS) $(DEPEND) -o $@ $< $(NEEDED) -lcmocka $(LIBS)

$(BUILD)/device/%: tests/device/%.c $(NEEDED)
	$(call say,TEST,$<)
	@mkdir -p $(@D)
	$Q$(CC) $(ALLFLAGS) $(DEPEND) -o $@ $< $(NEEDED) $(LIBS)

# Plants faults in kernels: tests/mutate/mutate.c
$(BUILD)/mutate: $(wildcard tests/mutate/*.[ch]) $(NEEDED)
	$(call say,TEST,$<)
	$Q$(CC) $(ALLFLAGS) $(DEPEND) -o $@ $(filter-out %/counts.c,$(filter tests/%.c,$^)) $(NEEDED) $(LIBS)

# Writes a line for each kernel: to compare two builds that must give the same.
$(BUILD)/every_kernel: tests/command/every_kernel.c $(NEEDED)
	$(call say,TEST,$<)
	$Q$(CC) $(ALLFLAGS) $(DEPEND) -o $@ $< $(NEEDED) $(LIBS)

# Gives records the machine code of another template, as an old compiler's.
$(BUILD)/plant_code: tests/command/plant_code.c $(NEEDED)
	$(call say,TEST,$<)
	$Q$(CC) $(ALLFLAGS) $(DEPEND) -o $@ $< $(NEEDED) $(LIBS)

$(BUILD)/sign: tests/command/sign.c $(NEEDED)
	$(call say,TEST,$<)
	$Q$(CC) $(ALLFLAGS) $(DEPEND) -o $@ $< $(NEEDED) $(LIBS)

$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/checksum.c tests/fuzz/checksum.h $(NEEDED)
	$(call say,FUZZER,$<)
	$Q$(CC) $(ALLFLAGS) -fsanitize=fuzzer -Wl,--wrap=XXH3_64bits $(DEPEND) -o $@ $< tests/fuzz/checksum.c $(NEEDED) $(LIBS)

.PHONY: tests test test-all test-rest unit test-gpu soak fuzz fuzzers format check-format analyze \
        check-tidy coverage
