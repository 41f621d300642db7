import Contract
import HTTPTypes
import NIOCore

/// Results for people without an account.
struct ResultsPage: PageModel {
    /// The values that determine the page. A cached page is looked up by them.
    struct Contents: Hashable, Sendable {
        /// The path of the results in the API.
        var source: String
        /// The ETag of the results, which changes with them. Without an ETag, the page is not cached.
        var tag: String?
        /// The version of the form, if its questions are known.
        var version: Int?
        var title: String
        var subtitle: String?
        /// Whether the form no longer accepts answers.
        var isShut = false
        /// The path of the event stream that reports new results.
        var live: String
        /// The address of the form, to which the page links.
        var back: String?
        /// Whether the JSON of the results is large, so that even decoding it takes long.
        var isLarge: Bool

        init(
            source: String, _ response: InnerAPI.CollectedResponse, version: Int? = nil, title: String,
            subtitle: String? = nil, isShut: Bool = false, live: String, back: String? = nil
        ) {
            (self.source, self.version) = (source, version)
            (self.title, self.subtitle, self.isShut) = (title, subtitle, isShut)
            (self.live, self.back) = (live, back)
            tag = response.headers[.eTag]
            isLarge = LargePages.isLarge(bytes: response.bytes.readableBytes)
        }
    }

    static let template = "results"
    var title: String
    var subtitle: String?
    /// The path of the event stream that reports new results.
    var livePath: String
    var revision: Int
    var submissions: String
    /// Says how many submissions the minimum group withholds. Nil if there are none.
    var withheld: String?
    var questions: [ResultsQuestions.Values]
    var back: String?
    var charts: ChartScripts?
    var liveScript: String

    init(_ contents: Contents, of questions: ResultsQuestions, _ page: PageRequest) async throws {
        let results = questions.results
        (title, subtitle, back) = (contents.title, contents.subtitle, contents.back)
        (livePath, revision) = (contents.live, results.revision)
        submissions = ResultsQuestions.submissions(results, page)
        withheld = ResultsQuestions.withheld(results, isShut: contents.isShut, page)
        self.questions = try await questions.parts().map(\.values)
        charts = ChartScripts(page)
        liveScript = page.kit.files.address("host.js")
    }
}

extension RenderedPages<ResultsPage.Contents> {
    /// The page for `contents`, rendered or from the cache. While too many texts are being read, the page has the numbers
    /// and a sentence in place of the texts.
    ///
    /// - Parameters:
    ///   - response: The response with the results. It is not decoded if the page is cached.
    ///   - questions: Returns the questions of the page, given the decoded results.
    func results(
        _ contents: ResultsPage.Contents, at path: String, for page: PageRequest,
        from response: InnerAPI.CollectedResponse, _ questions: (Results) -> ResultsQuestions
    ) async throws -> PageResponse {
        var decoded: Results?
        func decode() throws -> Results {
            let results = try decoded ?? response.decoded()
            decoded = results
            return results
        }
        // A page with texts may be long.
        func isLarge() throws -> Bool { try contents.isLarge || decode().questions.contains { $0.showsTexts } }
        do {
            return try await self.response(
                contents, for: page, at: path, isLarge: try isLarge(), isShared: contents.tag != nil
            ) {
                try await ResultsPage(contents, of: questions(decode()), page)
            } keeping: { model in
                // Texts are not kept in memory, because they may be hidden, withdrawn or deleted.
                contents.tag != nil && !model.questions.contains { !$0.texts.isEmpty || $0.moreTextsNotice != nil }
            }
        } catch is ResultsQuestions.TextsBusy {
            // Not shared, because texts may be busy for this address alone.
            return try await self.response(contents, for: page, at: path, isLarge: try isLarge()) {
                var questions = questions(try decode())
                questions.omitsTexts = true
                return try await ResultsPage(contents, of: questions, page)
            } keeping: { _ in
                false
            }
        }
    }
}
