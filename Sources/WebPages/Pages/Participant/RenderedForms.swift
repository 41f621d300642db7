import Contract
import Store

/// The pages of open forms, each rendered once for all who open the form, until it changes.
struct RenderedForms: Sendable {
    struct Rendered: Sendable {
        var form: Contract.PublicForm
        var page: ReusablePage
        /// The digest of the page. Nil for a form whose page browsers do not cache.
        var digest: String?
    }

    /// What a rendered page depends on.
    struct Key: Hashable, Sendable {
        /// The tag of the API's response, which changes with the form.
        var tag: String
        var language: Language
        var path: String
    }

    private let pages = LRUCache<Key, Rendered>(capacity: 1_000, maxBytes: 16 << 20)

    func find(_ key: Key) -> Rendered? { pages.find(key) }

    /// - Parameter size: The size of the form in bytes.
    func insert(_ rendered: Rendered, for key: Key, bytes size: Int) {
        pages.insert(rendered, for: key, bytes: rendered.page.byteCount + size)
    }
}
