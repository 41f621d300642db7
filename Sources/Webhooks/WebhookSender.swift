import Domain
import Foundation
import HTTPFetch

/// Sends one delivery to a webhook: resolves its name, checks that the addresses are public, and connects to a checked
/// address only.
///
/// Each attempt uses a new connection and closes it afterwards. Redirects are not followed, proxies in the environment
/// are ignored, and reading stops after 64 KiB of a response.
public struct WebhookSender: Sendable {
    /// The outcome of an attempt.
    public enum Outcome: Sendable, Equatable {
        case accepted(status: Int)
        /// - Parameters:
        ///   - status: The status of the response, if there was one.
        ///   - reason: One line without any content of the response.
        case refused(status: Int?, reason: String)
    }

    static let maxResponseBytes = 64 * 1024

    private let targets: WebhookTargets
    private let resolver: any NameResolver
    private let timeout: Duration
    private let fetcher = HTTPFetcher(maxConnectionsPerHost: 64)

    /// - Parameters:
    ///   - targets: The receivers that may be contacted.
    ///   - timeout: The time for a whole attempt, from the lookup of the name to the end of the response.
    public init(
        to targets: WebhookTargets, resolver: any NameResolver = SystemResolver(), timeout: Duration = .seconds(10)
    ) {
        self.targets = targets
        self.resolver = resolver
        self.timeout = timeout
    }

    /// - Parameter tries: The number of this attempt, from 1. If there are several addresses, each attempt uses the
    ///   next one.
    public func send(
        id: UUID, body: String, to urlText: String, secret: [UInt8], tries: Int
    ) async -> Outcome {
        let end = ContinuousClock.now + timeout
        guard let url = try? WebhookURL(urlText) else {
            return .refused(status: nil, reason: "the URL cannot be read")
        }
        guard targets.admitsHost(of: url) else {
            return .refused(status: nil, reason: "the operator has not allowed the host")
        }
        guard let addresses = await addresses(of: url.host, until: end) else {
            return .refused(status: nil, reason: Task.isCancelled ? "it was interrupted" : tooLong)
        }
        guard !addresses.isEmpty else {
            return .refused(status: nil, reason: "the host name has no address")
        }
        guard targets.allowsPrivate || addresses.allSatisfy(\.isPublic) else {
            return .refused(status: nil, reason: "the host has a private address")
        }
        guard targets.allowsPrivate || url.isEncrypted else {
            return .refused(status: nil, reason: "the URL is not https")
        }
        var request = request(id: id, body: body, to: urlText, secret: secret)
        // Connects to the checked address only. A second lookup could return a different one.
        request.address = addresses[(max(tries, 1) - 1) % addresses.count].description
        request.totalTimeout = max(ContinuousClock.now.duration(to: end), .milliseconds(1))
        request.connectTimeout = timeout
        return await send(request)
    }

    /// Returns nil if the time is up or the task is cancelled.
    private func addresses(of host: String, until end: ContinuousClock.Instant) async -> [NetworkAddress]? {
        await withTaskGroup(of: [NetworkAddress]?.self) { group in
            group.addTask {
                let addresses = await resolver.addresses(of: host)
                return Task.isCancelled ? nil : addresses
            }
            group.addTask {
                try? await Task.sleep(until: end)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func request(id: UUID, body: String, to url: String, secret: [UInt8]) -> FetchRequest {
        let bytes = Array(body.utf8)
        let messageID = id.lowercased
        let now = Int(Date().timeIntervalSince1970)
        var request = FetchRequest(method: "POST", url: url, body: bytes)
        request.headers = [
            ("content-type", "application/json"), ("user-agent", "Afterword"), ("webhook-id", messageID),
            ("webhook-timestamp", "\(now)"),
            ("webhook-signature", WebhookSignature.make(id: messageID, timestamp: now, body: bytes, secret: secret)),
            ("connection", "close"),
        ]
        request.closesConnection = true
        return request
    }

    private func send(_ request: FetchRequest) async -> Outcome {
        do {
            let response = try await fetcher.fetch(request)
            guard 200..<300 ~= response.status else {
                return .refused(status: response.status, reason: "it responded with \(response.status)")
            }
            var byteCount = 0
            for try await chunk in response.body {
                byteCount += chunk.count
                if byteCount >= Self.maxResponseBytes { break }
            }
            return .accepted(status: response.status)
        } catch let error as FetchError {
            return .refused(status: nil, reason: reason(error))
        } catch {
            return .refused(status: nil, reason: "it was interrupted")
        }
    }

    private var tooLong: String { "it took longer than \(timeout.components.seconds) s" }

    /// The reason shown to the webhook's owner. It helps them fix the receiver and reveals nothing about the service's
    /// network.
    private func reason(_ error: FetchError) -> String {
        switch error.kind {
        case .timeout: tooLong
        case .closed: "it closed the connection"
        case .invalidResponse: "its response is not HTTP"
        case .invalidRequest: "the request could not be made"
        case .unreachable: "no connection could be established or maintained"
        }
    }
}
