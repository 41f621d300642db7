import Foundation
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// Every way to read a form shows the same number of submissions after concurrent changes.
@Suite(.timeLimit(.minutes(15))) struct ConsistentCounts {
    private static let questions = """
        [{"key": "pace", "kind": "rating", "title": "Pace?"},
         {"key": "pick", "kind": "choice", "title": "Pick?", "multiple": true, "other": true,
          "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]},
         {"key": "why", "kind": "text", "title": "Why?"}]
        """

    private struct Clients {
        let host: HTTPTestClient
        let anyone: HTTPTestClient
        let meeting: TestMeeting

        init(_ service: RunningService) async throws {
            anyone = service.client
            let session = try await anyone.post(
                "/v1/sessions", json: #"{"email": "\#(Workspace.email)", "password": "\#(Workspace.password)"}"#)
            host = anyone.bearing(try session.string("token"))
            let now = Date().formatted(.iso8601)
            let later = Date(timeIntervalSinceNow: 3600).formatted(.iso8601)
            let created = try await host.post(
                "/v1/meetings",
                json: """
                    {"title": "Retro", "startsAt": "\(now)", "endsAt": "\(later)", "timeZone": "UTC",
                     "questions": \(ConsistentCounts.questions)}
                    """)
            meeting = try TestMeeting(created: created, host: host, anyone: anyone)
            try await meeting.define(
                "{\"showResults\": \"always\", \"questions\": \(ConsistentCounts.questions)}"
            ).expect(200)
            try await meeting.perform("publish").expect(200)
        }

        /// Sends `times` submissions one after another, and corrects or deletes some. Returns the number of remaining
        /// submissions.
        func answer(_ times: Int, seed: UInt64) async throws -> Int {
            var random = SeededNumbers(seed: seed)
            var remaining = 0
            for _ in 0..<times {
                let pick = random.one(of: ["[]", #"["a"]"#, #"["a", "b", {"other": "c"}]"#])
                let body =
                    "{\"pace\": \(random.int(1...5)), \"pick\": \(pick), \"why\": \"\(random.one(of: ["", "x"]))\"}"
                let sent = try await meeting.submit(body).expect(201)
                let submissionPath = "\(meeting.submissionsPath)/\(try sent.string("id"))"
                let authorization = ["Authorization": "Receipt \(try sent.string("receipt"))"]
                remaining += 1
                switch random.int(0...4) {
                case 0:
                    let other = #"{"answers": {"pick": ["b"], "why": "y"}}"#
                    try await anyone.put(submissionPath, json: other, headers: authorization).expect(200)
                case 1:
                    try await anyone.delete(submissionPath, headers: authorization).expect(204)
                    remaining -= 1
                case 2 where random.chance():
                    try await host.delete("\(meeting.path)/submissions/\(sent.string("id"))").expect(204)
                    remaining -= 1
                default: break
                }
            }
            return remaining
        }

        /// The number of submissions that each response shows, by the name of the response.
        func counts() async throws -> [String: Int?] {
            let results = try await meeting.results().expect(200)
            let list = try await host.get("/v1/meetings").expect(200)
            let series = try await host.get("/v1/series").expect(200)
            let shown = try await anyone.get("\(meeting.formPath)/results").expect(200)
            let share = try await host.post("\(meeting.path)/shares").expect(201)
            let shared = try await anyone.get("/v1/shares/\(share.string("token"))/results").expect(200)
            var counts = [
                "results": results.json?["submissions"]?.int, "list": list.json?["items"]?[0]?["submissions"]?.int,
                "meeting": try await host.get(meeting.path).json?["submissions"]?.int,
                "series": series.json?["items"]?[0]?["latest"]?["submissions"]?.int,
                "participant": shown.json?["submissions"]?.int, "share": shared.json?["submissions"]?.int,
            ]
            for question in results.json?["questions"]?.array ?? [] {
                counts["question \(question["key"]?.string ?? "")"] =
                    (question["answered"]?.int ?? -1) + (question["skipped"]?.int ?? -1)
            }
            let pooled = try await host.get("/v1/series/\(meeting.seriesID)/results").expect(200)
            counts["pooled"] = pooled.json?["submissions"]?.int
            for question in pooled.json?["questions"]?.array ?? [] {
                counts["pooled question \(question["key"]?.string ?? "")"] =
                    (question["answered"]?.int ?? -1) + (question["skipped"]?.int ?? -1)
            }
            for (path, name) in [(meeting.path, "meeting"), ("/v1/series/\(meeting.seriesID)", "series")] {
                let meetings = try await Self.rows("\(path)/export/meetings.ndjson", host)
                counts["meetings of the \(name)"] = meetings.first?["submissions"]?.int
                counts["submissions of the \(name)"] = try await Self.rows(
                    "\(path)/export/submissions.ndjson", host
                ).count
                let summary = try await Self.rows("\(path)/export/summary.ndjson", host)
                counts["summary of the \(name)"] = summary.first.map {
                    ($0["answered"]?.int ?? -1) + ($0["skipped"]?.int ?? -1)
                }
            }
            return counts
        }

        static func rows(_ path: String, _ client: HTTPTestClient) async throws -> [JSONValue] {
            try await client.get(path).expect(200).text.split(separator: "\n").map {
                try JSONValue.parse(Array($0.utf8))
            }
        }
    }

    @Test(arguments: [1, SeededNumbers.freshSeed()])
    func everyReadShowsTheSameCountAfterConcurrentSubmissions(_ seed: UInt64) async throws {
        try await Workspace.using { workspace in
            try await RunningService(["--database-url", workspace.database.url] + workspace.options).using { service in
                let clients = try await Clients(service)
                let viewer = LiveTestViewer(clients.host, "\(clients.meeting.path)/results/live", keepsAll: false)
                let remaining = try await withThrowingTaskGroup(of: Int.self) { group in
                    for participant in 0..<8 as Range<UInt64> {
                        group.addTask { try await clients.answer(15, seed: seed &+ participant) }
                    }
                    return try await group.reduce(0, +)
                }
                let texts = try await clients.host.get("\(clients.meeting.path)/results/why/answers").expect(200)
                let textID = try #require(texts.json?["items"]?[0]?["id"]?.string)
                try await clients.host.post("\(clients.meeting.path)/results/why/answers/\(textID)/hide").expect(204)
                for (name, count) in try await clients.counts() { #expect(count == remaining, "\(name)") }
                let results = try await clients.meeting.results().expect(200)
                #expect(try await viewer.wait { $0.last?.data == results.text }, "the live event equals the results")
                await viewer.leave()
                try await Self.expectTables(clients, results, workspace)
                let verified = try await workspace.run(["verify"])
                #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
            }
        }
    }

    /// Compares the exported tables with the results, and the exports of the API with those of the command.
    private static func expectTables(
        _ clients: Clients, _ results: HTTPTestClient.Response, _ workspace: Workspace
    ) async throws {
        let path = clients.meeting.path
        let summary = try await Clients.rows("\(path)/export/summary.ndjson", clients.host)
        let answers = try await Clients.rows("\(path)/export/answers.ndjson", clients.host)
        for question in results.json?["questions"]?.array ?? [] {
            let key = question["key"]
            let rows = summary.filter { $0["question"] == key }
            #expect(rows.allSatisfy { $0["answered"] == question["answered"] && $0["skipped"] == question["skipped"] })
            for (row, point) in zip(rows, question["points"]?.array ?? []) {
                #expect(row["option_id"] == point["id"] && row["count"] == point["count"])
                #expect(row["share"] == point["share"])
                let matching = answers.filter { $0["question"] == key && $0["option_id"] == point["id"] }
                if key != .string("pace") { #expect(matching.count == point["count"]?.int, "\(point)") }
            }
            let values = answers.filter { $0["question"] == key }
            if key == .string("pace") { #expect(values.count == question["answered"]?.int) }
            if key == .string("why") { #expect(values.count + 1 == question["answered"]?.int, "one text is hidden") }
        }
        for table in ["summary", "questions", "meetings", "submissions", "answers"] {
            for format in ["csv", "ndjson"] {
                let response = try await clients.host.get("\(path)/export/\(table).\(format)").expect(200)
                let outcome = try await workspace.run(
                    ["export", table, "--meeting", clients.meeting.id, "--format", format])
                #expect(outcome.status == 0 && outcome.output == response.text, "\(table) \(format)")
            }
        }
    }
}
