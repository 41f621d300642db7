import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(15))) struct SeriesTransfers {
    @Test func personalCodeIgnoresTheCaseOfTheAddress() async throws {
        try await TestStore.run { fixture in
            let seriesID = try await fixture.meeting().seriesID
            let first = try #require(EmailAddress("mina@example.org"))
            let same = try #require(EmailAddress(" Mina@Example.ORG "))
            let similar = try #require(EmailAddress("amina@example.org"))
            let codes = try await fixture.store.pool.transaction { connection in
                try await Person.ensure([first, similar], in: seriesID, on: connection)
                let before = try await Person.code(of: first, in: seriesID, on: connection)
                try await Person.ensure([same], in: seriesID, on: connection)
                return [
                    before, try await Person.code(of: same, in: seriesID, on: connection),
                    try await Person.code(of: similar, in: seriesID, on: connection),
                ]
            }
            #expect(codes[0] != nil && codes[0] == codes[1])
            #expect(codes[2] != nil && codes[2] != codes[0])
        }
    }

    @Test func restoredSeriesIncludesTheRoundsTrashedWithIt() async throws {
        try await TestStore.run { fixture in
            let pool = fixture.store.pool
            let trashedEarlier = try await fixture.openMeeting()
            let remaining = try await fixture.openMeeting()
            try await pool.execute(
                "UPDATE meeting SET series_id = \(remaining.seriesID), round = 2 WHERE id = \(trashedEarlier.id)")
            try await fixture.store.meetings.trash(trashedEarlier.id, by: fixture.host)
            let account = fixture.host.account.id
            let forms = try await Self.move(intoTrash: true, remaining.seriesID, by: account, pool)
            #expect(forms.map(\.code) == [remaining.form.code])
            #expect(try await Self.move(intoTrash: true, remaining.seriesID, by: account, pool) == [])
            #expect(try await Self.trashedMeetingCount(pool) == 2)
            #expect(try await Self.move(intoTrash: false, remaining.seriesID, by: account, pool) == forms)
            #expect(try await Self.trashedMeetingCount(pool) == 1)
            let stillTrashed = try await pool.query("SELECT id FROM meeting WHERE deleted_at IS NOT NULL")
            #expect(try stillTrashed.first?.decode(UUID.self) == trashedEarlier.id)
        }
    }

    @Test func seriesIsTransferredToAnHeirDespiteOverlappingMeetings() async throws {
        try await TestStore.run { fixture in
            let pool = fixture.store.pool
            let heir = try await TestStore.account("heir@example.org", "Hedda Heir", .host, in: fixture.store)
            let (moved, own) = (try await fixture.meeting(), try await fixture.meeting(by: heir))
            for id in [moved.id, own.id] {
                try await pool.execute(
                    """
                    UPDATE meeting SET starts_at = now(), ends_at = now() + interval '1 hour' WHERE id = \(id)
                    """)
            }
            let (account, address) = (fixture.host.account.id, try #require(EmailAddress("HEIR@example.org")))
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { connection in
                    try await SeriesLifecycle.transfer(
                        moved.seriesID, to: heir.account.id, allowingOverlap: false, by: account, on: connection)
                }
            }
            try await pool.transaction { connection in
                let newOwner = try #require(try await SeriesLifecycle.lockNewOwner(address, on: connection))
                try await SeriesLifecycle.transfer(
                    moved.seriesID, to: newOwner, allowingOverlap: true, by: account, on: connection)
            }
            let transferred = try await fixture.store.meetings.require(moved.id, by: heir)
            #expect(transferred.hostID == heir.account.id && transferred.allowOverlap)
            #expect(try await fixture.store.meetings.require(own.id, by: heir).allowOverlap == false)
        }
    }

    private static func move(
        intoTrash: Bool, _ seriesID: UUID, by account: UUID, _ pool: Pool
    ) async throws -> [SeriesLifecycle.MovedForm] {
        try await pool.transaction { connection in
            let forms =
                intoTrash
                ? try await SeriesLifecycle.trash(seriesID, by: account, on: connection)
                : try await SeriesLifecycle.restore(seriesID, by: account, on: connection)
            try await SeriesLifecycle.setTrashed(intoTrash, forms.map(\.id), on: connection)
            return forms
        }
    }

    /// The number of meetings in the trash. Checks that the same number of forms is marked as trashed.
    private static func trashedMeetingCount(_ pool: Pool) async throws -> Int {
        let rows = try await pool.query(
            """
            SELECT m.count, f.count FROM (SELECT count(*) FROM meeting WHERE deleted_at IS NOT NULL) AS m,
                (SELECT count(*) FROM form_state WHERE trashed) AS f
            """)
        let (meetings, forms) = try #require(rows.first).decode(Int.self, Int.self)
        #expect(meetings == forms)
        return meetings
    }
}
