// Two threads increment a number under a contended `Mutex`; with the argument `race`, another one without it.
import Foundation
import Synchronization

final class Counters: @unchecked Sendable {  // One counter is raced for on purpose.
    let guarded = Mutex(0)
    var unguarded = 0
}

let counters = Counters()
let races = CommandLine.arguments.contains("race")
let threads = (0..<4).map { _ in
    Thread {
        for _ in 0..<20_000 {
            counters.guarded.withLock { $0 += 1 }
            if races { counters.unguarded += 1 }
        }
        counters.guarded.withLock { $0 += 1_000_000 }
    }
}
for thread in threads { thread.start() }
while counters.guarded.withLock({ $0 }) < 4_000_000 { usleep(1_000) }
