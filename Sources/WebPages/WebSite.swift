import Contract
import Cryptography
import Domain
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Store

/// The service as people see it: one responder for pages and the API.
///
/// Pages make changes through the API's handlers in the same process, so that access checks, limits and validation
/// apply as for any client. They also read through these handlers, or from the store with the rights of the session's
/// account.
public final class WebSite: PlainResponder {
    private let api: API
    let routes: [PageRoute]
    private let streamedRoutes: [PageRoute]
    let kit: PageKit
    private let metrics: RequestMetrics
    /// The index of each route in `metrics`, by method and pattern: `GET /f/{code}`.
    private let metricIndexes: [String: Int]

    /// - Parameter store: The store from which pages read. `api` has to use the same store.
    public convenience init(_ api: API, store: Store, resources: PageResources, options: WebSiteOptions) {
        self.init(api, store: store, resources: resources, options: options, largePages: LargePages())
    }

    init(_ api: API, store: Store, resources: PageResources, options: WebSiteOptions, largePages: LargePages) {
        self.api = api
        kit = PageKit(
            api: InnerAPI(api), store: store, resources: resources, options: options, largePages: largePages)
        routes = [
            EntrancePages().routes,
            ParticipantPages().routes,
            FormPictures().routes,
            CheckInPages().routes,
            PersonPages().routes,
            SharePages().routes,
            AccountPages().routes,
            SessionPages().routes,
            ConfirmationPages().routes,
            HomePages().routes,
            FormBuilderPages().routes,
            TemplatePages().routes,
            MeetingPages().routes,
            MeetingDetailPages().routes,
            TrashPages().routes,
            AdminPages(organisation: OrganisationEditor(store)).routes,
            HostResultsPages().routes,
            SeriesPages().routes,
            SeriesFiles().routes,
            ImportPages().routes,
            RosterPages().routes,
            CalendarPages().routes,
            AttendancePages().routes,
            MeetingSharePages().routes,
            StagePages().routes,
            RemotePages().routes,
            OwnAccountPages().routes,
            WebhookPages().routes,
            JoinPages().routes,
            ReferencePages().routes,
        ].flatMap(\.self)
        streamedRoutes = routes.filter(\.isStreamed)
        let endpoints = routes.flatMap { route in route.methods.map { (path: route.pattern, method: $0) } }
        metrics = api.metrics(ofPages: endpoints)
        metricIndexes = Dictionary(
            uniqueKeysWithValues: endpoints.enumerated().map { ("\($1.method) \($1.path)", $0) })
    }

    public func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let path = request.uri.path
        // Requests to the API, among them submissions, are passed on first. No page has such a path.
        guard Self.isPage(path) else { return try await api.respond(to: request, context: context) }
        if let file = kit.files.find(path) { return kit.secured(file.response(to: request)) }
        if let file = await kit.organisation.response(to: request) { return kit.secured(file) }
        guard let (route, parameters) = PageRoute.match(path, in: routes) else {
            let page = PageRequest(request, context, parameters: [:], kit)
            guard page.wantsPage else { return try await api.respond(to: request, context: context) }
            page.look = await kit.organisation.current()
            return kit.finish(page.errorPage(.notFound), for: page)
        }
        let start = ContinuousClock.now
        let response = await api.client(of: request, context).run {
            await respond(
                to: PageRequest(request, context, pattern: route.pattern, parameters: parameters, kit), by: route)
        }
        let method = request.method == .head ? "GET" : request.method.rawValue
        metrics.record(
            route: metricIndexes["\(method) \(route.pattern)"], status: response.status.code, duration: .now - start)
        return response
    }

    public func respondsCompletely(to head: PlainHead) -> Bool {
        guard Self.isPage(head.path) else { return api.respondsCompletely(to: head) }
        // Only the few streamed routes are compared, because this runs on the event loop.
        return PageRoute.match(head.path, in: streamedRoutes) == nil
    }

    private func respond(to page: PageRequest, by route: PageRoute) async -> Response {
        page.look = await kit.organisation.current()
        do {
            page.bar = try await NavigationBar.find(for: page)
            do {
                let client = page.bar.map { DatabaseClient.account($0.accountID.uuid) } ?? .current
                return kit.finish(try await client.run { try await route.response(to: page) }, for: page)
            } catch is ConfirmationRequired {
                return kit.finish(try await ConfirmationPages.view(interrupting: page), for: page)
            }
        } catch let redirect as PageRedirect {
            // After a redirect to a page, the browser would try to reconnect the event stream repeatedly.
            guard !page.wantsEvents else { return kit.finish(page.errorPage(PageError(.unauthorized)), for: page) }
            return kit.finish(.redirect(to: redirect.path), for: page)
        } catch let error as PageError {
            return kit.finish(page.errorPage(error), for: page)
        } catch {
            if let problem = api.problem(of: error), problem.code != .internalError {
                record(problem, of: page)
                return kit.finish(page.errorPage(PageError(problem)), for: page)
            }
            page.context.logger.error(
                "A page failed",
                metadata: ["request": "\(page.requestID.lowercased)", "page": "\(route.pattern)", "error": "\(error)"])
            return kit.finish(page.errorPage(PageError(.internalServerError)), for: page)
        }
    }

    /// Logs that a page was refused to a signed-in host, as the API does for its own requests.
    private func record(_ problem: Problem, of page: PageRequest) {
        guard let account = page.bar?.accountID.uuid,
            let event = SecurityLog.Event(
                refusal: problem.code, of: page.pattern, isSignedIn: true, hasToken: true)
        else { return }
        api.record(
            event, account: account, for: page.request, id: page.requestID, page.context,
            route: "\(page.method.rawValue) \(page.pattern)")
    }

    /// Whether a page may have this path. The API has all paths below `/v1/` and a few others, and refuses those that
    /// are too long.
    private static func isPage(_ path: String) -> Bool {
        path.utf8.count <= PageRoute.longestPath
            && !["/v1/", "/livez", "/readyz", "/metrics", "/openapi", "/problems/"].contains { path.hasPrefix($0) }
    }
}

/// The settings of the pages.
public struct WebSiteOptions: Sendable {
    /// The address with which all links begin. If it is `https`, cookies are bound to its host, and forms are accepted
    /// only from its origin.
    public var publicURL: String

    /// The sites that may show public forms in a frame, as source expressions of a Content Security Policy.
    public var frameAncestors: [String]

    /// Whether the service sends mail. Otherwise pages ask their readers to pass links on themselves.
    public var sendsMail: Bool

    /// Whether anyone may create an account. Otherwise an invitation is required.
    public var allowsSignUp: Bool

    /// The key of the CSRF tokens in forms. Instances with the same key accept each other's forms.
    public var csrfKey: [UInt8]

    /// The data folder, whose disk the admins' health page shows. Nil if the service has none.
    public var dataFolder: String?
    /// The program and the arguments that started the service.
    public var command: [String]

    public init(
        publicURL: String, frameAncestors: [String] = [], sendsMail: Bool = true, allowsSignUp: Bool = false,
        csrfKey: [UInt8] = RandomBytes.make(32), dataFolder: String? = nil,
        command: [String] = ["afterword", "serve"]
    ) {
        self.command = command
        self.publicURL = publicURL
        self.frameAncestors = frameAncestors
        self.sendsMail = sendsMail
        self.allowsSignUp = allowsSignUp
        self.csrfKey = csrfKey
        self.dataFolder = dataFolder
    }

    /// Whether `publicURL` is an address of this machine only, which phones cannot open.
    public var isForThisMachine: Bool {
        let host = URLComponents(string: publicURL)?.host ?? ""
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
    }

    /// The command with which phones can reach the service: the one that started it, with another address. Nil if they
    /// can already.
    public var reachableCommand: String? {
        guard isForThisMachine else { return nil }
        let port = URLComponents(string: publicURL)?.port ?? (isSecure ? 443 : 80)
        var arguments = command
        for option in ["--host", "--port", "--public-url"] {
            while let index = arguments.firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) {
                let hasValue = arguments[index] == option && index + 1 < arguments.count
                arguments.removeSubrange(index...(hasValue ? index + 1 : index))
            }
        }
        arguments += ["--host", "0.0.0.0"] + (port == 8080 ? [] : ["--port", "\(port)"])
        return (arguments.map { Self.quoted(Self.withoutPassword($0)) } + ["--public-url", "http://ADDRESS:\(port)"])
            .joined(separator: " ")
    }

    /// The program as a shell reads it, with the path by which it was started.
    var program: String { command.first.map(Self.quoted) ?? "afterword" }

    /// The argument with PASSWORD in place of a password, as in the URL of a database.
    private static func withoutPassword(_ argument: String) -> String {
        argument.replacing(/(:\/\/[^:\/@]*:)[^@]*@/) { "\($0.1)PASSWORD@" }
            .replacing(/(password=)[^&\s]*/) { "\($0.1)PASSWORD" }
    }

    /// The argument as a shell reads it.
    private static func quoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.utf8.allSatisfy { byte in
                byte >= 0x80 || "_-./:=,@%+".utf8.contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
        return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
    }

    var isSecure: Bool { publicURL.lowercased().hasPrefix("https://") }
}
