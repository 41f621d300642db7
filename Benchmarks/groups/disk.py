"""The bytes of a submission of five answers on disk, with all indexes and counts, and in the write-ahead log."""


def measure(bench):
    filling = bench.large_form().filling
    bench.results.record("disk", disk=filling["disk"], wal=filling["wal"])
    bench.results.add("disk", filling["disk"])
    bench.results.add("wal", filling["wal"])
    print(f"  {filling['disk']:.0f} B on disk and {filling['wal']:.0f} B of log for each submission, of 256 clients")
