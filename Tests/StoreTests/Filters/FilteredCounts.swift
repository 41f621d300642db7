import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Compares filtered counts with the submissions that were sent.
@Suite(.timeLimit(.minutes(15))) struct FilteredCounts {
    private static let questions = """
        [{"key": "pace", "kind": "rating", "title": "Pace", "min": 0, "max": 3},
         {"key": "team", "kind": "choice", "title": "Team", "other": true,
          "options": [{"id": "red", "label": "Red"}, {"id": "blue", "label": "Blue"}]},
         {"key": "topics", "kind": "choice", "title": "Topics", "multiple": true, "other": true,
          "options": [{"id": "demo", "label": "Demo"}, {"id": "talk", "label": "Talk"}]},
         {"key": "why", "kind": "text", "title": "Why"}]
        """
    /// A later version without the text question and with another rating.
    private static let laterQuestions = """
        [{"key": "pace", "kind": "rating", "title": "Pace", "min": 0, "max": 3},
         {"key": "mood", "kind": "rating", "title": "Mood"},
         {"key": "team", "kind": "choice", "title": "Team", "other": true,
          "options": [{"id": "red", "label": "Red"}, {"id": "green", "label": "Green"}]},
         {"key": "topics", "kind": "choice", "title": "Topics", "multiple": true, "other": true,
          "options": [{"id": "demo", "label": "Demo"}, {"id": "talk", "label": "Talk"}]}]
        """

    /// The version of a sent submission and the buckets of each answer.
    private struct Sent {
        var version: Int
        var buckets: [String: [String]]

        static func random(_ version: Int) -> (Sent, json: String) {
            var sent = Sent(version: version, buckets: [:])
            var members: [JSONValue.Member] = []
            func add(_ key: String, _ buckets: [String], _ json: JSONValue) {
                guard Int.random(in: 0...3) > 0 else { return }
                sent.buckets[key] = buckets
                members.append(.init(key, json))
            }
            let otherText = JSONValue.object([.init("other", .string("\"own\" words 말 \(Int.random(in: 0...99))"))])
            let pace = Int.random(in: 0...3)
            add("pace", ["\(pace)"], JSONValue(pace))
            let team = ["red", version == 1 ? "blue" : "green", "other"].randomElement() ?? "red"
            add("team", [team], team == "other" ? otherText : .string(team))
            let topics = ["demo", "talk", "other"].filter { _ in Bool.random() }
            if !topics.isEmpty { add("topics", topics, .array(topics.map { $0 == "other" ? otherText : .string($0) })) }
            if version == 1 {
                add("why", [], .string("because {\"pace\": 3}"))
            } else {
                add("mood", ["4"], JSONValue(4))
            }
            return (sent, JSONValue.object(members).text)
        }

        func matches(_ condition: String) -> Bool {
            let parts = condition.split(separator: ":").map(String.init)
            return buckets[parts[0]]?.contains(parts[1]) == true
        }
    }

    private static func fill(_ fixture: TestStore) async throws -> (Meeting, [Sent]) {
        let meeting = try await fixture.openMeeting(questions)
        var submissions: [Sent] = []
        for version in 1...2 {
            for _ in 0..<40 {
                let (sent, json) = Sent.random(version)
                _ = try await fixture.submit(json, to: meeting, version: version)
                submissions.append(sent)
            }
            if version == 1 { try await fixture.edit(meeting, settings: "", questions: laterQuestions) }
        }
        return (try await fixture.store.meetings.require(meeting.id, by: fixture.host), submissions)
    }

    private static let questionKeys = [1: ["pace", "team", "topics", "why"], 2: ["pace", "mood", "team", "topics"]]

    private static func expect(_ results: FormResults, countOf sent: [Sent], _ context: String) {
        #expect(results.submissions == sent.count, "\(context)")
        for question in results.questions {
            let given = sent.compactMap { $0.buckets[question.key] }
            #expect(question.answered == given.count, "\(context) \(question.key)")
            let skipped = sent.filter { questionKeys[$0.version]?.contains(question.key) == true }.count - given.count
            #expect(question.skipped == skipped, "\(context) \(question.key)")
            for point in question.points {
                #expect(
                    point.count == given.filter { $0.contains(point.id) }.count,
                    "\(context) \(question.key) \(point.id)")
            }
        }
    }

    private static let conditions = [
        "pace:0", "pace:3", "team:red", "team:blue", "team:green", "team:other", "topics:demo", "topics:other",
        "mood:4",
        "mood:1",
    ]

    @Test func filterCountsMatchTheSubmissions() async throws {
        try await TestStore.run { fixture in
            let (meeting, sent) = try await Self.fill(fixture)
            let unfiltered = try await fixture.store.results.read(meeting.form.id)
            Self.expect(unfiltered, countOf: sent, "all")
            for first in Self.conditions {
                for second in [nil, "pace:3", "topics:talk"] {
                    let texts = [first] + (second.map { [$0] } ?? [])
                    let found = try await fixture.store.filters.results(of: meeting, where: texts)
                    Self.expect(
                        found.results, countOf: sent.filter { one in texts.allSatisfy { one.matches($0) } }, "\(texts)")
                    #expect(found.sampleSize == nil && found.total == sent.count && found.results.withheld == nil)
                    #expect(found.results.questions.map(\.key) == unfiltered.questions.map(\.key))
                }
            }
        }
    }

    /// The results filtered by each bucket of a single-answer question, and the submissions that skip the question, add
    /// up to the unfiltered results.
    @Test func filteredPartsAddUpToTheTally() async throws {
        try await TestStore.run { fixture in
            let (meeting, sent) = try await Self.fill(fixture)
            let unfiltered = try await fixture.store.results.read(meeting.form.id)
            for key in ["pace", "team"] {
                let question = try #require(unfiltered.questions.first { $0.key == key })
                var sums: [String: [Int]] = [:]
                for point in question.points {
                    let part = try await fixture.store.filters.results(of: meeting, where: ["\(key):\(point.id)"])
                    #expect(part.results.submissions == point.count)
                    for other in part.results.questions {
                        let numbers = [other.answered, other.skipped] + other.points.map(\.count)
                        sums[other.key] = sums[other.key].map { zip($0, numbers).map(+) } ?? numbers
                    }
                }
                let skipping = sent.filter { $0.buckets[key] == nil }
                for other in unfiltered.questions {
                    let skipped = skipping.filter { one in
                        Self.questionKeys[one.version]?.contains(other.key) == true && one.buckets[other.key] == nil
                    }
                    let skippingNumbers =
                        [skipping.filter { $0.buckets[other.key] != nil }.count, skipped.count]
                        + other.points.map { point in
                            skipping.filter { $0.buckets[other.key]?.contains(point.id) == true }.count
                        }
                    let totals = zip(sums[other.key] ?? [], skippingNumbers).map(+)
                    #expect(
                        totals == [other.answered, other.skipped] + other.points.map(\.count), "\(key) \(other.key)")
                }
            }
        }
    }

    @Test func crossTabCountsMatchTheSubmissions() async throws {
        try await TestStore.run { fixture in
            let (meeting, sent) = try await Self.fill(fixture)
            for (rows, columns) in [("pace", "team"), ("team", "topics"), ("topics", "pace"), ("mood", "team")] {
                let found = try await fixture.store.filters.crossTab(of: meeting, rows: rows, columns: columns)
                let both = sent.filter { $0.buckets[rows] != nil && $0.buckets[columns] != nil }
                #expect(found.table.answered == both.count && found.sampleSize == nil)
                #expect(found.table.rows.answered == sent.filter { $0.buckets[rows] != nil }.count)
                for point in found.table.points {
                    let row = both.filter { $0.buckets[rows]?.contains(point.row) == true }
                    let count = row.filter { $0.buckets[columns]?.contains(point.column) == true }.count
                    #expect(point.count == count, "\(rows):\(point.row) \(columns):\(point.column)")
                    #expect(point.share == (row.isEmpty ? nil : Double(count) / Double(row.count)))
                }
            }
        }
    }

    /// The sample is the same for every caller at any time, and its size is reported.
    @Test func manySubmissionsAreSampled() async throws {
        try await TestStore.run { fixture in
            let (meeting, sent) = try await Self.fill(fixture)
            var filters = fixture.store.filters
            filters.budget = sent.count * 9 / 3
            let first = try await filters.results(of: meeting, where: ["pace:3"])
            let sampled = try #require(first.sampleSize)
            #expect(sampled > 0 && sampled < sent.count && first.total == sent.count)
            let size = SampleSize(submissions: sent.count, questions: 5, budget: filters.budget)
            let bound = try #require(size.bound)
            let part = try await fixture.store.pool.query(
                "SELECT count(*) FROM submission WHERE form_id = \(meeting.form.id) AND id < \(bound)")
            #expect(try part.first?.decode(Int.self) == sampled)
            for _ in 0..<2 {
                let again = try await filters.results(of: meeting, where: ["pace:3"])
                #expect(again.results.questions == first.results.questions && again.sampleSize == sampled)
            }
            let table = try await filters.crossTab(of: meeting, rows: "pace", columns: "team")
            #expect(table.sampleSize == sampled)
            let sum = try #require(first.results.questions.first { $0.key == "pace" }).points.map(\.count).reduce(0, +)
            #expect(table.table.points.filter { $0.row == "3" }.map(\.count).reduce(0, +) <= sum)
        }
    }

    @Test func withdrawnSubmissionsAreNotCounted() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let first = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            try await fixture.store.submissions.withdraw(first.id, code: meeting.form.code, receipt: first.receipt)
            let found = try await fixture.store.filters.results(of: meeting, where: ["pace:4"])
            #expect(found.results.submissions == 1 && found.total == 1)
        }
    }

    /// All numbers of a response come from one snapshot, whatever is written in the meantime.
    @Test func countingUsesOneSnapshot() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(
                #"[{"key": "a", "kind": "rating", "title": "A"}, {"key": "b", "kind": "rating", "title": "B"}]"#)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<40 { _ = try await fixture.submit(#"{"a": 1, "b": 2}"#, to: meeting) }
                    }
                }
                for _ in 0..<40 {
                    let table = try await fixture.store.filters.crossTab(of: meeting, rows: "a", columns: "b")
                    #expect(table.table.answered == table.results.submissions)
                    let found = try await fixture.store.filters.results(of: meeting, where: ["a:1"])
                    #expect(found.results.submissions == found.total)
                    #expect(found.results.questions.allSatisfy { $0.answered == found.total })
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func concurrentCountsAreLimited() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let permits = [
                try await fixture.store.filterPermits.acquire(), try await fixture.store.filterPermits.acquire(),
            ]
            let refused = try await problem {
                _ = try await fixture.store.filters.results(of: meeting, where: ["pace:4"])
            }
            #expect(refused?.code == .overloaded && refused?.retryAfter == 2)
            withExtendedLifetime(permits) {}
        }
    }

    /// An anonymous form is sampled only once the ids of its submissions can no longer change.
    @Test func largeAnonymousFormIsFilteredOnceItIsFinal() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""anonymous": true"#)
            for number in 0..<60 { _ = try await fixture.submit("{\"pace\": \(4 + number % 2)}", to: meeting) }
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            var filters = fixture.store.filters
            #expect(try await filters.results(of: meeting, where: ["pace:4"]).results.submissions == 30)
            filters.budget = 300
            let small = filters
            let early = try await problem { _ = try await small.results(of: meeting, where: ["pace:4"]) }
            #expect(early?.code == .resultsWithheld)
            try await fixture.store.pool.execute(
                "UPDATE form_state SET state = 'final', revision = revision + 1 WHERE form_id = \(meeting.form.id)")
            do {
                let part = try await small.results(of: meeting, where: ["pace:4"])
                #expect((part.sampleSize ?? 60) < 60 && part.results.submissions <= part.sampleSize ?? 0)
            } catch let problem as Problem {
                #expect(problem.code == .groupTooSmall, "the random sample may contain a small group")
            }
        }
    }

    /// If the database is too slow, a smaller sample is counted and its size is reported.
    @Test(.disabled(if: TestCluster.usesReplica, "a lock on the primary does not delay the replica"))
    func slowDatabaseReducesTheSample() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            for _ in 0..<40 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            let complete = try await fixture.store.filters.results(of: meeting, where: ["pace:4"])
            #expect(!complete.isSampleReduced && complete.sampleSize == nil && complete.results.submissions == 40)
            var slow = fixture.store.filters
            slow.timeouts = (first: 200, second: 60_000)
            let filters = slow
            let found = try await fixture.store.pool.transaction { connection in
                // Acts like a disk that does not respond until the first attempt times out.
                try await connection.execute("LOCK TABLE submission IN ACCESS EXCLUSIVE MODE")
                let counting = Task { try await filters.results(of: meeting, where: ["pace:4"]) }
                try await fixture.database.waitUntilBlocked(1)
                try await Task.sleep(for: .milliseconds(1_000))
                return counting
            }.value
            #expect(found.isSampleReduced && found.total == 40)
            #expect(try #require(found.sampleSize) < 40 && found.results.submissions == found.sampleSize)
        }
    }
}
