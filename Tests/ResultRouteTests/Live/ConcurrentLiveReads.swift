import Postgres
import Store
import TestSupport
import Testing

/// The results of several forms are read at the same time.
@Suite(.timeLimit(.minutes(5))) struct ConcurrentLiveReads {
    @Test func slowReadOfOneFormDelaysNoEventOfAnother() async throws {
        try await TestService.run { service in
            let slow = try await service.openMeeting(
                #"[{"key": "pace", "kind": "rating", "title": "P"}]"#,
                settings: #""anonymous": true, "showResults": "always""#)
            for pace in [4, 4, 5, 1, 1, 1, 2] { try await slow.submit("{\"pace\": \(pace)}").expect(201) }
            let other = try await service.openMeeting()
            // The released counts of an anonymous form are recorded before they are sent, which waits for this lock.
            let holder = try await service.superuserConnection()
            try await holder.script("BEGIN")
            try await service.lock("form_salt", of: slow, on: holder)
            let delayed = slow.watch()
            try await service.fixture.database.waitUntilBlocked(1)
            let viewer = other.watch()
            #expect(try await viewer.wait { $0.submissions == 0 })
            for number in 1...3 {
                try await other.submit(#"{"pace": 3}"#).expect(201)
                #expect(try await viewer.wait { $0.submissions == number })
            }
            #expect(delayed.events.isEmpty)
            try await holder.script("ROLLBACK")
            #expect(try await delayed.wait { !$0.events.isEmpty })
            await holder.close()
            await viewer.leave()
            await delayed.leave()
        }
    }

    /// The connections are left to requests, even if all watched forms are slow.
    @Test func slowReadsUseAtMostAQuarterOfTheConnections() async throws {
        try await TestService.run { service in
            var meetings: [TestMeeting] = []
            for _ in 0..<6 {
                let meeting = try await service.openMeeting(
                    #"[{"key": "pace", "kind": "rating", "title": "P"}]"#,
                    settings: #""anonymous": true, "showResults": "always""#)
                for pace in [4, 4, 5, 1, 1, 1, 2] { try await meeting.submit("{\"pace\": \(pace)}").expect(201) }
                meetings.append(meeting)
            }
            let holder = try await service.superuserConnection()
            try await holder.script("BEGIN")
            for meeting in meetings { try await service.lock("form_salt", of: meeting, on: holder) }
            let viewers = meetings.map { $0.watch() }
            try await service.fixture.database.waitUntilBlocked(service.fixture.store.poolSize / 4)
            // Meanwhile the other forms could be read if they were allowed to.
            for _ in 0..<50 { try await service.host.get("/v1/meetings").expect(200) }
            let rows = try await holder.query(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """)
            #expect(try rows.first?.decode(Int.self) == service.fixture.store.poolSize / 4)
            try await holder.script("ROLLBACK")
            for viewer in viewers {
                #expect(try await viewer.wait { !$0.events.isEmpty })
                await viewer.leave()
            }
            await holder.close()
        }
    }
}
