import Domain
import StrictJSON
import Testing

@Suite struct Tallies {
    @Test func everyQuestionCountsOnceAsAnsweredOrSkipped() throws {
        let json = #"{"pace":4,"many":["z",{"other":"v"},"w"],"words":"x"}"#
        let tally = SubmissionValidation.form.tally(try SubmissionValidation.form.answers(from: .parse(json)))
        #expect(
            tally.map { "\($0.question) \($0.bucket)" } == [
                "many #answered", "many other", "many w", "many z", "one #skipped", "pace #answered", "pace 4",
                "plain #skipped", "words #answered",
            ])
    }

    @Test func incrementsDoNotDependOnTheOrderOfAnswers() throws {
        let json = #"{"pace":4,"many":["z",{"other":"v"},"w"],"words":"x"}"#
        let answers = try SubmissionValidation.form.answers(from: .parse(json))
        let increments = SubmissionValidation.form.increments(Answers(answers.entries.reversed()))
        #expect(increments.indices == SubmissionValidation.form.increments(answers).indices)
    }

    /// An import may add options to the form after its rows were validated.
    @Test func bucketsThatTheVersionDoesNotHaveAreCountedToo() {
        let answers = Answers([.init("pace", .rating(99)), .init("many", .choice(["later", "w"], other: nil))])
        let tally = SubmissionValidation.form.tally(answers).filter { ["pace", "many"].contains($0.question) }
        #expect(
            tally.map { "\($0.question) \($0.bucket)" } == [
                "many #answered", "many later", "many w", "pace #answered", "pace 99",
            ])
    }

    @Test(arguments: 0..<20)
    func countsOfRandomSubmissionsEqualTheirRecount(_ seed: UInt64) throws {
        var random = SplitMix(state: seed &+ 1000)
        let definition = random.definition()
        let form = PreparedForm(definition)
        var tallies: [TallyKey: Int] = [:]
        var stored: [Answers] = []
        for _ in 0..<50 {
            let answers = try form.answers(from: random.submission(to: definition))
            let tally = form.tally(answers)
            #expect(tally == tally.sorted())
            #expect(Set(tally).count == tally.count)
            let increments = form.increments(answers)
            #expect(increments.others.isEmpty && increments.keys == tally)
            #expect(answers.text == answers.json.text)
            for key in tally { tallies[key, default: 0] += 1 }
            stored.append(answers)
        }
        for question in definition.questions {
            let counts = Dictionary(
                uniqueKeysWithValues: tallies.filter { $0.key.question == question.key }.map {
                    ($0.key.bucket, $0.value)
                })
            let given = stored.compactMap { $0[question.key] }
            let result = QuestionResult.make(question: question, counts: counts)
            let abstained = given.count { $0 == .abstention }
            #expect(result.answered == given.count - abstained && result.abstained == abstained)
            #expect(result.skipped == 50 - given.count)
            for point in result.points {
                let recount = given.count { answer in
                    switch answer {
                    case .rating(let rating): String(rating) == point.id
                    case .choice(let ids, let other): ids.contains(point.id) || (point.id == "other" && other != nil)
                    case .text, .abstention: false
                    }
                }
                #expect(point.count == recount)
            }
        }
    }

    @Test(arguments: 0..<20)
    func storedAnswersDecodeToEqualValues(_ seed: UInt64) throws {
        var random = SplitMix(state: seed &+ 2000)
        let definition = random.definition()
        let form = PreparedForm(definition)
        for _ in 0..<20 {
            let answers = try form.answers(from: random.submission(to: definition))
            let json = answers.json
            #expect(Answers.read(stored: try .parse(json.bytes), in: form) == answers)
            #expect(try form.answers(from: json) == answers)
        }
    }

    @Test func storedAnswersOfUnknownQuestionsAreDecodedByTheirShape() throws {
        let json =
            #"{"gone":"text","words":"w","lists":["a",{"other":"b"}],"pace":2,"odd":true,"none":null,"half":1.5,"o":{}}"#
        let answers = Answers.read(stored: try .parse(json), in: SubmissionValidation.form)
        #expect(answers.entries.map(\.key) == ["pace", "words", "gone", "lists"])
        #expect(answers["gone"] == .text("text"))
        #expect(answers["lists"] == .choice(["a"], other: "b"))
        #expect(Answers.read(stored: .null, in: SubmissionValidation.form).isEmpty)
    }
}
