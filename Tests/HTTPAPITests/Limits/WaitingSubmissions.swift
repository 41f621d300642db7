import Foundation
import HTTPAPI
import Postgres
import Store
import TestSupport
import Testing

/// Clients that send more submissions than can wait.
@Suite(.timeLimit(.minutes(15))) struct WaitingSubmissions {
    /// Of eight places, the last two are shared: one address gets one of them.
    @Test(arguments: [true, false]) func connectionsOfOneAddressLeavePlacesForOthers(usesShortcut: Bool) async throws {
        try await TestStore.run(maxWaitingSubmissions: 8, lockTimeout: 60) { fixture in
            let meeting = try await fixture.openMeeting()
            try await TestService.serve(fixture.store, options: ServiceOptions(trustedProxies: 1)) { client in
                let type = usesShortcut ? "application/json" : "application/json; charset=utf-8"
                let send = { @Sendable (address: String) async throws -> Int in
                    try await client.post(
                        "/v1/forms/\(meeting.form.code)/submissions", json: #"{"answers": {"pace": 3}}"#,
                        headers: ["Content-Type": type, "X-Forwarded-For": address]
                    ).status
                }
                // This caches the form, so that later submissions can take the shortcut.
                #expect(try await send("192.0.2.1") == 201)
                let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
                try await holder.script("BEGIN")
                try await holder.query("SELECT FROM form_state WHERE form_id = \(meeting.form.id) FOR UPDATE")
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<7 { group.addTask { try await send("192.0.2.1") } }
                    try await eventually("7 submissions wait") { fixture.store.submissions.depth == 7 }
                    #expect(try await send("192.0.2.1") == 503)
                    group.addTask { try await send("192.0.2.2") }
                    try await eventually("8 submissions wait") { fixture.store.submissions.depth == 8 }
                    try await holder.script("ROLLBACK")
                    for try await status in group { #expect(status == 201) }
                }
                await holder.close()
            }
        }
    }
}
