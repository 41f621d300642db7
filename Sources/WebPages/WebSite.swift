import Cryptography
import Domain
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Store

/// The service as people see it: one responder for pages and the API.
///
/// Pages read from the store with the rights of the session's account. Changes go through the API's handlers in the same
/// process, so that access, limits and validation apply as for any client.
public final class WebSite: HTTPResponder {
    private let api: API
    let routes: [PageRoute]
    private let kit: PageKit
    private let metrics: RequestMetrics
    /// The index of each method and pattern in the metrics.
    private let measured: [String: Int]

    /// Throws where a file that pages are made of is not beside the program, or is broken.
    ///
    /// - Parameter store: What pages read from; `api` is over the same one.
    public init(_ api: API, store: Store, options: WebSiteOptions) throws {
        self.api = api
        kit = try PageKit(api: InnerAPI(api), store: store, options: options)
        routes = [
            EntrancePages(kit: kit).routes,
            ParticipantPages(kit: kit).routes,
            CheckInPages(kit: kit).routes,
            PersonPages(kit: kit).routes,
            SharePages(kit: kit).routes,
            AccountPages(kit: kit).routes,
            SessionPages(kit: kit).routes,
            HomePages(kit: kit).routes,
            FormBuilderPages(kit: kit).routes,
            MeetingPages(kit: kit).routes,
            MeetingDetailPages(kit: kit).routes,
            TrashPages(kit: kit).routes,
            AdminPages(kit: kit).routes,
            HostResultsPages(kit: kit).routes,
            SeriesPages(kit: kit).routes,
            SeriesFiles(kit: kit).routes,
            RosterPages(kit: kit).routes,
            CalendarPages(kit: kit).routes,
            AttendancePages(kit: kit).routes,
            MeetingSharePages(kit: kit).routes,
            OwnAccountPages(kit: kit).routes,
            JoinPages(kit: kit).routes,
            ReferencePages(kit: kit).routes,
        ].flatMap(\.self)
        let measured = routes.flatMap { route in route.methods.map { (path: route.pattern, method: $0) } }
        metrics = api.metrics(ofPages: measured)
        self.measured = Dictionary(
            uniqueKeysWithValues: measured.enumerated().map { ("\($1.method) \($1.path)", $0) })
    }

    public func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let path = request.uri.path
        // First what hurries: answers come by the API's own addresses, and no page has one of them.
        guard Self.isPage(path) else { return try await api.respond(to: request, context: context) }
        if let file = kit.files.find(path) { return file.response(to: request) }
        guard let (route, parameters) = PageRoute.match(path, in: routes) else {
            let page = PageRequest(request, context, parameters: [:], kit)
            guard page.wantsPage else { return try await api.respond(to: request, context: context) }
            return kit.finish(page.errorPage(.notFound), for: page)
        }
        let start = ContinuousClock.now
        let response = await respond(
            to: PageRequest(request, context, pattern: route.pattern, parameters: parameters, kit), by: route)
        let method = request.method == .head ? "GET" : request.method.rawValue
        metrics.record(
            route: measured["\(method) \(route.pattern)"], status: response.status.code, duration: .now - start)
        return response
    }

    private func respond(to page: PageRequest, by route: PageRoute) async -> Response {
        do {
            page.bar = try await NavigationBar.find(for: page)
            return kit.finish(try await route.answer(page), for: page)
        } catch let redirect as PageRedirect {
            // A stream of events that is led elsewhere would be asked for again without end.
            guard !page.wantsEvents else { return kit.finish(page.errorPage(PageError(.unauthorized)), for: page) }
            return kit.finish(.redirect(to: redirect.path), for: page)
        } catch let error as PageError {
            return kit.finish(page.errorPage(error), for: page)
        } catch {
            if let problem = api.problem(of: error) { return kit.finish(page.errorPage(PageError(problem)), for: page) }
            page.context.logger.error("A page failed", metadata: ["page": "\(route.pattern)", "error": "\(error)"])
            return kit.finish(page.errorPage(PageError(.internalServerError)), for: page)
        }
    }

    /// What the API leaves to pages: what is neither under its root nor one of its few other addresses.
    private static func isPage(_ path: String) -> Bool {
        !["/v1/", "/livez", "/readyz", "/metrics", "/openapi", "/problems/"].contains { path.hasPrefix($0) }
    }
}

/// How pages present themselves.
public struct WebSiteOptions: Sendable {
    /// What links begin with; under `https` cookies and forms are bound to it.
    public var publicURL: String

    /// Sources that may show public forms within their own pages, as a Content Security Policy names them.
    public var frameAncestors: [String]

    /// Whether mails reach people; else links have to be handed on by those who see them.
    public var sendsMail: Bool

    /// Whether anyone may make an account; else an invitation is needed.
    public var allowsSignUp: Bool

    /// What the tokens of forms are made with; instances with one key take each other's forms.
    public var csrfKey: [UInt8]

    public init(
        publicURL: String, frameAncestors: [String] = [], sendsMail: Bool = true, allowsSignUp: Bool = false,
        csrfKey: [UInt8] = RandomBytes.make(32)
    ) {
        self.publicURL = publicURL
        self.frameAncestors = frameAncestors
        self.sendsMail = sendsMail
        self.allowsSignUp = allowsSignUp
        self.csrfKey = csrfKey
    }

    /// The options that `serve` needs so that phones reach the service; nil if they already can.
    public var openingFlags: String? {
        let address = URLComponents(string: publicURL)
        let host = address?.host ?? ""
        let isForThisMachine =
            host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
        guard isForThisMachine else { return nil }
        let port = address?.port ?? (isSecure ? 443 : 80)
        let choice = port == 8080 ? "" : " --port \(port)"
        return "--host 0.0.0.0\(choice) --public-url http://ADDRESS:\(port)"
    }

    var isSecure: Bool { publicURL.lowercased().hasPrefix("https://") }
}
