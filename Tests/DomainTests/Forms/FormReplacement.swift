import Domain
import StrictJSON
import Testing

@Suite struct FormReplacement {
    let published = FormDefinition(
        minimumGroup: 3,
        questions: [
            Question(key: "pace", title: "Pace", kind: .rating(.init())),
            Question(key: "topics", title: "Topics", kind: .choice(.init(options: [.init(id: "a", label: "A")]))),
            Question(key: "why", title: "Why", kind: .text(maxLength: 100)),
        ])

    func faults(hasAnswers: Bool, retired: [Question] = [], _ change: (inout FormDefinition) -> Void) -> [String] {
        var next = published
        change(&next)
        return next.faults(replacing: published, retired: retired, hasAnswers: hasAnswers)
            .map { "\($0.pointer) \($0.code)" }
    }

    @Test func rewordingMovingRetiringAndAddingAreAllowed() {
        let found = faults(hasAnswers: true) { next in
            next.questions.swapAt(0, 1)
            next.questions[1].title = "Tempo"
            next.questions[2] = Question(key: "fresh", title: "New", kind: .text(maxLength: 9))
            next.questions[0].kind = .choice(.init(options: [.init(id: "b", label: "B")], other: true))
        }
        #expect(found == [])
    }

    /// Results show the questions and options of all versions. A limit keeps the results from growing with each edit.
    @Test func questionsOfAllVersionsAreLimited() {
        func questions(_ count: Int, from first: Int) -> [Question] {
            (0..<count).map { Question(key: "q\(first + $0)", title: "Q", kind: .text(maxLength: 9)) }
        }
        // The three questions of `published` are counted too.
        let retired = questions(447, from: 0)
        func added(_ count: Int) -> [String] {
            faults(hasAnswers: true, retired: retired) { $0.questions = questions(count, from: 447) }
        }
        #expect(added(50) == [])
        #expect(added(51) == ["/questions too-many"])
        let older = questions(600, from: 0)
        #expect(faults(hasAnswers: true, retired: older) { $0.questions = questions(50, from: 10) } == [])
    }

    @Test func optionsOfAllVersionsAreLimited() {
        func choice(_ number: Int, _ options: Range<Int>) -> Question {
            let options = options.map { Question.Option(id: "o\($0)", label: "\($0)") }
            return Question(key: "c\(number)", title: "C", kind: .choice(.init(options: options)))
        }
        let retired = (0..<399).map { choice($0, 0..<50) }
        // The one option of `published` is counted too.
        func added(_ options: Range<Int>) -> [String] {
            faults(hasAnswers: true, retired: retired) { $0.questions = [choice(0, options)] }
        }
        #expect(added(0..<50) == [])
        #expect(added(50..<99) == [])
        #expect(added(50..<100) == ["/questions too-many"])
    }

    @Test func wordingOfAllVersionsIsLimited() {
        let label = String(repeating: "x", count: 2000)
        func choice(_ number: Int, _ options: Range<Int>) -> Question {
            let options = options.map { Question.Option(id: "o\($0)", label: "\($0) \(label)") }
            return Question(key: "c\(number)", title: "C", kind: .choice(.init(options: options)))
        }
        let retired = (0..<41).map { choice($0, 0..<50) }
        func added(_ options: Range<Int>) -> [String] {
            faults(hasAnswers: true, retired: retired) { $0.questions = [choice(41, options)] }
        }
        #expect(added(0..<40) == [])
        #expect(added(0..<50) == ["/questions too-many"])
    }

    @Test func kindAndScaleAreFixedOncePublished() {
        let found = faults(hasAnswers: false) { next in
            next.questions[0].kind = .rating(.init(min: 0, max: 6))
            next.questions[1].kind = .text(maxLength: 9)
        }
        #expect(
            found == [
                "/questions/0/min fixed-once-published", "/questions/0/max fixed-once-published",
                "/questions/1/kind fixed-once-published",
            ])
    }

    @Test func identityAnonymityAndMultipleChoiceAreFixedAfterTheFirstAnswer() {
        let change = { (next: inout FormDefinition) in
            next.identity = .device
            next.anonymous = true
            next.minimumGroup = 2
            next.questions[1].kind = .choice(.init(options: [.init(id: "a", label: "A")], multiple: true))
        }
        #expect(faults(hasAnswers: false, change) == [])
        #expect(
            faults(hasAnswers: true, change) == [
                "/identity fixed-after-answers", "/anonymous fixed-after-answers", "/minimumGroup only-raised",
                "/questions/1/multiple fixed-after-answers",
            ])
        #expect(faults(hasAnswers: true) { $0.minimumGroup = 4 } == [])
    }

    @Test func optionCannotTakeAnothersLabel() {
        func choice(_ options: [(String, String)]) -> Question {
            Question(
                key: "topics", title: "T", kind: .choice(.init(options: options.map { .init(id: $0.0, label: $0.1) })))
        }
        let old = choice([("a", "A"), ("b", "B"), ("gone", "G")])
        func faultsOfOptions(_ options: [(String, String)], retired: [Question] = []) -> [String] {
            FormDefinition(questions: [choice(options)]).faults(
                replacing: FormDefinition(questions: [retired.isEmpty ? old : choice([("a", "A"), ("b", "B")])]),
                retired: retired, hasAnswers: false
            ).map { "\($0.pointer) \($0.code)" }
        }
        let refused = "/questions/0/options/0/label label-of-another-option"
        #expect(
            faultsOfOptions([("a", "B"), ("b", "A")]) == [refused, refused.replacing("options/0", with: "options/1")])
        #expect(
            faultsOfOptions([("a", "B"), ("gone", "G")]) == [refused],
            "an option cannot take the label of one that the edit removes")
        #expect(
            faultsOfOptions([("a", "G")], retired: [old]) == [refused],
            "an option cannot take the label of one that was retired earlier")
        #expect(faultsOfOptions([("b", "B"), ("a", "A")]) == [], "a label may move with its id")
        #expect(
            faultsOfOptions([("a", "Reworded"), ("b", "B"), ("new", "A")]) == [],
            "a new option may take the label of a reworded one")
    }

    @Test func retiredKeyCanReturnOnlyWithTheSameKind() {
        let retired = [Question(key: "old", title: "Old", kind: .text(maxLength: 5))]
        let text = Question(key: "old", title: "Again", kind: .text(maxLength: 50))
        let rating = Question(key: "old", title: "Again", kind: .rating(.init()))
        #expect(faults(hasAnswers: true, retired: retired) { $0.questions.append(text) } == [])
        #expect(
            faults(hasAnswers: true, retired: retired) { $0.questions.append(rating) }
                == ["/questions/3/kind fixed-once-published"])
    }

    @Test func mergedQuestionHasRetiredOptionsAtTheEnd() {
        let older = Question(
            key: "t", title: "Old",
            kind: .choice(.init(options: [.init(id: "a", label: "A"), .init(id: "b", label: "B")], other: true)))
        let newer = Question(
            key: "t", title: "New",
            kind: .choice(.init(options: [.init(id: "c", label: "C"), .init(id: "b", label: "Bee")])))
        #expect(
            newer.merged(with: older)
                == Question(
                    key: "t", title: "New",
                    kind: .choice(
                        .init(
                            options: [
                                .init(id: "c", label: "C"), .init(id: "b", label: "Bee"), .init(id: "a", label: "A"),
                            ],
                            other: true))))
        let text = Question(key: "t", title: "T", kind: .text(maxLength: 5))
        #expect(text.merged(with: older) == text)
    }
}
