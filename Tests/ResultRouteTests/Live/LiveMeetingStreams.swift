import Contract
import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

extension LiveTestViewer {
    /// The latest counters by title.
    var counters: [String: Contract.LiveMeetings.Counters] {
        guard let data = last?.data,
            let body = try? ContractCoding.decoder().decode(Contract.LiveMeetings.self, from: Data(data.utf8))
        else { return [:] }
        return Dictionary(body.items.map { ($0.title, $0) }) { first, _ in first }
    }
}

@Suite(.timeLimit(.minutes(15))) struct LiveMeetingStreams {
    @Test func countersOfAllCurrentMeetingsAreUpdated() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: #""headcount": 4"#)
            try await service.move(meeting, from: -10, to: 50)
            let viewer = LiveTestViewer(service.host, "/v1/live")
            #expect(try await viewer.wait { $0.counters["A meeting"]?.submissions == 0 })
            let first = try #require(viewer.counters["A meeting"])
            #expect(first.state == "running" && first.formState == "open" && first.headcount == 4 && first.round == 1)
            #expect(viewer.last?.name == "meetings" && viewer.last?.id == nil)
            for _ in 0..<5 { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            #expect(try await viewer.wait { $0.counters["A meeting"]?.submissions == 5 })
            try await meeting.add("Ann", status: "late").expect(201)
            #expect(try await viewer.wait { $0.counters["A meeting"]?.attended == 1 })
            try await meeting.perform("close").expect(200)
            #expect(try await viewer.wait { $0.counters["A meeting"]?.formState == "closed" })
            try await service.host.post("/v1/meetings", json: #"{"title": "Soon"}"#).expect(201)
            try await service.sql(
                """
                UPDATE meeting SET starts_at = now() + interval '55 minutes', ends_at = now() + interval '2 hours'
                WHERE title = 'Soon'
                """)
            #expect(try await viewer.wait { $0.counters["Soon"]?.state == "upcoming" })
            #expect(viewer.counters.count == 2)
            await viewer.leave()
        }
    }

    @Test func onlyCurrentMeetingsAndActiveFormsAreListed() async throws {
        try await TestService.run { service in
            for (title, start, end) in [("over", -120, -60), ("later", 70, 120), ("soon", 59, 61), ("now", -5, 5)] {
                try await service.host.post("/v1/meetings", json: "{\"title\": \"\(title)\"}").expect(201)
                try await service.sql(
                    """
                    UPDATE meeting SET starts_at = now() + \(Double(start)) * interval '1 minute',
                        ends_at = now() + \(Double(end)) * interval '1 minute' WHERE title = \(title)
                    """)
            }
            // Open forms: one that was published now, one published long ago, and an old one with a recent answer.
            for title in ["fresh", "old", "alive"] {
                let body = "{\"title\": \"\(title)\", \"questions\": \(TestStore.questions)}"
                let created = try await service.host.post("/v1/meetings", json: body)
                let meeting = try TestMeeting(created: created, host: service.host, anyone: service.anyone)
                try await meeting.perform("publish").expect(200)
                guard title != "fresh" else { continue }
                let id = UUID(uuidString: meeting.id)
                try await service.sql(
                    "UPDATE form SET updated_at = now() - interval '3 days' WHERE meeting_id = \(id)")
                try await service.sql(
                    """
                    UPDATE form_state SET updated_at = now() - interval '3 days'
                    WHERE form_id = (SELECT id FROM form WHERE meeting_id = \(id))
                    """)
                if title == "alive" { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            }
            for client in [service.host, service.admin] {
                let viewer = LiveTestViewer(client, "/v1/live")
                #expect(try await viewer.wait { !$0.events.isEmpty })
                #expect(Set(viewer.counters.keys) == ["soon", "now", "fresh", "alive"])
                await viewer.leave()
            }
            let stranger = LiveTestViewer(service.other, "/v1/live")
            #expect(try await stranger.wait { $0.last?.data == #"{"items":[]}"# })
            await stranger.leave()
            #expect(try await service.host.get("/v1/live?limit=3").faults == ["?limit unknown-parameter"])
        }
    }

    @Test func burstsCauseAtMostOneEventASecond() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let viewer = LiveTestViewer(service.host, "/v1/live")
            #expect(try await viewer.wait { !$0.events.isEmpty })
            let start = ContinuousClock.now
            for _ in 0..<60 { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            #expect(try await viewer.wait { $0.counters["A meeting"]?.submissions == 60 })
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(Double(viewer.events.count) <= seconds + 3, "\(viewer.events.count) in \(seconds) s")
            await viewer.leave()
        }
    }
}
