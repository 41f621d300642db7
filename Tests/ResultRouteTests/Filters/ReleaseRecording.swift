import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Each reading of an open anonymous form is recorded in the release log before the response is sent, and refused if
/// it cannot be recorded.
@Suite(.timeLimit(.minutes(15))) struct ReleaseRecording {
    private static let settings = #""anonymous": true, "showResults": "always""#
    private static let questions = #"[{"key": "pace", "kind": "rating", "title": "P"}]"#

    /// Every way to read released counts, with its path for a meeting.
    private static let paths: [(name: String, path: @Sendable (TestMeeting) async throws -> String)] = [
        ("results", { "\($0.path)/results" }),
        ("picture", { "\($0.path)/results/pace.svg" }),
        ("participant", { "\($0.formPath)/results" }),
        ("share", { "\(try await $0.sharePath())/results" }),
        ("pooled", { "/v1/series/\($0.seriesID)/results" }),
        ("trend", { "/v1/series/\($0.seriesID)/trend?key=pace" }),
        ("ranking", { _ in "/v1/rankings?key=pace&by=meeting" }),
        ("summary", { "\($0.path)/export/summary.csv" }),
        ("questions", { "\($0.path)/export/questions.ndjson" }),
        ("workbook", { "/v1/series/\($0.seriesID)/export/summary.xlsx" }),
    ]

    private static let streams: [(name: String, path: @Sendable (TestMeeting) async throws -> String)] = [
        ("host", { $0.livePath }), ("participant", { "\($0.formPath)/live" }),
        ("share", { "\(try await $0.sharePath())/live" }),
    ]

    /// An open form with three of seven submissions released.
    private static func meeting(_ service: TestService) async throws -> TestMeeting {
        let meeting = try await service.openMeeting(questions, settings: settings)
        for pace in [4, 4, 5, 1, 1, 1, 2] { try await meeting.submit("{\"pace\": \(pace)}").expect(201) }
        return meeting
    }

    /// The numbers of submissions of the recorded states.
    private static func recorded(_ meeting: TestMeeting, _ service: TestService) async throws -> [Int] {
        try await service.fixture.store.pool.query(
            "SELECT submissions FROM seen_state WHERE form_id = \(fragment: meeting.formID)"
        ).map { row -> Int in try row.decode(Int.self) }
    }

    private static func reader(_ path: String, _ service: TestService) -> HTTPTestClient {
        path.hasPrefix("/v1/forms/") || path.hasPrefix("/v1/shares/") ? service.anyone : service.host
    }

    @Test func readingsAreRecordedBeforeTheResponse() async throws {
        try await TestService.run { service in
            let holder = try await service.superuserConnection()
            for (name, path) in Self.paths {
                let meeting = try await Self.meeting(service)
                let address = try await path(meeting)
                try await holder.script(
                    "ALTER TABLE seen_state ADD CONSTRAINT seen_state_refused CHECK (submissions < 0) NOT VALID")
                let refused = try? await Self.reader(address, service).get(address)
                #expect(refused?.status != 200, "\(name): counts are shown only once they are recorded")
                #expect(try await Self.recorded(meeting, service) == [], "\(name)")
                try await holder.script("ALTER TABLE seen_state DROP CONSTRAINT seen_state_refused")
                #expect(try await Self.reader(address, service).get(address).status == 200, "\(name)")
                #expect(try await Self.recorded(meeting, service) == [3], "\(name)")
            }
            await holder.close()
        }
    }

    @Test func countsSentByEventStreamsAreRecorded() async throws {
        try await TestService.run { service in
            for (name, path) in Self.streams {
                let meeting = try await Self.meeting(service)
                let address = try await path(meeting)
                let viewer = LiveTestViewer(Self.reader(address, service), address)
                #expect(try await viewer.wait { !$0.events.isEmpty }, "\(name)")
                #expect(try await Self.recorded(meeting, service) == [3], "\(name)")
                for pace in [3, 3] { try await meeting.submit("{\"pace\": \(pace)}").expect(201) }
                #expect(
                    try await viewer.wait { $0.last?.json?["withheld"]?["shown"]?.text == "6" }, "\(name)")
                #expect(try await Self.recorded(meeting, service).sorted() == [3, 6], "\(name)")
                await viewer.leave()
            }
        }
    }

    /// Lists and refused requests show no released counts.
    @Test func readingTheNumberOfSubmissionsIsNotRecorded() async throws {
        try await TestService.run { service in
            let meeting = try await Self.meeting(service)
            let share = try await meeting.sharePath()
            for path in [
                meeting.path, "/v1/meetings", meeting.formPath, "\(meeting.path)/form", share,
                "\(meeting.path)/results/timeline", "\(meeting.path)/export/meetings.csv",
                "/v1/calendar?from=2026-01-01&to=2026-02-01", "/v1/meetings/current",
            ] {
                let status = try await service.host.get(path).status
                #expect(status == 200 || status == 404, "\(path)")
            }
            for path in ["?where=pace:4", "/crosstab?rows=pace&columns=pace"] {
                #expect(try await service.host.get("\(meeting.path)/results\(path)").status != 200)
            }
            let list = LiveTestViewer(service.host, "/v1/live")
            #expect(try await list.wait { !$0.events.isEmpty })
            await list.leave()
            #expect(try await Self.recorded(meeting, service) == [])
        }
    }
}
