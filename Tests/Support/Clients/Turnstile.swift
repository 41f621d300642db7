/// Limits the number of concurrent tests and admits them in the order of arrival. All tests start together. On a
/// machine with few cores, work on hundreds of databases at once would only delay each test.
actor Turnstile {
    private var freePlaces: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) {
        freePlaces = width
    }

    func enter() async {
        if freePlaces > 0 {
            freePlaces -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty { freePlaces += 1 } else { waiting.removeFirst().resume() }
    }
}
