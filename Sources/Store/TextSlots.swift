import Postgres

/// How many read texts at once.
///
/// A page of texts reads all submissions of its form, and anybody with the form's code may ask for it: so neither they
/// nor hosts can have more than a quarter of the connections each, nor any for long.
final class TextSlots: Sendable {
    /// When the database gives one reading up, which is 503 then.
    static let limit: Statement = "SET LOCAL statement_timeout = '2s'"

    private let hosts: Slots
    private let others: Slots

    init(poolSize: Int) {
        hosts = Slots(poolSize / 4)
        others = Slots(poolSize / 4)
    }

    /// 503 when none becomes free in time.
    func take(forHost isHost: Bool) async throws -> Slot {
        try await (isHost ? hosts : others).take(
            within: .seconds(2), else: "Many read texts at the moment; try again later.", retryAfter: 2)
    }
}
