import Cryptography
import Store

/// A cache of the pages of one kind. A page is rendered and compressed once, and sent again while every value on it is
/// the same.
///
/// A page that is not kept can still be shared by the requests that arrive while it is made, such as those of many phones
/// after an event.
///
/// A page is looked up by `Content`, on which its model depends, and by the reader's navigation and language, but not
/// by the CSRF token, which is new in each response. So no reader gets a page that would look different for them.
struct RenderedPages<Content: Hashable & Sendable>: Sendable {
    private struct Key: Hashable, Sendable {
        var content: Content
        var layout: LayoutValues
    }

    private let pages = LRUCache<Key, ReusablePage>(capacity: 200, maxBytes: 16 << 20)
    private let renderings = SharedRendering<Key, ReusablePage?>()
    /// Replaces the CSRF token while a page is rendered. It is random, so that no other text equals it.
    private let placeholder = Base64URL.encode(RandomBytes.make(48))

    /// - Parameters:
    ///   - content: The model itself, or a value that identifies it.
    ///   - path: The path of a page that is the same for every query. Nil for the path and query of the request.
    ///   - isLarge: Whether the page is large, so only a few are made at once. Not evaluated if the page is cached.
    ///   - isShared: Whether simultaneous requests share one page, even if it is not kept. `content` then has to change
    ///     with everything on the page.
    ///   - keeps: Whether a page of this model may be sent again.
    func response<Model: PageModel>(
        _ content: Content, for page: PageRequest, at path: String? = nil,
        isLarge: @autoclosure () throws -> Bool = false, isShared: Bool = false, model: () async throws -> Model,
        keeping keeps: (Model) -> Bool = { _ in true }
    ) async throws -> PageResponse {
        var layout = LayoutValues(of: Model.self, for: page, at: path)
        // A notice is shown after a form was sent, and no form leads to a page that is the same for every query.
        if path != nil { layout.notice = nil }
        let (token, hasNotice) = (layout.csrf, layout.notice != nil)
        layout.csrf = placeholder
        let key = Key(content: content, layout: layout)
        // A notice is shown once, so a page with a notice is neither cached nor taken from the cache.
        if !hasNotice, let cached = pages.find(key) { return PageResponse(reused: (cached, [token])) }
        if isShared, !hasNotice {
            let shared = try await renderings.value(for: key) {
                try await page.kit.largePages.make(isLarge: try isLarge(), for: page) { () -> ReusablePage? in
                    if let cached = pages.find(key) { return cached }
                    let model = try await model()
                    return make(model, key, for: page, isKept: keeps(model))
                }
            }
            if let shared { return PageResponse(reused: (shared, [token])) }
        }
        return try await page.kit.largePages.make(isLarge: try isLarge(), for: page) {
            // Another request may have made the page while this one waited.
            if !hasNotice, let cached = pages.find(key) { return PageResponse(reused: (cached, [token])) }
            let model = try await model()
            if !hasNotice, keeps(model), let reusable = make(model, key, for: page, isKept: true) {
                return PageResponse(reused: (reusable, [token]))
            }
            layout.csrf = token
            return PageResponse(html: page.kit.render(model, in: layout, page.texts))
        }
    }

    /// Renders a page with a gap for the CSRF token. Nil if zlib runs out of memory.
    private func make<Model: PageModel>(
        _ model: Model, _ key: Key, for page: PageRequest, isKept: Bool
    ) -> ReusablePage? {
        let html = page.kit.render(model, in: key.layout, page.texts)
        guard let reusable = ReusablePage(html, replacing: [placeholder]) else { return nil }
        // The key and the values in it take up to about twice as much memory as the text of the page.
        if isKept { pages.insert(reusable, for: key, bytes: reusable.byteCount + 2 * html.utf8.count) }
        return reusable
    }
}
