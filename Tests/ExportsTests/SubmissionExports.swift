import Domain
import Foundation
import Testing

@testable import Exports

@Suite struct SubmissionExports {
    private let questions = [Sample.pace, Sample.topics, Sample.mood, Sample.better]

    private func submission(_ entries: [Answers.Entry]) -> SubmissionRow {
        SubmissionRow(
            id: Sample.uuid(9), submittedAt: Date(timeIntervalSince1970: 0), formVersion: 3, round: 2,
            meeting: "Second",
            name: "Bo", email: "bo@example.org", answers: Answers(entries))
    }

    @Test func columnsAreSortedByQuestionAndOption() {
        let table = SubmissionsTable(questions: questions, includesRounds: false, includesPeople: false)
        #expect(
            table.columns.map(\.name) == [
                "id", "submitted_at", "form_version", "pace", "topics.demo", "topics.talk", "topics.other",
                "topics.other_text", "mood", "mood.other_text", "better",
            ])
        #expect(table.columns[4].title == "What helped?: The demo")
        #expect(table.columns[3].kind == .integer)
    }

    @Test func seriesTableHasRoundColumnsFirstAndPeopleColumnsLast() {
        let table = SubmissionsTable(questions: [], includesRounds: true, includesPeople: true)
        #expect(
            table.columns.map(\.name) == ["round", "meeting", "id", "submitted_at", "form_version", "name", "email"])
        #expect(
            table.row(submission([])) == [
                .integer(2), .text("Second"), .text("01ab0000-0000-8000-8000-000000000009"),
                .instant(Date(timeIntervalSince1970: 0)), .integer(3), .text("Bo"), .text("bo@example.org"),
            ])
    }

    @Test func answersAreInTheirColumns() {
        let table = SubmissionsTable(questions: questions, includesRounds: false, includesPeople: false)
        let row = table.row(
            submission([
                .init("better", .text("More")), .init("mood", .choice(["good"], other: nil)), .init("pace", .rating(3)),
                .init("topics", .choice(["talk"], other: "Snacks")),
            ]))
        #expect(
            row.dropFirst(3) == [
                .integer(3), .flag(false), .flag(true), .flag(true), .text("Snacks"), .text("good"), .empty,
                .text("More"),
            ])
    }

    @Test func skippedQuestionsAreEmptyAndOtherHasItsText() {
        let table = SubmissionsTable(questions: questions, includesRounds: false, includesPeople: false)
        let row = table.row(submission([.init("mood", .choice([], other: "Tired"))]))
        #expect(
            row.dropFirst(3) == [.empty, .empty, .empty, .empty, .empty, .text("other"), .text("Tired"), .empty])
    }

    @Test func columnsOfFormsAreMergedInOrderOfAppearance() {
        let later = Question(
            key: "topics", title: "What helped most?",
            kind: .choice(
                .init(options: [.init(id: "lunch", label: "Lunch"), .init(id: "demo", label: "Demo")], multiple: true)))
        let single = Question(
            key: "topics", title: "One", kind: .choice(.init(options: [.init(id: "tea", label: "Tea")])))
        let table = SubmissionsTable(
            questions: [single, Sample.pace, later, Sample.better], includesRounds: false, includesPeople: false)
        #expect(
            table.columns.dropFirst(3).map(\.name) == ["topics.tea", "topics.lunch", "topics.demo", "pace", "better"])
        #expect(table.columns[3].title == "One: Tea")
        let row = table.row(submission([.init("topics", .choice(["tea"], other: nil))]))
        #expect(row[3...5] == [.flag(true), .flag(false), .flag(false)])
    }

    @Test func answersTableHasARowForEachSelection() {
        #expect(
            AnswersTable.columns.map(\.name).joined(separator: ",")
                == "meeting_id,submission_id,submitted_at,question,kind,option_id,value")
        let entries: [Answers.Entry] = [
            .init("pace", .rating(3)), .init("topics", .choice(["demo", "talk"], other: "-5")),
            .init("better", .text("b")),
        ]
        let rows = AnswersTable.rows(
            meetingID: Sample.uuid(2), submissionID: Sample.uuid(9), submittedAt: Date(timeIntervalSince1970: 0),
            entries: entries)
        let text = Sample.text(AnswersTable.columns, rows)
        let firstCells =
            "\"01ab0000-0000-8000-8000-000000000002\",\"01ab0000-0000-8000-8000-000000000009\",1970-01-01T00:00:00Z,"
        #expect(
            text.split(separator: "\r\n").dropFirst() == [
                "\(firstCells)\"pace\",\"rating\",,3", "\(firstCells)\"topics\",\"choice\",\"demo\",",
                "\(firstCells)\"topics\",\"choice\",\"talk\",", "\(firstCells)\"topics\",\"choice\",\"other\",\"'-5\"",
                "\(firstCells)\"better\",\"text\",,\"b\"",
            ])
    }

    @Test func anonymousAnswersHaveNoSubmissionOrTime() {
        let rows = AnswersTable.rows(
            meetingID: Sample.uuid(2), submissionID: nil, submittedAt: nil,
            entries: [.init("pace", .rating(1))])
        #expect(rows.map { Array($0[1...2]) } == [[.empty, .empty]])
    }
}
