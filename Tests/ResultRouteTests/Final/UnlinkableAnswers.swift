import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// Forty people come to an idle service one after the other, and their devices' keys are known. Before the form is
/// final, an attacker with the database finds out each person's answers. Afterwards, no answer can be linked to a
/// person.
@Suite(.timeLimit(.minutes(15))) struct UnlinkableAnswers {
    private static func bytes(_ id: String) throws -> [UInt8] {
        let uuid = try #require(UUID(uuidString: id))
        return withUnsafeBytes(of: uuid.uuid) { Array($0) }
    }

    @Test(.disabled(if: TestCluster.usesCitus, "the attack reads the pages of one server"))
    func finalFormCannotBeLinkedToPeople() async throws {
        try await TestService.run { service in
            let connection = try await service.superuserConnection()
            // A snapshot, such as that of a backup, keeps PostgreSQL from storing rows in the places of those that were
            // corrected or withdrawn. So the order of arrival shows completely.
            try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM submission")
            let hall = try await KnownHall.withAnswers(service)
            try await connection.script("ROLLBACK")
            try await connection.script("CREATE EXTENSION pageinspect")
            let attack = Attack(hall: hall, connection: connection)
            let salt = try #require(try await attack.salt())
            let macs = try await connection.query(
                "SELECT key_mac, body_mac FROM submission WHERE form_id = \(fragment: hall.meeting.formID) AND NOT withdrawn"
            ).flatMap { row in
                let (key, body) = try row.decode([UInt8].self, [UInt8].self)
                return [key, body]
            }
            let ids = hall.people.map(\.id)
            let traces = try ids.map(Self.bytes) + macs + [salt]

            let before = try await attack.orders()
            for name in ["ctid", "xmin", "dump", "step"] {
                let linking = try #require(before[name])
                #expect(linking.succeeded, "\(name): \(linking), but the attack must succeed before the form is final")
            }
            for linking in try await attack.longTexts() { #expect(linking.correlation > 0.9, "\(linking)") }
            #expect(try await attack.recomputed(salt: salt) == 40)
            #expect(try await attack.lastWritten() == ["pace": ["5"], "topic": ["talk"]])
            #expect(try await attack.remains(of: traces).contains { $0.hasPrefix("submission ") })
            #expect(try await attack.mentions(of: ids) == ["submission 40"])

            try await hall.meeting.finish()

            for (name, linking) in try await attack.orders() { #expect(linking.isChance, "\(name): \(linking)") }
            for linking in try await attack.longTexts() {
                #expect(linking.count == 10 && linking.matches < 9 && abs(linking.correlation) < 0.999, "\(linking)")
            }
            #expect(try await attack.salt() == nil)
            #expect(
                try await attack.recomputed(salt: salt) == 0,
                "no id can be recomputed, not even with a copy of the salt")
            let written = try await attack.lastWritten()
            #expect(
                written["pace"]?.count == 5 && written["topic"]?.count == 2,
                "one transaction wrote all tallies: \(written)")
            #expect(try await attack.talliesAreSorted())
            #expect(
                try await attack.remains(of: traces) == [], "nothing remains, not even in the free space of the pages")
            let devices = hall.people.flatMap { [$0.device, $0.key] }
            #expect(try await attack.mentions(of: ids + devices) == [])
            let marks = hall.present.map { Array("\($0.mark) ".utf8) }
            let remaining = try await attack.remains(of: marks)
            #expect(
                remaining.count <= 2 && remaining.reduce(0) { $0 + (Int($1.split(separator: " ")[1]) ?? 0) } == 38,
                "\(remaining)")
            await connection.close()
        }
    }

    /// A day with only one answer must not reveal whose answer it is.
    @Test func daysAreShuffledWhenAFormBecomesFinal() async throws {
        try await TestService.run { service in
            let hall = try await KnownHall.withAnswers(service)
            let form = hall.meeting.formID
            try await service.sql(
                """
                UPDATE submission SET submitted_on = date '2026-01-01' + substring(answers->>'better' FROM '<(\\d+)>')::int
                WHERE form_id = \(fragment: form) AND NOT withdrawn
                """)
            try await service.sql("DELETE FROM timeline WHERE form_id = \(fragment: form)")
            try await service.sql(
                """
                INSERT INTO timeline SELECT form_id, submitted_on::timestamp AT TIME ZONE 'UTC', count(*)
                FROM submission WHERE form_id = \(fragment: form) AND NOT withdrawn GROUP BY 1, 2
                """)
            let connection = try await service.superuserConnection()
            try await connection.script("CREATE EXTENSION pageinspect")
            let attack = Attack(hall: hall, connection: connection)
            #expect(try await attack.orders()["day"]?.succeeded == true)
            try await hall.meeting.finish()
            let day = try #require(try await attack.orders()["day"])
            #expect(day.isChance, "\(day)")
            await connection.close()
        }
    }
}
