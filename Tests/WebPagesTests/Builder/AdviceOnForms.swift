import Foundation
import Testing

@testable import WebPages

/// The advice that hosts get on a form before they publish it.
@Suite struct AdviceOnForms {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func advice(
        headcount: Int? = nil, start: Date? = now.addingTimeInterval(3600), _ change: (inout FormBuilder) -> Void
    ) -> [FormAdvice] {
        var form = FormBuilder()
        var rating = FormBuilder.Question(kind: "rating")
        rating.minLabel = "slow"
        form.questions = [rating, FormBuilder.Question(kind: "text")]
        change(&form)
        return FormAdvice.on(
            form,
            FormAdvice.Setting(
                headcount: headcount, start: start, end: start?.addingTimeInterval(3600), zone: .gmt, now: now))
    }

    private static func moment(_ mode: String, _ amount: String, at: Date? = nil) -> MomentField {
        var field = MomentField()
        (field.mode, field.amount) = (mode, amount)
        field.at = at.map { LocalTime(zone: .gmt).field($0) } ?? ""
        return field
    }

    @Test func usualFormGetsNoAdvice() {
        #expect(Self.advice { _ in } == [])
        #expect(Self.advice(headcount: 9) { $0.anonymous = true } == [])
        #expect(Self.advice(headcount: 2) { $0.minimumGroup = "3" } == [], "only anonymous forms have a minimum group")
        #expect(Self.advice { $0.closes = Self.moment("after-end", "2") } == [])
    }

    @Test(arguments: [Int.min, -1, 0, Int.max])
    func extremeMinimumGroupsGetAdviceLikeTheNearestValidOne(group: Int) {
        let valid = group < 1 ? "1" : "1000"
        #expect(
            Self.advice(headcount: 2) { ($0.anonymous, $0.minimumGroup) = (true, "\(group)") }
                == Self.advice(headcount: 2) { ($0.anonymous, $0.minimumGroup) = (true, valid) })
    }

    @Test func personalLinksWithoutAttendeesGetAdvice() {
        func texts(_ identity: String, hasAttendees: Bool) -> [String] {
            var form = FormBuilder()
            form.identity = identity
            return FormAdvice.on(form, FormAdvice.Setting(hasAttendees: hasAttendees, zone: .gmt, now: Self.now)).map(
                \.text)
        }
        #expect(texts("attendee", hasAttendees: false) == ["nobody-listed"])
        #expect(texts("attendee", hasAttendees: true) == [] && texts("device", hasAttendees: false) == [])
    }

    @Test func minimumGroupIsComparedWithTheHeadCount() {
        func texts(_ headcount: Int?, _ group: String) -> [String] {
            Self.advice(headcount: headcount) { ($0.anonymous, $0.minimumGroup) = (true, group) }.map(\.text)
        }
        #expect(texts(2, "") == ["group-never"] && texts(8, "9") == ["group-never"])
        #expect(texts(8, "") == ["group-few"] && texts(9, "") == [] && texts(9, "4") == ["group-few"])
        #expect(texts(nil, "900") == [] && texts(0, "3") == [])
    }

    @Test func unusableOpeningAndClosingTimesGetAdvice() {
        func texts(_ opens: MomentField, _ closes: MomentField, start: Date? = Self.now) -> [String] {
            Self.advice(start: start) { ($0.opens, $0.closes) = (opens, closes) }.map(\.text)
        }
        #expect(texts(Self.moment("after-end", "1"), Self.moment("after-start", "1")) == ["closes-before-opens"])
        #expect(texts(Self.moment("none", ""), Self.moment("at", "", at: Self.now)) == ["closes-past"])
        #expect(texts(Self.moment("none", ""), Self.moment("at", "", at: Self.now + 60)) == [])
        #expect(
            texts(Self.moment("before-start", "1"), Self.moment("after-end", "1"), start: nil)
                == ["opens-undated", "closes-undated"])
        #expect(Self.advice(start: nil) { $0.autoPublish = true }.map(\.text) == ["publishes-undated"])
        #expect(
            Self.advice(start: nil) { ($0.autoPublish, $0.opens) = (true, Self.moment("at", "", at: Self.now)) } == [])
    }

    @Test func eachQuestionGetsItsOwnAdvice() {
        func texts(_ change: (inout FormBuilder.Question) -> Void, kind: String, anonymous: Bool = false) -> [String] {
            var question = FormBuilder.Question(kind: kind)
            change(&question)
            return Self.advice {
                $0.questions.append(question)
                $0.anonymous = anonymous
            }.filter { $0.question == 2 }.map(\.text)
        }
        #expect(texts({ $0.required = true }, kind: "text") == ["required-text"])
        for title in ["What is your name?", "Name", "E-mail address", "이름을 적어 주세요"] {
            #expect(texts({ $0.title = title }, kind: "text", anonymous: true) == ["asks-who"], "\(title)")
            #expect(texts({ $0.title = title }, kind: "text") == [])
        }
        #expect(texts({ $0.title = "Name one thing" }, kind: "text", anonymous: true) == [])
        #expect(texts({ _ in }, kind: "rating") == ["no-labels"])
        #expect(texts({ $0.isNPS = true }, kind: "rating") == [] && texts({ $0.maxLabel = "x" }, kind: "rating") == [])
        #expect(texts({ $0.options = [.init(label: "a"), .init()] }, kind: "choice") == ["one-option"])
        #expect(texts({ ($0.options, $0.other) = ([.init(label: "a")], true) }, kind: "choice") == [])
        #expect(texts({ $0.options = [.init(label: "a"), .init(label: "A")] }, kind: "choice") == ["same-option"])
    }

    @Test func longFormsAndFormsWithOnlyRequiredQuestionsGetAdvice() {
        let many = Self.advice { $0.questions = Array(repeating: .init(kind: "text"), count: 11) }
        #expect(many == [FormAdvice(text: "many-questions")])
        #expect(Self.advice { $0.questions = Array(repeating: .init(kind: "text"), count: 10) } == [])
        let all = Self.advice { form in
            for index in form.questions.indices { form.questions[index].required = true }
        }
        #expect(all.contains(FormAdvice(text: "all-required")))
    }
}
