import Contract
import TestSupport
import Testing

@testable import WebPages

/// The texts on the stage, and their words: only what participants may see.
@Suite(.timeLimit(.minutes(5))) struct StageTexts {
    private static func english() throws -> PageTexts { try PageTexts(.english, from: PageResources.folder()) }

    /// The stage with its texts, the stage with their words, and the remote.
    private static func pages(_ host: PageBrowser, _ meeting: TestMeeting) async throws -> [String] {
        var host = host
        var pages: [String] = []
        for path in ["stage", "stage?words=better", "remote?slide=q-better&words=1"] {
            pages.append(try await host.get("/meetings/\(meeting.id)/\(path)").expect(200).text)
        }
        return pages
    }

    private static func expectNone(_ word: String, in pages: [String], _ reason: Comment) {
        for page in pages {
            #expect(!page.lowercased().contains(word), reason)
            #expect(!page.contains("stage-cloud") && !page.contains("<blockquote"), reason)
        }
    }

    @Test func stageShowsOnlyReleasedTextsAndTheirWords() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            try await meeting.submit(#"{"better": "Longer breaks"}"#).expect(201)
            try await meeting.submit(#"{"better": "Insults"}"#).expect(201)
            Self.expectNone("breaks", in: try await Self.pages(host, meeting), "the texts are not released")

            try await meeting.moderate("release").expect(204)
            let released = try await Self.pages(host, meeting)
            #expect(released[0].contains(">Longer breaks</blockquote>") && !released[0].contains("stage-cloud"))
            #expect(released[1].contains(">breaks <span") && !released[1].contains("<blockquote"))
            #expect(released[2].contains("value=\"words\" aria-pressed=\"true\"") && !released[2].contains("breaks"))

            let texts = try await meeting.texts()
            let insult = try #require(texts.items.first { $0.text == "Insults" })
            try await meeting.moderate("hide", answer: insult.id).expect(204)
            for page in try await Self.pages(host, meeting) { #expect(!page.contains("nsults"), "the text is hidden") }

            try await meeting.moderate("withhold").expect(204)
            Self.expectNone("breaks", in: try await Self.pages(host, meeting), "the release was withdrawn")
        }
    }

    @Test func longTextsAreShortenedAndTheirBytesLimited() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open""#)
            let keys = ["a", "b", "c", "d"]
            let questions = keys.map { #"{"key": "\#($0)", "kind": "text", "title": "T", "maxLength": 10000}"# }
            try await meeting.define("{\"identity\": \"open\", \"questions\": [\(questions.joined(separator: ","))]}")
                .expect(200)
            for number in 0..<40 {
                let text = "\(number) " + String(repeating: "\u{2019}", count: 9_990)
                let answers = keys.map { "\"\($0)\": \"\(text)\"" }
                try await meeting.submit("{\(answers.joined(separator: ","))}").expect(201)
            }
            for key in keys { try await meeting.moderate("release", key).expect(204) }
            let page = try await host.get("/meetings/\(meeting.id)/stage").expect(200)
            // Each question has 1.2 MB of texts. No texts are read once there is a megabyte.
            let shown = page.count("<blockquote")
            #expect((20...80).contains(shown) && page.count("…</blockquote>") == shown)
            #expect(page.text.utf8.count < 300_000)
            let results = try await host.get("/meetings/\(meeting.id)/results").expect(200)
            #expect(results.count("<blockquote") <= 10, "the page leads to all texts of the others")
            #expect(results.count("Read and search all") == 4)
        }
    }

    @Test func stageOfAnAnonymousFormShowsNoTextsUntilTheClose() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""anonymous": true"#)
            for number in 1...3 { try await meeting.submit("{\"better\": \"Breaks \(number)\"}").expect(201) }
            let open = try await Self.pages(host, meeting)
            Self.expectNone("breaks", in: open, "the form is open")
            #expect(open[0].contains("Answers appear in groups of"))
            try await meeting.perform("close").expect(200)
            try await meeting.moderate("release").expect(204)
            let closed = try await Self.pages(host, meeting)
            #expect(closed[0].contains(">Breaks 1</blockquote>"))
            #expect(closed[1].contains(">Breaks <span class=\"away\">(3 answers)"))
            try await meeting.perform("reopen").expect(200)
            Self.expectNone("breaks 1", in: try await Self.pages(host, meeting), "the form was opened again")
        }
    }

    @Test func textsKeepTheirColumnsWhenNewerOnesArrive() throws {
        let texts = try Self.english()
        func columns(_ count: Int) -> [[String]] {
            let result = QuestionResults(
                key: "better", kind: "text", title: "Better?", answered: count, skipped: 0, released: true)
            let part = ResultsQuestions.Part(
                result: result, numbers: QuestionNumbers(title: result.title, isRetired: false), changes: nil,
                readTexts: (1...count).reversed().map { (id: nil as ResourceID?, text: "\($0)") }, texts: [],
                moreTextsNotice: nil)
            return StageSlide(part, nil, at: "/meetings/1/stage", texts).columns.map { $0.texts.map(\.text) }
        }
        #expect(columns(1) == [[], ["1"]])
        #expect(columns(4) == [["4", "2"], ["3", "1"]])
        #expect(columns(5) == [["4", "2"], ["5", "3", "1"]])
    }

    @Test func wordsAreTheLargerTheMoreTextsContainThem() throws {
        #expect([1, 2, 3, 5, 6, 9].map { WordCloud.size(of: $0, between: 1, and: 9) } == [1, 2, 2, 3, 4, 5])
        #expect(WordCloud.size(of: 2, between: 2, and: 2) == 3)
        let items = [("demo", 9), ("Breaks", 5), ("agenda", 1)].map {
            Terms.Term(term: $0.0, count: $0.1, answers: $0.1)
        }
        let terms = Terms(key: "better", answers: 10, total: 10, sampled: false, items: items)
        let cloud = try #require(WordCloud(terms, try Self.english()))
        #expect(cloud.words.map(\.term) == ["agenda", "Breaks", "demo"])
        #expect(cloud.words.map(\.size) == [1, 3, 5])
        #expect(cloud.words.map(\.answers) == ["1 answer", "5 answers", "9 answers"])
        let none = Terms(key: "better", answers: 0, total: 0, sampled: false, items: [])
        #expect(WordCloud(none, try Self.english()) == nil)
    }
}
