.DEFAULT_GOAL := help
.PHONY: help run build tests test lint format coverage bench chaos check-deep screenshots deploy-check images-check clean

ARGS ?=
# Without symbols, which are two thirds of the program's 120 MB.
RELEASE = -c release --product afterword -Xlinker -s
# With all 2,000 tests at once, a slow machine is so busy that tests with time limits fail.
TESTS_AT_ONCE ?= $(shell expr 4 \* $$(getconf _NPROCESSORS_ONLN))
# The tests run the optimised build that is shipped, which also makes them about 40 % faster. It has its own folder,
# because other builds have other options.
TESTING = -c release -Xswiftc -enable-testing --enable-code-coverage --scratch-path .build-tests

help: ## print this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Without optimization, which would take four times as long, and for the same folder as `swift test`.
run: ## install what is missing, build to try out, and serve on a private PostgreSQL (ARGS="--port 9000")
	@scripts/setup run
	@swift build --product afterword
	@exec "$$(swift build --show-bin-path)/afterword" serve $(ARGS)

build: ## the release build, for real use: .build/release/afterword
	@scripts/setup run
	@swift build $(RELEASE)

tests: ## build the tests alone
	@swift build --build-tests $(TESTING)

test: ## all tests on a real PostgreSQL, the coverage, and the checks of documents and deployment
	@scripts/setup test
	@$(MAKE) --no-print-directory tests
	@SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TESTS_AT_ONCE) \
		SWIFT_BACKTRACE=enable=yes,threads=crashed,registers=none,images=none \
		scripts/run-tests $(TESTING)
	@scripts/coverage
	@scripts/check-deploy
	@scripts/sbom --check "$$(scripts/newest-build afterword)"
	@scripts/check-readme
	@scripts/check-pages
	@scripts/attack
	@scripts/client-docs

lint: ## check the format, and words that were replaced
	@scripts/check-words
	@swift format lint --strict -r -p Sources Tests SQL Benchmarks Fuzzing Package.swift

format: ## correct the format
	@swift format -i -r -p Sources Tests SQL Benchmarks Fuzzing Package.swift

coverage: ## print the line coverage of the last test run
	@scripts/coverage

bench: ## measure every figure of Benchmarks/README.md (WHAT=ingest,reading for some, ARGS=--help for the options)
	@scripts/setup bench
	@Benchmarks/run $(if $(WHAT),--what $(WHAT)) $(ARGS)

chaos: ## kill and starve the newest build under load, and check that nothing is lost (ARGS=--help for the options)
	@scripts/setup test
	@scripts/chaos $(ARGS)

check-deep: ## the long checks: the API as every role, an hour of fuzzing, histories, fail-over, Firefox, sanitizers
	@scripts/setup test
	@scripts/setup deep
	@scripts/check-contract
	@scripts/fuzz --seconds 3600
	@scripts/check-histories --self-test
	@scripts/check-histories --rounds 300 --pause 0.005
	@scripts/check-ha
	@scripts/check-firefox
	@scripts/sanitize thread --self-test
	@scripts/sanitize thread
	@scripts/sanitize address

screenshots: ## retake the README's pictures of pages
	@scripts/setup test
	@swift build --product afterword
	@scripts/screenshots

deploy-check: ## check units, proxies and containers as files, and try units and proxies on the newest build
	@scripts/setup test
	@scripts/check-deploy

images-check: ## build the image, start docker-compose.yml's services and drive them (ARGS="--program .build/release")
	@scripts/setup images
	@scripts/check-images $(ARGS)

clean: ## remove what was built
	@rm -rf .build .build-tests .build-fuzz .venv
