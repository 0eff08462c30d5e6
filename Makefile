# diverge. Targets: all deps test frameworks-test jobs models demo asan tsan neon aarch64-test accuracy truth rules mutants coverage bench faults fuzz screenshots doc pot install uninstall static wheel dist deb rpm
# sbom sums package-test clean; V=1 shows commands.
CC ?= cc
CLANG ?= clang
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
VERSION := 0.2.0

PKGS := ncursesw libcjson libpcre2-8 yaml-0.1 zlib expat libutf8proc
WARN := -Wall -Wextra -Wshadow -Wvla -Wwrite-strings -Wmissing-prototypes -Wstrict-prototypes \
        -Wpointer-arith -Wundef -Wformat=2 -Werror
STD := -std=c11 -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64
OPT ?= -O2 -g
SAN ?=
# what a damaged dump could not overwrite unseen (SECURITY.md); sanitizers have checks of their own for what FORTIFY looks at
SANITIZED = $(findstring -fsanitize,$(OPT) $(SAN))
PROTECT := $(foreach flag,-fstack-clash-protection -fcf-protection=full -mbranch-protection=standard,$(shell \
    $(CC) -Werror $(flag) -c -x c /dev/null -o /dev/null 2>/dev/null && echo $(flag))) # where the compiler has them
HARDEN = -fstack-protector-strong $(PROTECT) -fPIE $(if $(SANITIZED),,$(if $(filter -O1 -O2 -O3 -Os,$(OPT)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
HARDEN_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack
# no fused float arithmetic: every machine and variant computes the same digits
FLOAT := -ffp-contract=off
# spreadsheets are written where the library is there
HAVE_XLSX := $(shell pkg-config --exists xlsxwriter 2>/dev/null && echo -DHAVE_XLSXWRITER)
PKG_CFLAGS := $(filter-out -D_%,$(shell pkg-config --cflags $(PKGS) 2>/dev/null))
# packs are compressed where the library is there
HAVE_ZSTD := $(shell pkg-config --exists libzstd 2>/dev/null && echo -DHAVE_ZSTD)
# databases of msprobe are read where the library is there
HAVE_SQLITE := $(shell pkg-config --exists sqlite3 2>/dev/null && echo -DHAVE_SQLITE)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) $(if $(HAVE_XLSX),xlsxwriter) $(if $(HAVE_ZSTD),libzstd) $(if $(HAVE_SQLITE),sqlite3) 2>/dev/null)
FLAGS = $(STD) $(OPT) $(SAN) $(HARDEN) $(FLOAT) $(WARN) -pthread -Isrc -I. -DDIVERGE_VERSION='"$(VERSION)"' $(PKG_CFLAGS) $(HAVE_XLSX) $(HAVE_ZSTD) $(HAVE_SQLITE) $(CFLAGS)
LIBS = $(HARDEN_LINK) $(PKG_LIBS) -lcsv -lm -pthread

ENGINE_O := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/*/*.c))
UI_O := $(patsubst %.c,$(BUILD)/%.o,$(wildcard ui/*.c))
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
TERM_TESTS := $(patsubst tests/term/%.c,$(BUILD)/tests/%,$(wildcard tests/term/term_*.c))
FUZZ := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
SAMPLES := $(patsubst data/samples/%.tar.xz,$(BUILD)/samples/%/.unpacked,$(wildcard data/samples/*.tar.xz))
DATA := $(wildcard data/*.conf data/*.json data/*.tsv data/*.py)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' "$(1)" "$(2)")

all: $(BUILD)/diverge

# ---- what has to be installed ----

deps:
	@.ci/deps $(ASK)

# building first looks whether the libraries are there, so that the message names the step
$(BUILD)/.deps: .ci/deps
	@.ci/deps --check
	@mkdir -p $(@D) && touch $@

# ---- the program ----

$(BUILD)/diverge: $(UI_O) $(BUILD)/libengine.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libengine.a: $(ENGINE_O)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# what was built with other flags, for another version or before a library came is built again
BUILT_WITH := $(FLAGS) $(LIBS)
$(BUILD)/.flags: FORCE | $(BUILD)/.deps
	@echo '$(BUILT_WITH)' | cmp -s - $@ || echo '$(BUILT_WITH)' >$@

$(BUILD)/%.o: %.c $(BUILD)/.flags | $(BUILD)/.deps
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -MMD -MP -c -o $@ $<

# the kernels want the vectoriser, and what widens elements for them; they read no errno and no float flags
$(BUILD)/src/num/kern%.o: override OPT += -O3 -fno-math-errno -fno-trapping-math -Wno-psabi
$(BUILD)/src/num/dtype.o $(BUILD)/src/num/grain.o: override OPT += -O3
ifeq ($(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null))),x86_64)
# for processors older than 2013 alone: a tenth slower in half the size
$(BUILD)/src/num/kern_generic.o: override OPT += -Os
$(BUILD)/src/num/kern_avx2.o: override OPT += -mavx2 -mfma -mf16c -mpopcnt
$(BUILD)/src/num/kern_avx512.o: override OPT += -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx512vnni -mfma -mf16c -mpopcnt -mprefer-vector-width=512
endif

# what draws, writes and judges a few thousand numbers is not what one waits for; SMALL=-Os has it in three quarters of the room, as the static file does
$(BUILD)/ui/%.o $(addprefix $(BUILD)/src/,$(addsuffix /%.o,cmd compare config curves diagnose document log norms optimizer panel ranks report rollout session table ticket weights)): override OPT += $(SMALL)
# nor what pairs calls, asks rows that deviate for a reason, or reads a file of a step
$(addprefix $(BUILD)/src/,$(addsuffix .o,pair/% oracle/sizes oracle/misfits oracle/oracle% $(addprefix oracle/,op_loss op_dropout op_pool op_index op_move op_reduce formula gradient% recorded_call crossed% candidate% recompute moved_inputs) base/record base/database \
    base/json_write dump/contradiction dump/dump_check measure/cache_file \
    $(addprefix fmt/,activations ckpt digest msdump% msprobe_trend pack_% pickle pt ptdbg% safetensors sheet_% tensor_folder value_order zip) $(addprefix judge/,accepted attention_gradient \
    cause channel_order conditioning container_end discarded element_order enclosed_calls figure_noise framework_difference fused_% idle_argument implied_% judge_summary kinks loss_scale masked_% moved_factor open_ends open_results optimizer_noise \
    other_% packed_verdicts reordered_rows routing row_excuse solved_doubt step_inputs summed_gradient table_verdicts thresholds tool_rules turned_choice wrong_partner))): override OPT += $(SMALL)
# nor what lists the weights of a file or reads what others have compared
$(addprefix $(BUILD)/src/,$(addsuffix .o,judge/verdict_text judge/rule_text $(addprefix fmt/,result_% weight% state_dict distcp debug_% routing_trace aclgraph cann_dump find_recordings \
    row_records json_records op_statistics unreadable))): override OPT += $(SMALL)

$(BUILD)/src/base/embed.o: override OPT += -Wa,-I$(BUILD) -Wa,-Idata
$(BUILD)/src/base/embed.o: $(DATA) $(BUILD)/po/zh_CN.mo.gz

$(BUILD)/po/%.mo: po/%.po | $(BUILD)/.deps
	$(call say,MO,$<)
	@mkdir -p $(@D)
	$(Q)msgfmt --check-format -o $@ $<

$(BUILD)/po/%.mo.gz: $(BUILD)/po/%.mo
	$(Q)gzip -n9c $< >$@

# ---- the same for several machines, where MPI is: make mpi test-mpi (doc/ranks.md) ----

MPICC ?= mpicc
HAVE_MPI := $(if $(filter mpi test-mpi,$(MAKECMDGOALS)),$(shell command -v $(MPICC) 2>/dev/null))
mpi: $(if $(HAVE_MPI),$(BUILD)/diverge-mpi)
	$(if $(HAVE_MPI),,@echo "mpi: skipped, there is no $(MPICC): Open MPI (libopenmpi-dev) or MPICH (libmpich-dev) has it")

$(BUILD)/mpi/main.o: ui/main.c $(wildcard ui/*.h src/*/*.h) $(BUILD)/.flags | $(BUILD)/.deps
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -Dmain=diverge_main -Wno-missing-prototypes -c -o $@ $<

$(BUILD)/mpi/mpi_main.o: ui/mpi/mpi_main.c ui/shared_list.h $(BUILD)/.flags
	$(call say,MPICC,$@)
	@mkdir -p $(@D)
	$(Q)$(MPICC) $(filter-out -Werror,$(FLAGS)) -c -o $@ $<

$(BUILD)/diverge-mpi: $(BUILD)/mpi/mpi_main.o $(BUILD)/mpi/main.o $(UI_O) $(BUILD)/libengine.a
	$(call say,LINK,$@)
	$(Q)$(MPICC) $(FLAGS) $(LDFLAGS) -o $@ $(filter-out $(BUILD)/ui/main.o,$^) $(LIBS)

test-mpi: $(BUILD)/diverge $(if $(HAVE_MPI),$(BUILD)/diverge-mpi)
	@tests/mpi/run $(BUILD)

# ---- one file for machines that have nothing: make static, make static ARCH=aarch64 (doc/packages.md) ----

ARCH ?= $(shell uname -m)
STATIC := $(BUILD)/static
STATIC_ROOT := $(abspath $(STATIC)/$(ARCH)/root)
STATIC_FILE := $(STATIC)/diverge-$(ARCH)
STATIC_STRIP = $(if $(filter $(ARCH),$(shell uname -m)),,$(ARCH)-linux-gnu-)strip
# musl takes the stacks of threads from this size; pages of 64 KiB are aarch64's largest
STATIC_MAKE = PKG_CONFIG_LIBDIR=$(STATIC_ROOT)/lib/pkgconfig $(MAKE) --no-print-directory BUILD=$(STATIC)/$(ARCH) SMALL=-Os CC='$(CCACHE) $(STATIC_ROOT)/bin/cc' \
    CFLAGS='-ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -ffile-prefix-map=$(STATIC_ROOT)=.' \
    LDFLAGS='-Wl,--gc-sections -Wl,-z,stack-size=8388608 -Wl,-z,max-page-size=65536'

static: static-libs
	+@$(STATIC_MAKE) all
	$(call say,STRIP,$(STATIC_FILE))
	$(Q)$(STATIC_STRIP) -o $(STATIC_FILE) $(STATIC)/$(ARCH)/diverge
	@printf '  %s: %s bytes\n' $(STATIC_FILE) $$(wc -c <$(STATIC_FILE))

static-libs:
	@.ci/package/fetch_sources $(STATIC)/sources
	@.ci/package/static_libs $(ARCH) $(STATIC)/sources $(STATIC_ROOT)

# a wheel an architecture: the static file and a module that starts it
wheel: static
	@.ci/package/notices $(STATIC)/sources >$(STATIC)/notices
	@.ci/package/wheel $(STATIC_FILE) $(ARCH) $(VERSION) $(BUILD)/wheel $(STATIC)/notices

# ---- packages: each ends with the path of what it made ----

dist:
	@.ci/package/dist $(VERSION) $(BUILD)/dist

deb: dist
	@.ci/package/deb $(BUILD)/dist/diverge-$(VERSION).tar.xz $(VERSION) $(BUILD)/deb

rpm: dist
	@.ci/package/rpm $(BUILD)/dist/diverge-$(VERSION).tar.xz $(VERSION) $(BUILD)/rpm

# SHA256SUMS of what was made, signed with KEY=ID, a key of gpg's
sums:
	@mkdir -p $(BUILD)/release
	@cp $(wildcard $(STATIC)/diverge-*) $(wildcard $(BUILD)/wheel/*.whl $(BUILD)/dist/* $(BUILD)/deb/*.deb $(BUILD)/rpm/RPMS/*/*.rpm) $(BUILD)/release/
	@.ci/package/sums $(BUILD)/release $(KEY)

sbom:
	@mkdir -p $(BUILD)/dist
	@.ci/package/sbom $(VERSION) >$(BUILD)/dist/diverge-$(VERSION).cdx.json
	@echo $(BUILD)/dist/diverge-$(VERSION).cdx.json

# what of these can be made here, and whether it works where it is to
package-test: $(BUILD)/diverge samples $(BUILD)/tests/term_screen
	+@tests/package/run $(BUILD) $(VERSION)

# ---- demo ----

$(BUILD)/samples/%/.unpacked: data/samples/%.tar.xz | $(BUILD)/.deps
	$(call say,SAMPLE,$*)
	@mkdir -p $(@D)
	$(Q)tar -xJf $< -C $(BUILD)/samples && chmod -R u+w $(@D) && touch $@

samples: $(SAMPLES)

DEMO := $(BUILD)/samples/llama_guide
demo: deps
	@$(MAKE) --no-print-directory $(BUILD)/diverge $(DEMO)/.unpacked
	@.ci/demo $(BUILD)/diverge $(DEMO)/ms $(DEMO)/ptdbg

# ---- tests ----

test: deps
	@$(MAKE) --no-print-directory check

check: $(BUILD)/diverge $(UNIT) samples $(TERM_TESTS) $(BUILD)/tests/slow_reads.so $(BUILD)/tests/grown $(BUILD)/tests/killed headers
	@tests/run $(BUILD)

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libengine.a $(wildcard tests/*.h)
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -Itests $(LDFLAGS) -o $@ $< $(BUILD)/libengine.a $(LIBS) -lcmocka

$(BUILD)/tests/test_ui_procedure_run: override LDFLAGS += -Wl,--wrap=comparison_hold,--wrap=comparison_drop,--wrap=comparison_new

$(BUILD)/tests/test_ui_%: tests/unit/test_ui_%.c $(BUILD)/libengine.a $(UI_O) tests/support.h
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -Itests $(LDFLAGS) -o $@ $< $(filter-out $(BUILD)/ui/main.o,$(UI_O)) $(BUILD)/libengine.a $(LIBS) -lcmocka

$(BUILD)/tests/term_%: tests/term/term_%.c tests/term/terminal.c tests/term/look.c tests/term/terminal.h tests/support.h | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -Itests $(LDFLAGS) -o $@ $(filter %.c,$^) -lvterm -lutil -lcmocka -lm

# reads that never end, for the terminal's tests
$(BUILD)/tests/slow_reads.so: tests/term/slow_reads.c | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) -O1 -shared -fPIC -o $@ $< -ldl

# killed at so many moments of a session: make killed KILL_POINTS=1000
$(BUILD)/tests/killed: tests/kill/kill.c | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(LDFLAGS) -D_GNU_SOURCE -o $@ $< $(PKG_LIBS)

killed: $(BUILD)/diverge samples $(BUILD)/tests/killed
	@$(BUILD)/tests/killed $(BUILD)/diverge $(BUILD)/samples $(KILL_POINTS)

# loaded before the program, it lets the nth call of a kind fail (tests/faults/shim.c)
$(BUILD)/tests/faults.so: tests/faults/shim.c tests/faults/shim.h | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -O2 -g -U_FORTIFY_SOURCE $(WARN) -fPIC -shared -o $@ $< -ldl

$(BUILD)/tests/campaign: $(addprefix tests/faults/,campaign.c slot.c judgement.c faults.h shim.h) | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $(filter %.c,$^) $(PKG_LIBS) -lutil

$(BUILD)/tests/inputs: tests/faults/inputs tests/faults/marks.script $(BUILD)/diverge $(SAMPLES)
	$(call say,TEST,$@)
	@rm -rf $@ && mkdir -p $@
	$(Q)tests/faults/inputs $(BUILD) $@

# every command with every kind of failure: FAULTS_EVERY=10 takes a tenth, CASE="NAME [KIND [AT]]" some (tests/faults/campaign.c)
faults: $(BUILD)/diverge $(BUILD)/tests/campaign $(BUILD)/tests/faults.so $(BUILD)/tests/inputs
	@$(BUILD)/tests/campaign $(BUILD)/diverge $(BUILD)/tests/faults.so $(BUILD)/tests/inputs tests/faults/cases $(CASE)

# each header must stand alone, and the engine must know neither curses nor the UI
HEADERS := $(wildcard src/*/*.h ui/*.h)
headers: $(BUILD)/headers.ok
$(BUILD)/headers.ok: $(filter-out %_body.h,$(HEADERS)) | $(BUILD)/.deps
	$(call say,CHECK,headers stand alone)
	$(Q)for h in $^; do printf '#include "%s"\n' $$h | sed 's|"src/|"|' | $(CC) $(FLAGS) -fsyntax-only -x c - || exit 1; done
	$(Q)! grep -rnE 'curses|"ui/|\bgetenv\(|\bexit\(|\bprintf\(' src --include=*.[ch] || { echo "src/ must not know this"; exit 1; }
	@mkdir -p $(@D) && touch $@

golden-accept: $(BUILD)/diverge samples
	@tests/golden/run --accept $(BUILD)

asan:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan OPT='-O1 -g' SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' check

tsan:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/tsan OPT='-O1 -g' SAN='-fsanitize=thread' check

# the NEON kernels, on machines that are not aarch64: cross compiler and emulator, where they are installed
# (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
NEON_CC ?= aarch64-linux-gnu-gcc
NEON_RUN ?= qemu-aarch64
NEON_SRC := $(wildcard src/num/*.c) $(addprefix src/base/,arena.c cgroup.c decimal.c err.c first_size.c held_folders.c io.c map.c mem.c processors.c str.c threads.c waiting.c) tests/cross/msg.c
NEON_TESTS := $(addprefix $(BUILD)/neon/,test_kern test_figures)
neon:
	@if command -v $(NEON_CC) >/dev/null && command -v $(NEON_RUN) >/dev/null; then \
	    $(MAKE) --no-print-directory $(NEON_TESTS) && for t in $(NEON_TESTS); do echo "$$t" && $(NEON_RUN) $$t || exit 1; done; \
	else echo "not tested: $(NEON_CC) and $(NEON_RUN) are needed (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user)"; fi

$(BUILD)/neon/%: tests/unit/%.c $(NEON_SRC) $(wildcard src/num/*.h) tests/cross/cmocka.h $(wildcard tests/*.h)
	$(call say,NEON,$@)
	@mkdir -p $(@D)
	$(Q)$(NEON_CC) $(STD) -O3 -g $(FLOAT) -fno-math-errno -fno-trapping-math $(WARN) -Wno-psabi -Isrc -Itests/cross -Itests \
	    -ffunction-sections -Wl,--gc-sections -static -pthread -o $@ $< $(NEON_SRC) -lm

# the suite of the static file for aarch64 under an emulator, on machines that are not: AARCH64_EVERY=10 takes a tenth (tests/cross/run)
AARCH64_EVERY ?= 1
aarch64-test: $(BUILD)/diverge samples $(TERM_TESTS) $(BUILD)/tests/killed $(BUILD)/tests/slow_reads.so $(BUILD)/tests/grown
	+@tests/cross/run $(BUILD) $(AARCH64_EVERY)

units: $(UNIT)

static-units: static
	+@$(STATIC_MAKE) units

$(BUILD)/tests/hostile: tests/damage/hostile.c tests/damage/hostile.h | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $< $(shell pkg-config --libs zlib 2>/dev/null)

# twice the input, at most 2.5 times the instructions: with perf or valgrind, a few minutes
$(BUILD)/tests/grown: tests/growth/grown.c tests/damage/hostile.h | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $< $(shell pkg-config --libs zlib 2>/dev/null)

growth: $(BUILD)/diverge $(BUILD)/tests/grown
	@tests/growth/run $(BUILD)

damage: $(BUILD)/diverge $(BUILD)/tests/hostile samples
	@tests/damage/run $(BUILD)

# ---- fuzzing: clang, one target a reader, a short run each ----

FUZZ_SECONDS ?= 10
FUZZ_FLAGS := -O1 -g -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
fuzz:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzzed CC=$(CLANG) OPT='$(FUZZ_FLAGS)' fuzz-run

fuzz-run: $(FUZZ) samples
	@tests/fuzz/run $(BUILD) $(FUZZ_SECONDS)

$(BUILD)/fuzz/%: tests/fuzz/%.c $(BUILD)/libengine.a
	$(call say,FUZZ,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -Itests -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(BUILD)/libengine.a $(LIBS)

# ---- measuring (doc/speed.md): PYTHON=/path/to/a python with numpy and torch, MSPROBE=/path/to/msprobe, GENERATOR=/path/to/gen_torch.py, TENSOR_PAIR=/path/to/a pair, PEER=no (tests/bench/peer) ----

$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/libengine.a
	$(call say,BENCH,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -O2 -o $@ $< $(BUILD)/libengine.a $(LIBS) -lutil

$(BUILD)/bench/%.so: tests/bench/%.c | $(BUILD)/.deps
	$(call say,BENCH,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 -shared -fPIC -o $@ $< -ldl

$(BUILD)/bench/frames: tests/bench/frames.c $(UI_O) $(BUILD)/libengine.a
	$(call say,BENCH,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -o $@ $< $(filter-out $(BUILD)/ui/main.o,$(UI_O)) $(BUILD)/libengine.a $(LIBS)

BENCH := $(addprefix $(BUILD)/bench/,make_dump make_log make_tensors kernels tensors scan turns locks.so far.so first frames idle align)
bench: $(BUILD)/diverge $(BENCH)
	@tests/bench/run $(BUILD)

# how often first deviation and diagnosis are right: the samples, or with CASES=FOLDER SECTION=NAME other pairs (tests/accuracy/run),
# with ONCE=1 those of a set that is judged for the first time;
# with the samples, how small a fault is still found (tests/accuracy/ladder)
frameworks-test: $(BUILD)/diverge
	@tests/frameworks/run $(BUILD)

# jobs of several ranks, clean ones and with the silent bugs of tests/accuracy/jobs.tsv: records them (torch, msprobe) and compares.
# KEEP=DIR keeps the recordings, JOBS="NAME…" takes some of them
jobs: $(BUILD)/diverge
	@$(if $(FRAMEWORKS_TORCH),$(FRAMEWORKS_TORCH) tests/accuracy/jobs_run.py $(BUILD)/diverge $(if $(KEEP),--keep $(KEEP)) $(JOBS),echo "jobs: FRAMEWORKS_TORCH names no Python with torch and msprobe")

# pairs of tests/accuracy/models.tsv: records them (torch, msprobe, transformers, timm, diffusers) in KEEP=DIR, then judges them into doc/accuracy.md.
# MODELS="NAME…" takes some of them
models: $(BUILD)/diverge
	@$(if $(FRAMEWORKS_TORCH),$(FRAMEWORKS_TORCH) tests/accuracy/models_run.py $(or $(KEEP),$(BUILD)/models) $(MODELS),echo "models: FRAMEWORKS_TORCH names no Python with torch and msprobe")
	@$(if $(FRAMEWORKS_TORCH),DIVERGE=$(BUILD)/diverge tests/accuracy/run $(if $(MODELS),,--update models) $(or $(KEEP),$(BUILD)/models))

accuracy: $(BUILD)/diverge $(BUILD)/tests/ladder samples
	@DIVERGE=$(BUILD)/diverge DIVERGE_SAMPLES=$(BUILD)/samples tests/accuracy/run $(if $(CASES),$(if $(SECTION),--update $(SECTION) $(if $(ONCE),--once)) $(CASES),--update samples tests/accuracy/samples.tsv)
	@$(if $(CASES),:,tests/accuracy/ladder $(BUILD) --update)

$(BUILD)/tests/ladder: tests/accuracy/ladder.c | $(BUILD)/.deps
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $< -lm

# ---- whether packed recordings are judged as they were (tests/accuracy/truth), and what each rule of the judge is for (tests/rules/run):
# RULES=--search looks for recordings that need a rule for which none is known ----

$(BUILD)/tests/rule_names.h: src/judge/verdict.h tests/rules/rule_names
	@mkdir -p $(@D)
	$(Q)tests/rules/rule_names $< >$@

$(BUILD)/tests/exceptions: tests/rules/exceptions.c $(BUILD)/tests/rule_names.h $(UI_O) $(BUILD)/libengine.a
	$(call say,TEST,$@)
	$(Q)$(CC) $(FLAGS) -I$(@D) $$(tests/rules/wrapped $<) $(LDFLAGS) -o $@ $< $(UI_O) $(BUILD)/libengine.a $(LIBS)

truth: $(BUILD)/diverge samples
	@DIVERGE=$(BUILD)/diverge DIVERGE_SAMPLES=$(BUILD)/samples tests/accuracy/truth

rules: $(BUILD)/tests/exceptions samples
	@DIVERGE_SAMPLES=$(BUILD)/samples tests/rules/run $(BUILD)/tests/exceptions $(RULES)

# ---- what the tests notice, and what they run ----

# changes of judge, pair, oracle, diagnose and fmt that no test notices (tests/mutants/run): an hour; MUTANTS="--again" tries those again, MUTANTS="--only src/pair" takes some
mutants: export COMPILE = $(CC) $(FLAGS)
mutants: export LINKED = $(LIBS)
mutants: $(BUILD)/diverge samples
	@nice -n 19 tests/mutants/run $(BUILD) --write doc/mutants.md $(MUTANTS)

coverage:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage OPT='-O0 -g' CFLAGS='--coverage -fprofile-update=atomic' coverage-run

coverage-run: $(BUILD)/diverge $(UNIT) samples $(TERM_TESTS) $(BUILD)/tests/slow_reads.so $(BUILD)/tests/killed
	@find $(BUILD) -name '*.gcda' -delete
	@PROGRAM_ONLY=1 tests/run $(BUILD) >$(BUILD)/tests.log || tail -n 1 $(BUILD)/tests.log
	@tests/coverage/table $(BUILD)

# ---- documents and pictures ----

screenshots: $(BUILD)/diverge samples
	@screenshots/make $(BUILD)

example: $(BUILD)/diverge samples
	@data/example/make $(BUILD)

doc: $(BUILD)/diverge $(BUILD)/tests/test_operators
	@.ci/docs $(BUILD)/diverge

pot:
	@.ci/pot

# ---- installing ----

INSTALLED := bin/diverge share/man/man1/diverge.1 share/man/zh_CN/man1/diverge.1 share/bash-completion/completions/diverge \
    share/zsh/site-functions/_diverge share/fish/vendor_completions.d/diverge.fish
AT = $(DESTDIR)$(PREFIX)

install: $(BUILD)/diverge
	install -d $(sort $(dir $(addprefix $(AT)/,$(INSTALLED))))
	install -m 755 $(BUILD)/diverge $(AT)/bin/diverge
	install -m 644 doc/diverge.1 $(AT)/share/man/man1/diverge.1
	install -m 644 doc/diverge.zh.1 $(AT)/share/man/zh_CN/man1/diverge.1
	$(BUILD)/diverge --completion bash >$(AT)/share/bash-completion/completions/diverge
	$(BUILD)/diverge --completion zsh >$(AT)/share/zsh/site-functions/_diverge
	$(BUILD)/diverge --completion fish >$(AT)/share/fish/vendor_completions.d/diverge.fish

# below DESTDIR the folders are ours, too
uninstall:
	rm -f $(addprefix $(AT)/,$(INSTALLED))
	$(if $(DESTDIR),cd $(DESTDIR) && rmdir -p --ignore-fail-on-non-empty $(sort $(patsubst /%,%,$(dir $(addprefix $(PREFIX)/,$(INSTALLED))))))

clean:
	rm -rf $(BUILD)

-include $(ENGINE_O:.o=.d) $(UI_O:.o=.d)
.PHONY: FORCE all mpi test-mpi frameworks-test jobs models static static-libs static-units units aarch64-test wheel dist deb rpm sbom sums package-test deps demo example accuracy test check killed headers golden-accept asan tsan neon damage growth faults fuzz fuzz-run bench screenshots doc pot install uninstall clean samples truth rules mutants coverage coverage-run
.SECONDARY:
