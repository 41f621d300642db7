/// How long a busy lane gathers offers before it writes the next batch.
///
/// The lane waits until offers of a third of the active clients are in the queue. A client is active if its offer has
/// just been answered or is waiting. The lane waits at most twice as long as the last write took, and at most two
/// milliseconds.
///
/// Without gathering, if commits are fast, the next batch would start with the first client that returns; but writing
/// one row costs a quarter of writing sixty-four. Waiting for half of the clients instead of a third left the database
/// idle for a third of the time.
///
/// If the last write took more than two milliseconds and more than 50 µs for each active client, as on a slow disk, the
/// lane waits for nine tenths of them, for at most 50 µs each. The clients return in that time. With batches of a
/// third, each client would wait for three writes.
struct Gathering: Equatable {
    /// A batch that was written.
    struct Write {
        let size: Int
        let duration: Duration
    }

    private static let maxTime: Duration = .milliseconds(2)
    /// The time in which the clients return, divided by the number of active clients.
    private static let returnTimePerClient: Duration = .microseconds(50)

    /// The number of waiting offers at which the next batch starts.
    let wanted: Int
    /// The longest time to wait for them.
    let time: Duration

    /// - Parameters:
    ///   - waiting: The number of offers that are waiting.
    ///   - limit: The maximum size of a batch.
    init(after write: Write, waiting: Int, limit: Int) {
        let active = write.size + waiting
        let returnTime = Self.returnTimePerClient * active
        if write.duration > max(returnTime, Self.maxTime) {
            (wanted, time) = (min(limit, active * 9 / 10), returnTime)
        } else {
            (wanted, time) = (min(limit, active / 3), min(write.duration * 2, Self.maxTime))
        }
    }
}
