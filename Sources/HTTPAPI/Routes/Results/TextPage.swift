import Contract
import Domain
import Store

/// The parameters of a page of text answers.
struct TextPage {
    static let query = ["q", "limit", "cursor"]

    var key: String
    /// The text to search for; `nil` for all texts.
    var search: String?
    var limit: Int
    var cursor: String?
    /// Whether to list the hidden texts instead of the others. Only a host's route accepts the parameter.
    var listsHiddenTexts: Bool

    /// Responds with a page of the released texts, without ids and times.
    static func respond(
        to request: APIRequest, withReleasedTextsOf meeting: StoredMeeting, in store: Store
    ) async throws -> APIResponse {
        let page = try TextPage(request)
        let texts = try await store.texts.released(
            of: meeting, question: page.key, containing: page.search, after: page.cursor, limit: page.limit)
        return try .json(Page(texts) { ReleasedText(text: $0.text) })
    }
}

extension TextPage {
    init(_ request: APIRequest) throws {
        let key = try request.parameter("key")
        self = try request.query { reader in
            // White space at the ends is ignored; an empty search matches all texts.
            let search = reader.string("q").map { $0.trimmingPrefix(while: \.isWhitespace) }.flatMap { text in
                text.lastIndex { !$0.isWhitespace }.map { String(text[...$0]) }
            }
            if let search, search.count > 200 {
                reader.refuse("q", "too-long", "At most 200 characters are allowed.")
            }
            return TextPage(
                key: key, search: search, limit: reader.limit(), cursor: reader.string("cursor"),
                listsHiddenTexts: reader.flag("hidden") ?? false)
        }
    }
}
