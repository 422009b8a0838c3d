# Two commands matter: `make demo` shows the main job, `make test` passes the tests. `make help` lists the rest.

CARGO ?= cargo
export CARGO_TERM_PROGRESS_WHEN ?= auto

.PHONY: help
help: ## List what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: demo
demo: ## Show the main job with a demo phone: no phone and no account needed (AUTO=1 answers by itself)
	@$(CARGO) build --workspace --bins
	@target/debug/demo $(if $(AUTO),--auto)

.PHONY: up
up: ## Build and start the desktop with its relay; touches no agent's settings
	@$(CARGO) build --release --workspace --bins
	@target/release/countersign up

.PHONY: needs
needs: ## Install what the tests need (Debian packages only as root or with sudo -n; else name what is missing)
	@deploy/needs.sh

.PHONY: test
test: needs ## Run every test, those with the real agents included
	$(CARGO) build --workspace --bins --examples
	$(CARGO) test --workspace

.PHONY: test-live
test-live: needs ## Run just the tests with a real agent: make test-live AGENT=claude
	@$(CARGO) build --workspace --bins
	@AGENT=$(or $(AGENT),claude) $(CARGO) test --package countersign-tests --test agents_live -- --skip harness_

.PHONY: lint
lint: ## Formatting, lints, documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

.PHONY: check
check: lint test ## Everything that a change must pass (licences and spelling where their tools are installed)
	@if command -v cargo-deny >/dev/null; then $(CARGO) deny --offline check bans licenses sources; \
	 else echo "cargo-deny is not installed: licences and sources were not checked"; fi
	@if command -v typos >/dev/null; then typos; else echo "typos is not installed: spelling was not checked"; fi

.PHONY: vectors
vectors: ## Write the golden vectors anew; a difference in git is a change of the protocol
	COUNTERSIGN_WRITE_VECTORS=1 $(CARGO) test --package countersign-proto

.PHONY: fuzz
fuzz: ## Fuzz every parser of foreign bytes, SECONDS each (default 60)
	@tests/fuzz/run.sh $(or $(SECONDS_EACH),60)

.PHONY: corpus
corpus: ## Judge the labelled requests and policies: figures per field and per kind, every miss
	@$(CARGO) run --quiet --package countersign-tests --bin corpus

.PHONY: bench
bench: ## Measure: hook round trip, approval round trip, sizes, memory, file lengths
	@tests/load/bench.sh

.PHONY: bench-judge
bench-judge: ## Measure judgement alone: classify and decide, lengths, policy lines, rules
	@$(CARGO) bench --quiet --package countersign-core --bench judge

.PHONY: peers
peers: ## Judge the corpus beside other tools, which are installed from npm into target/peers
	@tests/peers/run.sh
