import Cryptography
import Store

/// Pages of one kind, each rendered and compressed once and sent again while every value on it is the same.
///
/// A page is found by `Content`, on which its model depends, and by the reader's navigation and language; not by the
/// CSRF token, which is new in each response. So a page is never sent to a reader for whom anything else would be shown.
struct RenderedPages<Content: Hashable & Sendable>: Sendable {
    private struct Key: Hashable, Sendable {
        var content: Content
        var layout: LayoutValues
    }

    private let pages = LRUCache<Key, ReusablePage>(capacity: 200, maxBytes: 16 << 20)
    /// The value in place of the CSRF token while a page is rendered. It is random, so that no other text equals it.
    private let placeholder = Base64URL.encode(RandomBytes.make(48))

    /// - Parameters:
    ///   - content: The model itself, or what identifies it.
    ///   - path: The path of a page that is the same for every query. Nil for the path and query of the request.
    func response<Model: PageModel>(
        _ content: Content, for page: PageRequest, at path: String? = nil, model: () throws -> Model
    ) rethrows -> PageResponse {
        var layout = LayoutValues(of: Model.self, for: page, at: path)
        // No form leads to a page that is the same for every query.
        if path != nil { layout.notice = nil }
        // The result of a form is shown once.
        guard layout.notice == nil else {
            return PageResponse(html: page.kit.render(try model(), in: layout, page.texts))
        }
        let token = layout.csrf
        layout.csrf = placeholder
        let key = Key(content: content, layout: layout)
        if let known = pages.find(key) { return PageResponse(reused: (known, [token])) }
        let html = page.kit.render(try model(), in: layout, page.texts)
        guard let reusable = ReusablePage(html, replacing: [placeholder]) else {
            return PageResponse(html: html.replacing(placeholder, with: token))
        }
        // The values of a page have about the size of its text.
        pages.insert(reusable, for: key, bytes: reusable.byteCount + 2 * html.utf8.count)
        return PageResponse(reused: (reusable, [token]))
    }
}
