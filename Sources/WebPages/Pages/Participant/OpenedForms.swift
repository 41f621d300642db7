import Contract
import Cryptography
import HTTPTypes
import NIOCore
import Store

/// A cache of the forms that participants open: each decoded form, and its rendered page in each language. A changed
/// form has another ETag, and so a new entry.
struct OpenedForms: Sendable {
    /// A form from a response of the API.
    struct Opened: Sendable {
        var form: Contract.PublicForm
        /// The ETag of the response, which changes with the form. Without an ETag, nothing is cached.
        var tag: String?
        /// Whether the form's page is large.
        var isLarge: Bool
        /// The parts of the form; nil unless questions depend on answers.
        var staged: StagedForm?
    }

    /// The page of an open form, with gaps for the CSRF token, the key of the submission and the name of the draft.
    struct Rendered: Sendable {
        var page: ReusablePage
        /// The digest of the page without its gaps.
        var digest: String
    }

    private struct FormKey: Hashable, Sendable {
        var path: String
        var tag: String
    }

    private struct PageKey: Hashable, Sendable {
        var form: FormKey
        var language: Language
        /// The revision of the organisation's look.
        var look: Int
    }

    private let forms = LRUCache<FormKey, Opened>(capacity: 1_000, maxBytes: 16 << 20)
    private let pages = LRUCache<PageKey, Rendered>(capacity: 1_000, maxBytes: 16 << 20)
    /// Replaces the draft's name while a page is rendered. It is random, so that no other text equals it.
    private let draftPlaceholder = Base64URL.encode(RandomBytes.make(48))

    /// The form at the path of the request. Throws the API's error response as a `PageError`.
    func form(of context: FormContext) async throws -> Opened {
        let page = context.page
        let response = try await page.send(.get, context.apiPath)
        guard response.status == .ok else { throw PageError(response) }
        let key = response.headers[.eTag].map { FormKey(path: context.apiPath, tag: $0) }
        if let cached = key.flatMap({ forms.find($0) }) { return cached }
        let bytes = response.bytes.readableBytes
        let isLarge = LargePages.isLarge(bytes: bytes)
        return try await page.kit.largePages.make(isLarge: isLarge, for: page) { () -> Opened in
            // Another request may have decoded the form while this one waited.
            if let cached = key.flatMap({ forms.find($0) }) { return cached }
            let form: Contract.PublicForm = try response.decoded()
            let opened = Opened(form: form, tag: key?.tag, isLarge: isLarge, staged: try StagedForm(form.questions))
            // A decoded form takes a few times as much memory as its JSON.
            if let key { forms.insert(opened, for: key, bytes: 4 * bytes) }
            return opened
        }
    }

    /// The page of an open form, and the values in its gaps.
    ///
    /// Nil if zlib runs out of memory.
    func page(
        of opened: Opened, _ sheet: FormSheet, _ context: FormContext
    ) async throws -> (rendered: Rendered, values: [String])? {
        let page = context.page
        let values = [page.csrfToken, sheet.key, context.draftName]
        let key = opened.tag.map {
            PageKey(
                form: FormKey(path: context.apiPath, tag: $0), language: page.language, look: page.look.revision)
        }
        if let cached = key.flatMap({ pages.find($0) }) { return (cached, values) }
        return try await page.kit.largePages.make(isLarge: opened.isLarge, for: page) { () -> (Rendered, [String])? in
            if let cached = key.flatMap({ pages.find($0) }) { return (cached, values) }
            var model = FormPage(opened.form, opened.staged, sheet, context, isCorrection: false, alert: nil)
            model.draft = draftPlaceholder
            var layout = LayoutValues(of: FormPage.self, for: page, at: context.path)
            layout.notice = nil
            let html = page.kit.render(model, in: layout, page.texts)
            guard let reusable = ReusablePage(html, replacing: [page.csrfToken, sheet.key, draftPlaceholder])
            else { return nil }
            let rendered = Rendered(page: reusable, digest: reusable.digest())
            if let key { pages.insert(rendered, for: key, bytes: reusable.byteCount) }
            return (rendered, values)
        }
    }
}
