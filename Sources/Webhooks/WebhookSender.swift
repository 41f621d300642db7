import AsyncHTTPClient
import Domain
import Foundation
import NIOCore
import NIOHTTP1

/// Makes one try to tell a webhook: resolves its name, judges where that leads, and asks exactly that address.
///
/// Each try has a connection of its own, closed before the try ends, so that no more are open than tries run at once. No
/// redirect is followed, no proxy of the environment is used, and of an answer at most 64 KiB are read.
public struct WebhookSender: Sendable {
    /// What became of a try.
    public enum Outcome: Sendable, Equatable {
        case taken(status: Int)
        /// - status: what was answered, if anything was.
        /// - reason: one line without anything of the answer.
        case refused(status: Int?, reason: String)
    }

    static let longestAnswer = 64 * 1024
    /// How long a try waits for its connection to close: longer than TLS waits for the other end's word.
    private static let closing: Duration = .seconds(6)

    /// What a part of a try came to.
    private struct Step: Sendable {
        var outcome: Outcome?
        /// Finishes when the connection is gone; nil where none was asked for.
        var closed: AsyncStream<Never>?
    }

    private let allowsPrivate: Bool
    private let resolver: any NameResolver
    private let limit: Duration
    private let agent: String

    /// - Parameters:
    ///   - allowsPrivate: whether this machine and its nets may be asked.
    ///   - limit: of a whole try, from the look-up of the name to the end of the answer.
    public init(
        allowsPrivate: Bool, resolver: any NameResolver = SystemResolver(), limit: Duration = .seconds(10),
        agent: String = "Afterword"
    ) {
        self.allowsPrivate = allowsPrivate
        self.resolver = resolver
        self.limit = limit
        self.agent = agent
    }

    /// - Parameter tries: which one it is, from 1; of several addresses each try takes another.
    public func send(
        id: UUID, body: String, to url: String, secret: [UInt8], tries: Int
    ) async -> Outcome {
        let end = ContinuousClock.now + limit
        let step = await withTaskGroup(of: Step.self) { group in
            group.addTask { await ask(id: id, body: body, to: url, secret: secret, tries: tries, until: end) }
            group.addTask {
                do {
                    try await Task.sleep(until: end)
                    return Step(outcome: .refused(status: nil, reason: tooLong))
                } catch {
                    return Step()
                }
            }
            var first = await group.next() ?? Step()
            group.cancelAll()
            // The request ends at once when it is cancelled.
            if let last = await group.next() { first.closed = first.closed ?? last.closed }
            return first
        }
        if let closed = step.closed { await Self.wait(for: closed) }
        return step.outcome ?? .refused(status: nil, reason: "it was interrupted")
    }

    /// An interruption ends the wait, and the connection closes by itself.
    private static func wait(for closed: AsyncStream<Never>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in closed {} }
            group.addTask { try? await Task.sleep(for: closing) }
            await group.next()
            group.cancelAll()
        }
    }

    private var tooLong: String { "it took longer than \(limit.components.seconds) s" }

    private func ask(
        id: UUID, body: String, to text: String, secret: [UInt8], tries: Int, until end: ContinuousClock.Instant
    ) async -> Step {
        guard let url = try? WebhookURL(text), let name = URL(string: text)?.host() else {
            return Step(outcome: .refused(status: nil, reason: "the URL cannot be read"))
        }
        let addresses = await resolver.addresses(of: url.host)
        guard !addresses.isEmpty else {
            return Step(outcome: .refused(status: nil, reason: "the name leads to no address"))
        }
        guard allowsPrivate || addresses.allSatisfy(\.isPublic) else {
            return Step(outcome: .refused(status: nil, reason: "it leads to a private address"))
        }
        // What the look-up has left.
        let rest = max(ContinuousClock.now.duration(to: end), .milliseconds(1))
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .nanoseconds(rest.nanoseconds)))
        configuration.httpVersion = .http1Only
        // A try is one try: the queue makes the next.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The one that was judged and no other: a second look-up could lead elsewhere. A literal address is its own.
        if NetworkAddress(url.host) == nil {
            configuration.dnsOverride = [name: addresses[(max(tries, 1) - 1) % addresses.count].description]
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let outcome = await ask(client, request(id: id, body: body, to: text, secret: secret))
        let (closed, closing) = AsyncStream<Never>.makeStream()
        client.shutdown { _ in closing.finish() }
        return Step(outcome: outcome, closed: closed)
    }

    private func request(id: UUID, body: String, to url: String, secret: [UInt8]) -> HTTPClientRequest {
        let bytes = Array(body.utf8)
        let message = id.lowercased
        let now = Int(Date().timeIntervalSince1970)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = [
            "content-type": "application/json", "user-agent": agent, "webhook-id": message,
            "webhook-timestamp": "\(now)",
            "webhook-signature": WebhookSignature.make(id: message, timestamp: now, body: bytes, secret: secret),
            "connection": "close",
        ]
        request.body = .bytes(ByteBuffer(bytes: bytes))
        return request
    }

    private func ask(_ client: HTTPClient, _ request: HTTPClientRequest) async -> Outcome {
        do {
            let response = try await client.execute(request, deadline: .distantFuture)
            let status = Int(response.status.code)
            guard 200..<300 ~= status else {
                return .refused(status: status, reason: "it answered \(status)")
            }
            var read = 0
            for try await chunk in response.body {
                read += chunk.readableBytes
                if read >= Self.longestAnswer { break }
            }
            return .taken(status: status)
        } catch {
            return .refused(status: nil, reason: words(of: error))
        }
    }

    /// What the webhook's owner may read: what they can mend, and nothing of where the service stands.
    private func words(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where [.connectTimeout, .readTimeout, .deadlineExceeded].contains(error):
            tooLong
        case let error as HTTPClientError where error == .remoteConnectionClosed: "it closed the connection"
        case let error as HTTPClientError where error == .cancelled: "it was interrupted"
        case is HTTPParserError: "its answer is no HTTP"
        case is HTTPClientError: "the request could not be made"
        default: "no connection could be made or kept"
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
