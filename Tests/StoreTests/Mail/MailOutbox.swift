import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(15))) struct MailOutbox {
    private static func enqueue(_ count: Int, in store: Store) async throws {
        let address = try #require(EmailAddress("somebody@example.org"))
        try await store.pool.transaction { connection in
            for number in 0..<count {
                try await Outbox.enqueue(
                    Letter(kind: "trial", subject: "Number \(number)", body: "Text \(number)"), to: address,
                    on: connection)
            }
        }
    }

    private static func state(_ store: Store) async throws -> (
        tries: Int, pauseSeconds: Double, isSent: Bool, isFailed: Bool
    ) {
        let rows = try await store.pool.query(
            """
            SELECT tries, extract(epoch FROM next_try_at - clock_timestamp())::float8, sent_at IS NOT NULL,
                failed_at IS NOT NULL FROM outbox
            """)
        return try #require(rows.first).decode(Int.self, Double.self, Bool.self, Bool.self)
    }

    @Test func rolledBackMailIsNotSent() async throws {
        try await TestStore.run { fixture in
            struct Failure: Error {}
            let address = try #require(EmailAddress("somebody@example.org"))
            await #expect(throws: Failure.self) {
                try await fixture.store.pool.transaction { connection in
                    try await Outbox.enqueue(
                        Letter(kind: "trial", subject: "s", body: "b"), to: address, on: connection)
                    throw Failure()
                }
            }
            #expect(try await fixture.store.outbox.claim() == nil)
            #expect(try await fixture.store.outbox.counts() == (0, 0))
        }
    }

    @Test func mailIsClaimedByOneSenderOnly() async throws {
        try await TestStore.run { fixture in
            try await Self.enqueue(30, in: fixture.store)
            let second = try await fixture.secondStore()
            let claimed = try await withThrowingTaskGroup(of: [UUID].self) { group in
                for store in [fixture.store, second, fixture.store, second] {
                    group.addTask {
                        var ids: [UUID] = []
                        while let mail = try await store.outbox.claim() { ids.append(mail.id) }
                        return ids
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            await second.close()
            #expect(claimed.count == 30 && Set(claimed).count == 30)
        }
    }

    @Test func retriesBackOff() async throws {
        try await TestStore.run { fixture in
            let store = fixture.store
            try await Self.enqueue(1, in: store)
            for (tries, pause) in [(1, 60.0), (2, 120), (3, 240), (4, 480), (9, 14_400), (30, 14_400)] {
                try await store.pool.execute(
                    "UPDATE outbox SET next_try_at = now(), tries = \(tries - 1)")
                let mail = try #require(try await store.outbox.claim())
                #expect(mail.tries == tries)
                try await store.outbox.failed(mail, reason: "exit code 75")
                let state = try await Self.state(store)
                #expect(state.tries == tries && !state.isFailed && abs(state.pauseSeconds - pause) < 5, "\(state)")
                #expect(try await store.outbox.claim() == nil)
            }
        }
    }

    @Test func mailIsGivenUpAfterThreeDaysAndItsTextDeleted() async throws {
        try await TestStore.run { fixture in
            let store = fixture.store
            try await Self.enqueue(2, in: store)
            try await store.pool.execute("UPDATE outbox SET created_at = now() - interval '73 hours'")
            let mail = try #require(try await store.outbox.claim())
            try await store.outbox.failed(mail, reason: "exit code 75")
            #expect(try await store.outbox.counts() == (1, 1))
            try await store.outbox.succeeded(try #require(try await store.outbox.claim()))
            #expect(try await store.outbox.counts() == (0, 1))
            let left = try await store.pool.query("SELECT FROM outbox WHERE subject IS NOT NULL OR body IS NOT NULL")
            #expect(left.isEmpty)
            try await store.sweep()
            #expect(try await store.pool.query("SELECT FROM outbox").count == 2)
            try await store.pool.execute(
                """
                UPDATE outbox SET sent_at = sent_at - interval '8 days', failed_at = failed_at - interval '8 days'
                """)
            try await store.sweep()
            #expect(try await store.pool.query("SELECT FROM outbox").isEmpty)
        }
    }

    @Test func accountMailsPrecedeBulkMails() async throws {
        try await TestStore.run { fixture in
            let store = fixture.store
            let address = try #require(EmailAddress("somebody@example.org"))
            let texts = try LetterCatalogues.ofCheckout().texts(locale: nil)
            let link = Letter.invitation(meeting: "Retro", link: "https://x", in: texts)
            try await store.pool.transaction { connection in
                try await Outbox.enqueue(Array(repeating: (link, address), count: 3), on: connection)
            }
            try await store.pool.execute("UPDATE outbox SET next_try_at = now() - interval '1 hour'")
            try await store.pool.transaction { connection in
                try await Outbox.enqueue(
                    .passwordReset(token: "t", service: "s", in: texts), to: address, on: connection)
            }
            var kinds: [String] = []
            while let mail = try await store.outbox.claim() { kinds.append(mail.letter.kind) }
            #expect(kinds.count == 4 && kinds.first == "password-reset")
        }
    }

    @Test func mailIsGivenUpWhenItsLinkExpires() async throws {
        try await TestStore.run { fixture in
            let store = fixture.store
            let address = try #require(EmailAddress("somebody@example.org"))
            let texts = try LetterCatalogues.ofCheckout().texts(locale: nil)
            for (letter, hours) in [
                (Letter.passwordReset(token: "t", service: "s", in: texts), 1.0),
                (.verification(token: "t", service: "s", in: texts), 24),
                (.passwordChanged(service: "s", in: texts), nil),
            ] as [(Letter, Double?)] {
                try await store.pool.execute("DELETE FROM outbox")
                try await store.pool.transaction { try await Outbox.enqueue(letter, to: address, on: $0) }
                let rows = try await store.pool.query(
                    "SELECT extract(epoch FROM expires_at - created_at)::float8 / 3600 FROM outbox")
                #expect(try rows.first?.decode(Double?.self) == hours)
            }
            try await store.pool.execute("DELETE FROM outbox")
            try await store.pool.transaction {
                try await Outbox.enqueue(.passwordReset(token: "t", service: "s", in: texts), to: address, on: $0)
            }
            // The last retry is before the link expires.
            try await store.pool.execute("UPDATE outbox SET tries = 9, expires_at = now() + interval '10 minutes'")
            try await store.outbox.failed(try #require(try await store.outbox.claim()), reason: "exit code 75")
            #expect(abs(try await Self.state(store).pauseSeconds - 600) < 5)
            try await store.pool.execute(
                "UPDATE outbox SET next_try_at = now() - interval '1 second', expires_at = now() - interval '1 second'")
            #expect(try await store.outbox.claim() == nil)
            #expect(try await store.outbox.counts() == (0, 1))
            let left = try await store.pool.query("SELECT last_error FROM outbox WHERE body IS NULL")
            #expect(
                try left.first?.decode(String.self) == "exit code 75; its link has expired")
        }
    }

    @Test func mailOfAKilledSenderIsSentAgain() async throws {
        try await TestStore.run { fixture in
            try await Self.enqueue(1, in: fixture.store)
            let first = try #require(try await fixture.store.outbox.claim())
            #expect(abs(try await Self.state(fixture.store).pauseSeconds - Outbox.Schedule.lease) < 5)
            try await fixture.store.pool.execute("UPDATE outbox SET next_try_at = now()")
            let again = try #require(try await fixture.store.outbox.claim())
            #expect(again.id == first.id && again.tries == 2)
        }
    }
}
