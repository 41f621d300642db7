"""The groups of figures: each module has a function `measure(bench)`."""
