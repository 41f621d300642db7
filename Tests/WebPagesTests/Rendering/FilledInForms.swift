import Contract
import Foundation
import StrictJSON
import Testing

@testable import WebPages

/// The conversion of a form's fields to the body of a submission, and back.
@Suite struct FilledInForms {
    private static var form: PublicForm {
        var topics = QuestionBody.choice(
            "topics", "Topics", options: [.init(id: "demo", label: "The demo"), .init(id: "talk", label: "The talk")],
            multiple: true, other: true)
        topics.maxSelections = 2
        return PublicForm(
            code: "c", title: "T", intro: nil, identity: "open", anonymous: false, showResults: "never", state: "open",
            version: 3, opensAt: nil, closesAt: nil,
            questions: [
                .rating("pace", "Pace", abstain: "Cannot judge"), topics,
                .choice("role", "Role", options: [.init(id: "g", label: "Guest")], other: true),
                .text("better", "Better"),
            ])
    }

    private static func answers(_ fields: String) -> String? {
        FormSheet(form, from: FormFields(fields)).submission["answers"]?.text
    }

    @Test(arguments: [
        ("", "{}"), ("a.pace=4", #"{"pace":4}"#),
        ("a.pace=abstain", #"{"pace":"abstain"}"#), ("a.pace=x", #"{"pace":"x"}"#), ("t.better=", "{}"),
        ("a.topics=demo&a.topics=talk", #"{"topics":["demo","talk"]}"#),
        ("a.topics=demo&a.topics=other&t.topics=own", #"{"topics":["demo",{"other":"own"}]}"#),
        ("a.topics=other&a.topics=demo&a.topics=other&t.topics=own", #"{"topics":[{"other":"own"},"demo"]}"#),
        ("t.topics=own", #"{"topics":[{"other":"own"}]}"#), ("a.topics=other", #"{"topics":[{"other":""}]}"#),
        ("a.role=g&t.role=forgotten", #"{"role":"g"}"#), ("t.role=mine", #"{"role":{"other":"mine"}}"#),
        ("t.better=a%0D%0Ab&a.pace=1&a.none=1", #"{"pace":1,"better":"a\nb"}"#),
    ])
    func fieldsBecomeTheBodyOfASubmission(fields: String, expected: String) {
        #expect(Self.answers(fields) == expected)
    }

    @Test func versionAndKeyAreReadFromTheFieldsIfValid() {
        let sheet = FormSheet(Self.form, from: FormFields("version=2&key=0123456789abcdef"))
        #expect(sheet.version == 2 && sheet.key == "0123456789abcdef")
        for key in ["short", String(repeating: "a", count: 256), "0123456789abcde%20"] {
            let sheet = FormSheet(Self.form, from: FormFields("key=\(key)"))
            #expect(sheet.key.utf8.count == 32 && sheet.version == 3, "a new key and the newest version")
        }
    }

    @Test func abstentionIsFilledInFromASubmission() throws {
        let id = try #require(ResourceID("0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11"))
        let sheet = FormSheet(
            Self.form, from: Submission(id: id, version: 3, answers: ["pace": .string("abstain")], submittedAt: .now))
        #expect(sheet.submission["answers"]?.text == #"{"pace":"abstain"}"#)
        #expect(sheet.isChosen("abstain", of: Self.form.questions[0]))
        #expect(sheet.answers(Self.form).map(\.answer) == ["Cannot judge"])
    }

    @Test func formIsFilledInFromASubmission() throws {
        let sent = #"{"pace":4,"topics":["demo",{"other":"own"}],"role":{"other":"mine"},"better":"a\nb"}"#
        let value = try JSONValue.parse(Array(sent.utf8))
        let members = Dictionary(uniqueKeysWithValues: (value.members ?? []).map { ($0.name, $0.value) })
        let id = try #require(ResourceID("0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11"))
        let sheet = FormSheet(
            Self.form, from: Submission(id: id, version: 3, answers: members, submittedAt: .now))
        #expect(sheet.submission["answers"]?.text == sent)
        #expect(
            sheet.answers(Self.form).map(\.answer) == ["4", "The demo, own", "mine", "a\nb"])
        #expect(FormSheet(Self.form).isEmpty && FormSheet(Self.form).answers(Self.form).isEmpty)
    }
}
