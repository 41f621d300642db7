import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite struct CachedForms {
    @Test func aFormThatAnotherInstancePublishesIsOpenHereAtOnce() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.meeting(TestStore.questions)
            let early = try await problem { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            #expect(early?.code == .formNotOpen)
            let second = try await fixture.second()
            _ = try await second.forms.publish(meetingID: meeting.id, by: fixture.host.account.id)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            await second.close()
        }
    }

    @Test func aLoadThatBeganBeforeAnActIsNotKept() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys)
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN; LOCK TABLE form_salt IN ACCESS EXCLUSIVE MODE")
            let early = Task { try await cache.facts(code: meeting.form.code).version }
            try await fixture.database.untilWaiting(1)
            cache.forget(meeting.form.code)
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await early.value == 1)
            // The version is changed behind the cache: only a fresh load can see it.
            try await fixture.store.pool.execute("UPDATE form SET version = 2 WHERE id = \(meeting.form.id)")
            #expect(try await cache.facts(code: meeting.form.code).version == 2)
            try await fixture.store.pool.execute("UPDATE form SET version = 1 WHERE id = \(meeting.form.id)")
        }
    }
}
