import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// A host hides a text of an anonymous form while finalising replaces the id of the text.
@Suite(.timeLimit(.minutes(15))) struct HidingWhileFinalising {
    @Test func hidingByAnOldIDIsAConflictDuringFinalisingAndNotFoundLater() async throws {
        try await TestStore.run { fixture in
            let settings = #""anonymous": true, "minimumGroup": 3"#
            let meeting = try await fixture.openMeeting(TestStore.textQuestions, settings: settings)
            for number in 1...4 { _ = try await fixture.submit("{\"better\": \"b\(number)\"}", to: meeting) }
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let closed = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
            let texts = fixture.store.texts
            let old = try #require(try await texts.list(of: closed, question: "better", limit: 4).items.first)
            @Sendable func hide(_ id: UUID) async throws -> ProblemCode? {
                try await problem {
                    try await texts.setHidden(
                        true, answer: id, question: "better", of: closed, by: fixture.host.account.id)
                }?.code
            }
            let hiding = try await fixture.store.pool.transaction { connection in
                try await connection.execute(
                    """
                    UPDATE form_state SET state = 'finalising', finalising_since = now()
                    WHERE form_id = \(meeting.form.id)
                    """)
                try await connection.query("SELECT unlink_submissions(\(meeting.form.id))")
                let request = Task { try await hide(old.id) }
                // The request has found the text and waits for the form's lock.
                try await fixture.database.waitUntilBlocked(1)
                return request
            }
            #expect(try await hiding.value == .formFinal)
            #expect(try await hide(old.id) == .notFound, "the old id no longer exists")
            let new = try await texts.list(of: closed, question: "better", limit: 4).items
            #expect(new.count == 4 && !new.map(\.id).contains(old.id))
            #expect(try await hide(new[0].id) == nil)
            #expect(try await hide(UUID()) == .notFound)
        }
    }
}
