import Domain
import Store
import StrictJSON

/// A page of a text question's answers as it is asked for.
struct TextPage {
    static let query = ["q", "limit", "cursor"]

    var key: String
    var words: String?
    var limit: Int
    var position: String?
    /// The hidden ones, which only hosts can ask for.
    var hidden: Bool

    init(_ request: APIRequest) throws {
        let key = try request.parameter("key")
        self = try request.query { reader in
            let words = reader.string("q").flatMap { $0.isEmpty ? nil : $0 }
            if let words, words.contains("\0") || words.count > 200 {
                reader.refuse("q", "too-long", "It takes at most 200 characters.")
            }
            return TextPage(
                key: key, words: words, limit: reader.int("limit", in: 1...200) ?? 50,
                position: reader.cursor("cursor", Cursor.text(of: key)), hidden: reader.flag("hidden") ?? false)
        }
    }

    private init(key: String, words: String?, limit: Int, position: String?, hidden: Bool) {
        self.key = key
        self.words = words
        self.limit = limit
        self.position = position
        self.hidden = hidden
    }

    /// What the host has released, to whoever may see the results: the texts and nothing about them.
    static func answerReleased(
        _ request: APIRequest, of meeting: Meeting, in store: Store
    ) async throws -> APIResponse {
        let page = try TextPage(request)
        let found = try await store.texts.released(
            of: meeting, question: page.key, containing: page.words, after: page.position, limit: page.limit + 1)
        return page.answer(found) { .object([.init("text", .string($0.text))]) }
    }

    /// Of what was found, one more than is shown tells whether there is a next page.
    func answer(_ found: [TextAnswer], _ body: (TextAnswer) -> JSONValue) -> APIResponse {
        .page(found, limit: limit, body) { Cursor.after($0.position, of: key) }
    }
}
