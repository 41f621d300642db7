import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// An anonymous form is edited while people answer it. The released counts must not single out the people who answered
/// one of the versions.
@Suite(.timeLimit(.minutes(15))) struct QuestionSets {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#
    private static let pace = #"{"key": "pace", "kind": "rating", "title": "How was the pace?"}"#
    private static let better = #"{"key": "better", "kind": "text", "title": "What would be better?"}"#

    private static func choice(_ ids: String...) -> String {
        let options = ids.map { #"{"id": "\#($0)", "label": "\#($0)"}"# }.joined(separator: ", ")
        return #"{"key": "topic", "kind": "choice", "title": "Which topic?", "options": [\#(options)]}"#
    }

    private static func list(_ questions: String...) -> String { "[\(questions.joined(separator: ", "))]" }

    /// The released counts: for each question, the number of people who were asked, and for each bucket, the number of
    /// people who chose it.
    private static func releasedCounts(_ meeting: Meeting, _ fixture: TestStore) async throws -> [String: Int] {
        let results = try await fixture.store.results.read(meeting.form.id)
        var counts: [String: Int] = [:]
        for question in results.questions {
            counts[question.key] = question.asked
            for point in question.points { counts["\(question.key):\(point.id)"] = point.count }
        }
        return counts
    }

    private static func submit(_ answers: String, _ count: Int, _ meeting: Meeting, _ fixture: TestStore) async throws {
        for _ in 0..<count { _ = try await fixture.submit(answers, to: meeting) }
    }

    private static func close(_ meeting: Meeting, _ fixture: TestStore) async throws -> Meeting {
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
        return try await fixture.store.meetings.require(meeting.id, by: fixture.host)
    }

    private static func texts(_ meeting: Meeting, _ key: String, _ fixture: TestStore) async throws -> [String] {
        try await fixture.store.texts.list(of: meeting, question: key, limit: 100).items.map(\.text).sorted()
    }

    @Test(arguments: [
        // Another key, other option ids, a required question, a removed question and another maximum length.
        (list(pace, better), list(#"{"key": "speed", "kind": "rating", "title": "How was the pace?"}"#, better)),
        (list(pace, choice("a", "b"), better), list(pace, choice("a2", "b2"), better)),
        (list(pace, better), list(pace.replacing("}", with: #", "required": true}"#), better)),
        (list(pace, better), list(pace)),
        (list(pace, choice("a"), better), list(pace, choice("a"), better.replacing("}", with: #", "maxLength": 5}"#))),
    ])
    func singleAnswerToAnotherQuestionSetIsNotReleased(first: String, second: String) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(first, settings: Self.settings)
            try await Self.submit(#"{"pace": 4, "better": "many"}"#, 4, meeting, fixture)
            try await fixture.edit(meeting, settings: Self.settings, questions: second)
            let answers = [
                "speed": #"{"speed": 1, "better": "alone"}"#, "a2": #"{"pace": 1, "topic": "a2", "better": "alone"}"#,
                "maxLength": #"{"pace": 1, "better": "alone"}"#, "required": #"{"pace": 1, "better": "alone"}"#,
            ].first { second.contains($0.key) }?.value
            try await Self.submit(answers ?? #"{"pace": 1}"#, 1, meeting, fixture)
            try await fixture.edit(meeting, settings: Self.settings, questions: first)
            try await Self.submit(#"{"pace": 5, "better": "many"}"#, 8, meeting, fixture)
            let closed = try await Self.close(meeting, fixture)
            let results = try await fixture.store.results.read(meeting.form.id)
            #expect(results.submissions == 13 && results.withheld?.shown == 12)
            let counts = try await Self.releasedCounts(meeting, fixture)
            #expect(counts["pace"] == 12 && counts["pace:1"] == 0 && counts["pace:4"] == 4 && counts["pace:5"] == 8)
            for (key, count) in counts { #expect(count == 0 || count >= 3, "\(key): \(count)") }
            // The others' texts are still shown.
            let texts = try await Self.texts(closed, "better", fixture)
            #expect(texts == Array(repeating: "many", count: 12))
            let terms = try await fixture.store.texts.terms(of: closed, question: "better", limit: 10)
            #expect(terms.items.map(\.term) == ["many"] && terms.answers == 12 && terms.total == 12)
            var exported: [Answers.Entry] = []
            try await fixture.store.exports.anonymousAnswers(of: meeting) { exported += $0.map(\.entry) }
            let exportedAnswers = { (key: String) in exported.filter { $0.key == key }.map(\.answer) }
            #expect(exportedAnswers("better") == Array(repeating: .text("many"), count: 12))
            #expect(
                exportedAnswers("pace") == Array(repeating: .rating(4), count: 4)
                    + Array(repeating: .rating(5), count: 8))
            #expect(exportedAnswers("speed").isEmpty)
            let filtered = try await fixture.store.filters.results(of: closed, where: ["pace:4"])
            #expect(filtered.results.submissions == 4 && filtered.total == 12)
        }
    }

    @Test func wordingAndOrderDoNotChangeTheQuestionSet() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(
                Self.list(Self.pace, Self.choice("a", "b")), settings: Self.settings)
            try await Self.submit(#"{"pace": 4, "topic": "a"}"#, 4, meeting, fixture)
            let reworded = Self.list(
                Self.choice("b", "a").replacing("Which topic?", with: "What about?"),
                Self.pace.replacing("How was the pace?", with: "And the pace?"))
            try await fixture.edit(meeting, settings: Self.settings, questions: reworded)
            try await Self.submit(#"{"pace": 4, "topic": "b"}"#, 1, meeting, fixture)
            _ = try await Self.close(meeting, fixture)
            let results = try await fixture.store.results.read(meeting.form.id)
            #expect(results.withheld == nil && results.version == 2)
            #expect(try await Self.releasedCounts(meeting, fixture)["topic:b"] == 1)
        }
    }

    /// Each set has counts of its own, so edits that go back and forth must not add sets.
    @Test func equalQuestionSetsOfEarlierVersionsAreReused() async throws {
        try await TestStore.run { fixture in
            let required = Self.pace.replacing("}", with: #", "required": true}"#)
            let meeting = try await fixture.openMeeting(Self.list(Self.pace), settings: Self.settings)
            for question in [required, Self.pace, required, Self.pace] {
                try await fixture.edit(meeting, settings: Self.settings, questions: Self.list(question))
                try await Self.submit(#"{"pace": 4}"#, 1, meeting, fixture)
            }
            let sets = try await fixture.store.pool.query(
                "SELECT question_set FROM form_version WHERE form_id = \(meeting.form.id) ORDER BY version")
            #expect(try sets.map { try $0.decode(Int.self) } == [1, 2, 1, 2, 1])
        }
    }

    @Test func lateAnswersAreCountedInTheSetOfTheirVersion() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.list(Self.pace), settings: Self.settings)
            try await Self.submit(#"{"pace": 4}"#, 4, meeting, fixture)
            try await fixture.edit(meeting, settings: Self.settings, questions: Self.list(Self.pace, Self.better))
            var seen: [[String: Int]] = []
            for number in 0..<6 {
                if number == 1 { _ = try await fixture.submit(#"{"pace": 5}"#, to: meeting, version: 1) }
                try await Self.submit(#"{"pace": 3, "better": "so"}"#, 1, meeting, fixture)
                seen.append(try await Self.releasedCounts(meeting, fixture))
            }
            // The first set has five submissions, none released; the second has released one step.
            #expect(seen.map { $0["better"] ?? -1 } == [0, 0, 0, 0, 0, 3])
            #expect(seen.map { $0["pace:5"] ?? 0 } == [0, 0, 0, 0, 0, 0])
            let closed = try await Self.close(meeting, fixture)
            #expect(try await fixture.store.results.read(meeting.form.id).withheld == nil)
            let counts = try await Self.releasedCounts(meeting, fixture)
            #expect(counts["pace"] == 11 && counts["pace:5"] == 1 && counts["better"] == 6)
            #expect(try await Self.texts(closed, "better", fixture).count == 6)
        }
    }

    @Test func correctionToAnotherVersionMovesTheSubmissionBetweenSets() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.list(Self.pace), settings: Self.settings)
            let mine = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
            try await Self.submit(#"{"pace": 4}"#, 3, meeting, fixture)
            try await fixture.edit(meeting, settings: Self.settings, questions: Self.list(Self.pace, Self.better))
            _ = try await fixture.store.submissions.correct(
                mine.id, code: meeting.form.code, receipt: mine.receipt, version: 2,
                answers: JSONValue.parse(Array(#"{"pace": 2, "better": "mine"}"#.utf8)))
            let closed = try await Self.close(meeting, fixture)
            #expect(try await Self.releasedCounts(meeting, fixture)["pace"] == 3)
            #expect(try await fixture.store.results.read(meeting.form.id).withheld?.shown == 3)
            #expect(try await Self.texts(closed, "better", fixture) == [])
            _ = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
            try await Self.submit(#"{"pace": 5, "better": "ours"}"#, 2, meeting, fixture)
            let again = try await Self.close(meeting, fixture)
            #expect(try await Self.releasedCounts(meeting, fixture)["pace"] == 6)
            #expect(try await Self.texts(again, "better", fixture) == ["mine", "ours", "ours"])
        }
    }

    @Test func finalFormStoresOneVersionPerQuestionSet() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.list(Self.pace), settings: Self.settings)
            for title in ["A", "B", "C"] {
                try await Self.submit(#"{"pace": 4}"#, 2, meeting, fixture)
                try await fixture.edit(
                    meeting, settings: Self.settings, questions: Self.list(Self.pace.replacing("pace?", with: title)))
            }
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            fixture.store.finalising.resume()
            await fixture.store.finalising.waitUntilIdle()
            let rows = try await fixture.store.pool.query(
                "SELECT version, count(*) FROM submission WHERE form_id = \(meeting.form.id) GROUP BY 1")
            #expect(try rows.map { try $0.decode(Int.self, Int.self) }.map { [$0.0, $0.1] } == [[4, 6]])
            #expect(try await Self.releasedCounts(meeting, fixture)["pace:4"] == 6)
        }
    }

    @Test func timedCloseReleasesNothingBeforeItIsProcessed() async throws {
        try await TestStore.run { fixture in
            let soon = Date(timeIntervalSinceNow: 3600).formatted(.iso8601)
            let meeting = try await fixture.openMeeting(
                Self.list(Self.pace), settings: Self.settings + #", "graceMinutes": 0, "closes": "\#(soon)""#)
            try await Self.submit(#"{"pace": 4}"#, 7, meeting, fixture)
            #expect(try await fixture.store.clock.tick().isEmpty)
            // A submission that was accepted in time and is still being written when the form closes.
            let late = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await late.script("BEGIN")
            try await late.query(
                """
                SELECT ingest(\(meeting.form.id), ARRAY[gen_random_uuid()], ARRAY[1], ARRAY['{"pace": 1}'],
                    ARRAY[NULL]::uuid[], ARRAY['\\x00'::bytea], ARRAY['\\x00'::bytea], ARRAY['pace','pace'],
                    ARRAY['#answered','1'], ARRAY[1,1], ARRAY[1,2], false, NULL)
                """)
            let state = try await fixture.store.results.read(meeting.form.id)
            #expect(state.withheld?.shown == 3)
            // The connection that holds the row's lock sets the closing time.
            try await late.query(
                "UPDATE form_state SET closes_at = now() - interval '1 second' WHERE form_id = \(meeting.form.id)")
            async let ticking = fixture.store.clock.tick()
            #expect(try await Self.releasedCounts(meeting, fixture)["pace"] == 3)
            try await late.script("COMMIT")
            await late.close()
            _ = try await ticking
            _ = try await fixture.store.clock.tick()
            #expect(try await Self.releasedCounts(meeting, fixture)["pace"] == 8)
            #expect(try await fixture.store.results.read(meeting.form.id).withheld == nil)
        }
    }

    /// Whatever is edited, answered, corrected or withdrawn between two readings, the number of people who were asked a
    /// question changes by at least one group or not at all. So does the number of people who were not asked.
    @Test(arguments: [1, 2, 3, SeededNumbers.freshSeed(), SeededNumbers.freshSeed(), SeededNumbers.freshSeed()])
    func everyReleaseIsAGroupWithinItsQuestionSet(_ seed: UInt64) async throws {
        try await TestStore.run { fixture in
            var random = SeededNumbers(seed: seed)
            var definition = random.definition()
            definition.anonymous = true
            definition.minimumGroup = 3
            let meeting = try await fixture.openMeeting(
                JSONValue.array(Question.documents(definition.questions)).text, settings: Self.settings)
            var questionsByKey = Dictionary(
                definition.questions.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            var submitted: [(receipt: SubmissionReceipt, version: Int)] = []
            var (version, isOpen, steps) = (1, true, 0)
            var before: [String: Int] = [:]
            var shownBefore = 0
            for _ in 0..<120 {
                switch random.int(0...19) {
                case 0...1:
                    definition = random.edited(definition, retired: questionsByKey.values.sorted { $0.key < $1.key })
                    definition.anonymous = true
                    definition.minimumGroup = 3
                    version = try await fixture.store.forms.save(
                        definition, meetingID: meeting.id, by: fixture.host.account.id
                    ) { _ in }.version
                    for question in definition.questions { questionsByKey[question.key] = question }
                case 2:
                    let forms = fixture.store.forms
                    _ =
                        isOpen
                        ? try await forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                        : try await forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
                    isOpen.toggle()
                case 3 where isOpen && !submitted.isEmpty:
                    let withdrawn = submitted.remove(at: random.int(0...submitted.count - 1))
                    try await fixture.store.submissions.withdraw(
                        withdrawn.receipt.id, code: meeting.form.code, receipt: withdrawn.receipt.receipt)
                case 4 where isOpen && !submitted.isEmpty:
                    let index = random.int(0...submitted.count - 1)
                    _ = try await fixture.store.submissions.correct(
                        submitted[index].receipt.id, code: meeting.form.code, receipt: submitted[index].receipt.receipt,
                        version: version, answers: random.answers(to: definition))
                default:
                    guard isOpen else { continue }
                    let receipt = try await fixture.submit(
                        random.answers(to: definition).text, to: meeting, version: version)
                    submitted.append((receipt, version))
                }
                let results = try await fixture.store.results.read(meeting.form.id)
                let shown = results.withheld?.shown ?? results.submissions
                for question in results.questions {
                    let (asked, earlier) = (question.asked, before[question.key] ?? 0)
                    #expect(asked == earlier || abs(asked - earlier) >= 3, "\(seed): \(earlier) to \(asked)")
                    let (unasked, earlierUnasked) = (shown - asked, shownBefore - earlier)
                    #expect(
                        unasked == earlierUnasked || abs(unasked - earlierUnasked) >= 3,
                        "\(seed): \(earlierUnasked) to \(unasked)")
                    if asked != earlier { steps += 1 }
                    before[question.key] = asked
                }
                shownBefore = shown
            }
            #expect(steps > 0, "\(seed)")
        }
    }
}
