import Cryptography
import Store

/// Pages of one kind, each rendered and compressed once and sent again while every value on it is the same.
///
/// A page is found by all values from which it is rendered, the reader's navigation and language among them, except the
/// CSRF token, which is new in each response. So a page is never sent to a reader for whom anything else would be
/// shown.
struct RenderedPages<Model: PageModel & Hashable>: Sendable {
    private struct Key: Hashable, Sendable {
        var model: Model
        var layout: LayoutValues
    }

    private let pages = LRUCache<Key, ReusablePage>(capacity: 200, maxBytes: 16 << 20)
    /// The value in place of the CSRF token while a page is rendered. It is random, so that no other text equals it.
    private let placeholder = Base64URL.encode(RandomBytes.make(48))

    func response(_ model: Model, for page: PageRequest) -> PageResponse {
        var layout = LayoutValues(of: model, for: page)
        // The result of a form is shown once.
        guard layout.notice == nil else {
            return PageResponse(html: page.kit.render(model, in: layout, page.texts))
        }
        let token = layout.csrf
        layout.csrf = placeholder
        let key = Key(model: model, layout: layout)
        if let known = pages.find(key) { return PageResponse(reused: (known, [token])) }
        let html = page.kit.render(model, in: layout, page.texts)
        guard let reusable = ReusablePage(html, replacing: [placeholder]) else {
            return PageResponse(html: html.replacing(placeholder, with: token))
        }
        // The values of a page have about the size of its text.
        pages.insert(reusable, for: key, bytes: reusable.byteCount + 2 * html.utf8.count)
        return PageResponse(reused: (reusable, [token]))
    }
}
