import Contract
import Cryptography
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Pages of texts reveal nothing but the texts, and do not slow down other requests.
@Suite(.timeLimit(.minutes(15))) struct ReadingTexts {
    private static let textsPath = "/results/better/answers"

    /// Locks the table of submissions, so that readers of texts wait while `body` runs.
    private static func withSubmissionsLocked<T>(
        _ service: TestService, _ body: (Connection) async throws -> T
    ) async throws -> T {
        let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
        try await holder.script("BEGIN; LOCK TABLE submission IN ACCESS EXCLUSIVE MODE")
        let value = try await body(holder)
        try await holder.script("ROLLBACK")
        await holder.close()
        return value
    }

    @Test(arguments: [false, true])
    func cursorsAndOrderRevealNeitherIDsNorHashes(anonymous: Bool) async throws {
        try await TestService.run { service in
            let settings = #""showResults": "always", "anonymous": "# + "\(anonymous)"
            let meeting = try await service.openMeeting(settings: settings)
            for number in 1...12 { try await meeting.submit("{\"better\": \"text \(number)\"}").expect(201) }
            try await meeting.perform("close").expect(200)
            try await meeting.moderate("release").expect(204)
            // The values that the author of a submission, or a host, can derive from known ids.
            let rows = try await service.fixture.store.pool.query(
                "SELECT id::text, md5('better' || id::text), answers->>'better' FROM submission")
            let known = try rows.map { try $0.decode(String.self, String.self, String.self) }
            #expect(known.count == 12)
            var texts: [String] = []
            var cursor: String?
            repeat {
                let more = cursor.map { "&cursor=\($0)" } ?? ""
                let page: Contract.ReleasedTexts = try await meeting.participant("\(Self.textsPath)?limit=1\(more)")
                    .expect(200).decoded()
                texts += page.items.map(\.text)
                cursor = page.next
                if let cursor {
                    let plain = String(decoding: try #require(Base64URL.decode(cursor)), as: UTF8.self)
                    for (id, hash, _) in known { #expect(!plain.contains(hash) && !plain.contains(id)) }
                }
            } while cursor != nil
            #expect(Set(texts) == Set(known.map(\.2)) && texts.count == 12)
            #expect(texts != known.sorted { $0.1 > $1.1 }.map(\.2), "the order is not that of a known hash")
            let file = try await meeting.host.get("\(meeting.path)/export/answers.ndjson").expect(200).text
            let exported = file.split(whereSeparator: \.isNewline).compactMap { line in
                known.first { line.contains("\"\($0.2)\"") }?.2
            }
            if anonymous {
                #expect(exported.count == 12)
                #expect(
                    exported != known.sorted { $0.1 < $1.1 }.map(\.2),
                    "the order of the export is not that of a known hash either")
            }
        }
    }

    @Test func reopenedFormShowsNoNewTextsToARunningRead() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always", "anonymous": true"#)
            for _ in 1...3 { try await meeting.submit(#"{"better": "early"}"#).expect(201) }
            try await meeting.perform("close").expect(200)
            try await meeting.moderate("release").expect(204)
            let (textsPath, clients) = (Self.textsPath, [meeting.formPath: service.anyone, meeting.path: meeting.host])
            for (path, client) in clients {
                let reader = try await Self.withSubmissionsLocked(service) { holder in
                    let reader = Task { try await client.get(path + textsPath) }
                    try await service.fixture.database.waitUntilBlocked(1)
                    let id = try #require(UUID(uuidString: meeting.id))
                    let form: Statement = "(SELECT id FROM form WHERE meeting_id = \(id))"
                    try await holder.execute(
                        "UPDATE form_state SET state = 'open', revision = revision + 1 WHERE form_id = \(fragment: form)"
                    )
                    try await holder.execute("UPDATE submission SET answers = '{\"better\": \"late\"}'")
                    try await holder.script("COMMIT; BEGIN")
                    return reader
                }
                let text = try await reader.value.expect(200).text
                #expect(text.contains("early") && !text.contains("late"), "\(path)")
                #expect(try await client.get(path + textsPath).problem == "results-withheld")
                try await service.sql("UPDATE form_state SET state = 'closed'")
                try await service.sql("UPDATE submission SET answers = '{\"better\": \"early\"}'")
            }
        }
    }

    @Test func readersOfOneFormAndOfOneAccountUseOneConnectionEach() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            try await meeting.submit(#"{"better": "x"}"#).expect(201)
            try await meeting.moderate("release").expect(204)
            let share = try await meeting.sharePath()
            let outside = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await Self.withSubmissionsLocked(service) { _ in
                let readers = (0..<24).map { number in
                    Task {
                        switch number % 3 {
                        case 0: try await meeting.participant(Self.textsPath)
                        case 1: try await service.anyone.get(share + Self.textsPath)
                        default: try await meeting.host.get(meeting.path + Self.textsPath)
                        }
                    }
                }
                try await service.fixture.database.waitUntilBlocked(2)
                for _ in 1...100 {
                    let waiting = try await outside.query(
                        """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE wait_event_type = 'Lock' AND datname = current_database()
                        """
                    ).first?.decode(Int.self)
                    #expect((0...2).contains(waiting ?? 99))
                }
                try await service.host.get("/v1/me").expect(200)
                try await service.anyone.get(meeting.formPath).expect(200)
                for reader in readers {
                    let response = try await reader.value
                    #expect(
                        response.status == 503 && response.problem == "overloaded" && response["Retry-After"] != nil)
                }
            }
            await outside.close()
            for path in [meeting.formPath, share] { try await service.anyone.get(path + Self.textsPath).expect(200) }
            try await meeting.host.get(meeting.path + Self.textsPath).expect(200)
        }
    }

    @Test func hidingATextHoldsNoLockDuringTheSearch() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            for _ in 1...3 { try await meeting.submit(#"{"better": "x"}"#).expect(201) }
            try await meeting.perform("close").expect(200)
            let id = try #require(try await meeting.texts().items.first?.id)
            let response = try await Self.withSubmissionsLocked(service) { holder in
                let hiding = Task { try await meeting.moderate("hide", answer: id) }
                try await service.fixture.database.waitUntilBlocked(1)
                try await holder.script("SET LOCAL lock_timeout = '1ms'")
                try await service.lock("form_state", of: meeting, on: holder)
                return try await hiding.value
            }
            #expect(response.status == 503 && response["Retry-After"] != nil)
            try await meeting.moderate("hide", answer: id).expect(204)
        }
    }
}
