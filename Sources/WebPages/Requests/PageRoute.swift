import Foundation
import HTTPTypes
import StrictJSON

/// The path pattern of a page with its handlers for GET, HEAD and POST.
struct PageRoute: Sendable {
    typealias Handler = @Sendable (PageRequest) async throws -> PageResponse

    /// For example `/f/{code}/results`.
    let pattern: String
    private let parts: [Substring]
    private let get: Handler?
    private let post: Handler?
    private let maxBytes: Int
    private let maxFields: Int
    private let needsSession: Bool
    private let acceptsFiles: Bool
    /// Whether the response is written in chunks, because it has no end or may be larger than memory.
    let isStreamed: Bool

    /// - Parameters:
    ///   - maxBytes: The size of the largest body of a POST.
    ///   - maxFields: The largest number of fields of a POST.
    ///   - needsSession: Whether the handler is for signed-in hosts. The body of any other client may have at most
    ///     `FormFields.maxBytes` bytes.
    ///   - acceptsFiles: Whether a POST is `multipart/form-data`. If it is too large, the handler is called without
    ///     fields, and `isTooLarge` is set.
    init(
        _ pattern: String, get: Handler? = nil, post: Handler? = nil, maxBytes: Int = FormFields.maxBytes,
        maxFields: Int = FormFields.maxCount, needsSession: Bool = false, acceptsFiles: Bool = false,
        isStreamed: Bool = false
    ) {
        self.pattern = pattern
        parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        (self.get, self.post) = (get, post)
        (self.maxBytes, self.maxFields, self.needsSession) = (maxBytes, maxFields, needsSession)
        (self.acceptsFiles, self.isStreamed) = (acceptsFiles, isStreamed)
    }

    /// The methods with a handler. HEAD uses the handler of GET.
    var methods: [String] { [get.map { _ in "GET" }, post.map { _ in "POST" }].compactMap(\.self) }

    func response(to page: PageRequest) async throws -> PageResponse {
        switch page.method {
        case .get, .head: if let get { return try await get(page) }
        case .post:
            if let post {
                var lacksSession = false
                if needsSession { lacksSession = try await page.reader() == nil }
                let bytes = lacksSession ? min(maxBytes, FormFields.maxBytes) : maxBytes
                if acceptsFiles {
                    try await page.readFiles(atMost: bytes)
                } else {
                    try await page.readFields(atMost: bytes, fields: maxFields)
                }
                return try await post(page)
            }
        default: break
        }
        var error = PageError(.methodNotAllowed)
        error.allow = methods.map { $0 == "GET" ? "GET, HEAD" : $0 }.joined(separator: ", ")
        throw error
    }

    /// The length in bytes of the longest path of a page.
    static let longestPath = 1024

    /// The first route that matches a path, with the percent-decoded parameters. Nil if no route matches.
    static func match(_ path: String, in routes: [PageRoute]) -> (PageRoute, [String: String])? {
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for route in routes {
            if let parameters = route.parameters(of: parts) { return (route, parameters) }
        }
        return nil
    }

    private func parameters(of path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (component, part) in zip(path, parts) {
            if part.hasPrefix("{") {
                guard let value = component.removingPercentEncoding, !value.isEmpty, StreamSafeText.isSafe(value) else {
                    return nil
                }
                parameters[String(part.dropFirst().dropLast())] = value
            } else if component != part {
                return nil
            }
        }
        return parameters
    }
}
