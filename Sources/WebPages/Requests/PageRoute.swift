import Foundation
import HTTPTypes

/// An address of a page and what answers there, by method; HEAD goes with GET.
struct PageRoute: Sendable {
    typealias Handler = @Sendable (PageRequest) async throws -> PageAnswer

    /// `/f/{code}/results`
    let pattern: String
    private let parts: [Substring]
    private let get: Handler?
    private let post: Handler?
    private let mostBytes: Int
    private let takesFiles: Bool

    /// - Parameters:
    ///   - mostBytes: of a POST.
    ///   - takesFiles: a POST is `multipart/form-data`; one that is too large is handled all the same, without fields.
    init(
        _ pattern: String, get: Handler? = nil, post: Handler? = nil, mostBytes: Int = FormFields.mostBytes,
        takesFiles: Bool = false
    ) {
        self.pattern = pattern
        parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        (self.get, self.post) = (get, post)
        (self.mostBytes, self.takesFiles) = (mostBytes, takesFiles)
    }

    var methods: [String] { [get.map { _ in "GET" }, post.map { _ in "POST" }].compactMap(\.self) }

    func answer(_ page: PageRequest) async throws -> PageAnswer {
        switch page.method {
        case .get, .head: if let get { return try await get(page) }
        case .post:
            if let post {
                if takesFiles {
                    try await page.readFiles(atMost: mostBytes)
                } else {
                    try await page.readFields(atMost: mostBytes)
                }
                return try await post(page)
            }
        default: break
        }
        var trouble = PageError(.methodNotAllowed)
        trouble.allow = [get == nil ? nil : "GET, HEAD", post == nil ? nil : "POST"].compactMap(\.self)
            .joined(separator: ", ")
        throw trouble
    }

    /// The route of a path with its parameters, percent-decoded.
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
        for (given, part) in zip(path, parts) {
            if part.hasPrefix("{") {
                guard let value = given.removingPercentEncoding, !value.isEmpty else { return nil }
                parameters[String(part.dropFirst().dropLast())] = value
            } else if given != part {
                return nil
            }
        }
        return parameters
    }
}
