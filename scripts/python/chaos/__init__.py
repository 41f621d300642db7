"""The fault harness of `make chaos`. docs/reliability.md explains it."""
