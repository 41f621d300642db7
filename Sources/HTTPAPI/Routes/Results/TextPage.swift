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
    /// Whether to list only texts with a star, and only those with this tag. Only a host's route accepts them.
    var listsStarredTexts: Bool
    var tag: String?

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
    private static let maxSearch = 200

    /// The text to search for, without white space at its ends; nil if there is no other, so that all texts match.
    /// Throws 422 if it is too long.
    static func search(_ typed: String) throws -> String? {
        let search = trimmed(typed)
        guard (search?.count ?? 0) <= maxSearch else {
            throw Problem(invalid: "?q", code: "too-long", tooLong)
        }
        return search
    }

    private static var tooLong: String { "At most \(maxSearch) characters are allowed." }

    private static func trimmed(_ typed: String) -> String? {
        let text = typed.trimmingPrefix(while: \.isWhitespace)
        return text.lastIndex { !$0.isWhitespace }.map { String(text[...$0]) }
    }

    init(_ request: APIRequest) throws {
        let key = try request.parameter("key")
        self = try request.query { reader in
            let search = reader.string("q").flatMap(Self.trimmed)
            if let search, search.count > Self.maxSearch { reader.refuse("q", "too-long", Self.tooLong) }
            return TextPage(
                key: key, search: search, limit: reader.limit(), cursor: reader.string("cursor"),
                listsHiddenTexts: reader.flag("hidden") ?? false,
                listsStarredTexts: reader.flag("starred") ?? false, tag: reader.string("tag"))
        }
    }
}
