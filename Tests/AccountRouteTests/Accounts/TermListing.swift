import Contract
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TermListing {
    private static func terms(_ meeting: TestMeeting, _ query: String = "") async throws -> Terms {
        try await meeting.host.get("\(meeting.path)/results/better/terms\(query)").expect(200).decoded()
    }

    private static func send(_ meeting: TestMeeting, _ texts: [String]) async throws {
        for text in texts {
            try await meeting.submit(JSONValue.object([.init("better", .string(text))]).text).expect(201)
        }
    }

    @Test func termsOfThreeLanguagesAreCountedTogether() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await Self.send(
                meeting,
                [
                    "The demo was great, more demos please", "Demo! demo! demo!", "회의가 길었어요", "회의는 짧게, 데모를 더",
                    "酒店的服务很好", "服务太慢",
                ])
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let terms = try await Self.terms(meeting)
            #expect(terms.key == "better" && terms.answers == 6 && terms.total == 6 && !terms.sampled)
            let counts = terms.items.map { "\($0.term) \($0.count)/\($0.answers)" }
            #expect(counts.prefix(3) == ["demo 4/2", "服务 2/2", "회의 2/2"])
            #expect(!counts.contains { $0.hasPrefix("the ") || $0.hasPrefix("的 ") || $0.hasPrefix("더 ") })
            let withStopwords = try await Self.terms(meeting, "?stopwords=keep&limit=200").items.map(\.term)
            for word in ["The", "的", "더"] { #expect(withStopwords.contains(word)) }
            #expect(try await Self.terms(meeting, "?limit=1").items.map(\.term) == ["demo"])
            #expect(try await Self.terms(meeting, "?stopwords=drop") == terms)
        }
    }

    @Test func termsReflectHiddenDeletedAndNewTextsImmediately() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await Self.send(meeting, ["alpha", "alpha beta"])
            #expect(try await Self.terms(meeting).items.map(\.term) == ["alpha", "beta"])
            let both = try #require(try await meeting.texts().items.first { $0.text == "alpha beta" })
            try await meeting.moderate("hide", answer: both.id).expect(204)
            let hidden = try await Self.terms(meeting)
            #expect(
                hidden.items.map(\.term) == ["alpha"] && hidden.answers == 1 && hidden.total == 2 && !hidden.sampled)
            try await meeting.moderate("unhide", answer: both.id).expect(204)
            try await Self.send(meeting, ["gamma"])
            #expect(try await Self.terms(meeting).items.map(\.term) == ["alpha", "beta", "gamma"])
            try await meeting.host.delete("\(meeting.path)/submissions/\(both.id)").expect(204)
            #expect(try await Self.terms(meeting).items.map(\.term) == ["alpha", "gamma"])
        }
    }

    @Test func termsOfAnAnonymousFormAreWithheldLikeItsTexts() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            let path = "\(meeting.path)/results/better/terms"
            try await Self.send(meeting, ["alpha", "alpha", "beta"])
            let early = try await meeting.host.get(path)
            #expect(early.status == 409 && early.problem == "results-withheld")
            try await meeting.perform("close").expect(200)
            #expect(try await Self.terms(meeting).items.map(\.term) == ["alpha", "beta"])
            try await meeting.perform("reopen").expect(200)
            #expect(try await meeting.host.get(path).status == 409, "terms that were shown before are withheld again")
            try await Self.send(meeting, ["gamma"])
            try await meeting.perform("close").expect(200)
            #expect(try await meeting.host.get(path).status == 409, "a single new answer is withheld")
        }
    }

    @Test(arguments: [false, true]) func manyAnswersAreSampledAndTheSampleIsReported(anonymous: Bool) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: "\"anonymous\": \(anonymous)")
            try await Self.send(meeting, (1...9).map { "word\($0)x" })
            try await meeting.perform("close").expect(200)
            for (answers, characters, submissions, expected) in [
                (9, 1_000, 9, 9), (4, 1_000, 100, 4), (9, 18, 100, 3), (9, 5, 100, 0), (9, 1_000, 5, 5),
            ] {
                var bounds = TextBounds()
                (bounds.termAnswers, bounds.termCharacters) = (answers, characters)
                (bounds.termSubmissions, bounds.stepSizes) = (submissions, 2...3)
                let store = try await service.fixture.secondStore(texts: bounds)
                let stored = try await store.meetings.require(
                    #require(UUID(uuidString: meeting.id)), by: service.fixture.host)
                let list = try await store.texts.terms(of: stored, question: "better", limit: 50)
                #expect(list.answers == expected && list.total == 9 && list.items.count == expected)
                #expect(list.isSampled == (expected < 9), "\(answers) \(characters) \(submissions)")
                if !anonymous, expected < 9 {
                    #expect(
                        list.items.map(\.term).sorted() == (10 - expected..<10).map { "word\($0)x" },
                        "the newest answers are read")
                }
                let shorter = try await store.texts.terms(of: stored, question: "better", limit: 2)
                #expect(shorter.items.map(\.term) == list.items.prefix(2).map(\.term))
                await store.close()
            }
        }
    }

    @Test func questionsWithoutTextsHaveNoTerms() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = "\(meeting.path)/results"
            for key in ["pace", "nothing", "Bad%20key", "%00"] {
                #expect(try await meeting.host.get("\(path)/\(key)/terms").status == 404, "\(key)")
            }
            for (query, fault) in [
                ("limit=0", "?limit out-of-range"), ("limit=201", "?limit out-of-range"),
                ("limit=x", "?limit not-an-integer"), ("stopwords=no", "?stopwords unknown-choice"),
                ("cursor=x", "?cursor unknown-parameter"),
            ] {
                let response = try await meeting.host.get("\(path)/better/terms?\(query)")
                #expect(response.status == 422 && response.faults == [fault], "\(query)")
            }
            #expect(try await service.anyone.get("\(meeting.formPath)/results/better/terms").status == 404)
            let none = try await Self.terms(meeting)
            #expect(none.items.isEmpty && none.answers == 0 && none.total == 0 && !none.sampled)
        }
    }
}
