import Cryptography
import Domain
import Foundation
import Synchronization
import Testing

@testable import Webhooks

@Suite(.timeLimit(.minutes(15))) struct WebhookSending {
    private static let secret = [UInt8](1...32)

    /// A resolver that returns given addresses and records the queried hosts.
    private final class RecordingResolver: NameResolver {
        private let addressesByHost: [String: [String]]
        private let queries = Mutex<[String]>([])

        init(_ addressesByHost: [String: [String]]) { self.addressesByHost = addressesByHost }

        var queriedHosts: [String] { queries.withLock { $0 } }

        func addresses(of host: String) async -> [NetworkAddress] {
            queries.withLock { $0.append(host) }
            return (addressesByHost[host] ?? []).compactMap { NetworkAddress($0) }
        }
    }

    private static func send(
        to url: String, _ body: String = #"{"type": "trial"}"#, id: UUID = UUID(), allowsPrivate: Bool = true,
        hosts: [String]? = nil, resolver: any NameResolver = SystemResolver(), timeout: Duration = .seconds(10),
        tries: Int = 1
    ) async -> WebhookSender.Outcome {
        let targets = WebhookTargets(allowsPrivate: allowsPrivate, hosts: hosts)
        return await WebhookSender(to: targets, resolver: resolver, timeout: timeout)
            .send(id: id, body: body, to: url, secret: secret, tries: tries)
    }

    /// HMAC-SHA256 by its definition in RFC 2104, with a hash function only.
    private static func hmac(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 } + message)
        return SHA256.hash(block.map { $0 ^ 0x5c } + inner)
    }

    @Test func tryIsSignedAsInStandardWebhooks() async throws {
        try await TestReceiver.run { receiver in
            let (id, body) = (UUID(), #"{"type": "trial", "title": "Übung"}"#)
            let begun = Int(Date().timeIntervalSince1970)
            #expect(await Self.send(to: receiver.url("/a?b=c"), body, id: id) == .accepted(status: 204))
            let request = try #require(receiver.requests.first)
            #expect(receiver.requests.count == 1)
            #expect(request.line == "POST /a?b=c HTTP/1.1" && request.body == body)
            #expect(request.headers["host"] == "127.0.0.1:\(receiver.port)")
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["user-agent"]?.hasPrefix("Afterword") == true)
            #expect(request.id == id.uuidString.lowercased())
            let timestamp = try #require(request.headers["webhook-timestamp"].flatMap { Int($0) })
            #expect(begun...(begun + 60) ~= timestamp)
            let signed = Array("\(id.uuidString.lowercased()).\(timestamp).\(body)".utf8)
            let expected = "v1," + Data(Self.hmac(signed, Self.secret)).base64EncodedString()
            #expect(request.headers["webhook-signature"] == expected)
        }
    }

    @Test(arguments: [200, 201, 204, 299])
    func status2xxIsASuccess(status: Int) async throws {
        try await TestReceiver.run { _, _ in
            .status(status)
        } _: { receiver in
            #expect(await Self.send(to: receiver.url()) == .accepted(status: status))
        }
    }

    @Test(arguments: [300, 304, 400, 401, 410, 429, 500, 503])
    func otherStatusesAreFailures(status: Int) async throws {
        try await TestReceiver.run { _, _ in
            .status(status)
        } _: { receiver in
            #expect(
                await Self.send(to: receiver.url()) == .refused(status: status, reason: "it responded with \(status)"))
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectIsNotFollowed(status: Int) async throws {
        try await TestReceiver.run { target in
            let location = "location: \(target.url("/inside"))\r\n"
            try await TestReceiver.run { _, _ in
                .status(status, headers: location)
            } _: { receiver in
                #expect(
                    await Self.send(to: receiver.url())
                        == .refused(status: status, reason: "it responded with \(status)"))
            }
            #expect(target.connections == 0)
        }
    }

    @Test func silentReceiverTimesOut() async throws {
        for response in [TestReceiver.Response.silence, .drip] {
            try await TestReceiver.run { _, _ in
                response
            } _: { receiver in
                let begun = ContinuousClock.now
                let outcome = await Self.send(to: receiver.url(), timeout: .seconds(1))
                #expect(outcome == .refused(status: nil, reason: "it took longer than 1 s"))
                #expect(.now - begun < .seconds(8))
            }
        }
    }

    @Test func endlessResponseIsReadPartially() async throws {
        try await TestReceiver.run { _, _ in
            .endless
        } _: { receiver in
            #expect(await Self.send(to: receiver.url()) == .accepted(status: 200))
            // The buffers of both ends may have been filled.
            #expect(receiver.sentBytes < 64 << 20)
        }
    }

    @Test func malformedResponseIsAFailure() async throws {
        try await TestReceiver.run { number, _ in
            number == 1 ? .reset : .nonsense
        } _: { receiver in
            for _ in 0..<2 {
                guard case .refused(nil, let reason) = await Self.send(to: receiver.url()) else {
                    Issue.record("the delivery was accepted")
                    return
                }
                #expect(!reason.isEmpty && !reason.contains("\n") && !reason.contains("NONSENSE"))
            }
            #expect(receiver.requests.count == 2)
        }
    }

    @Test func closedPortIsAFailureThatRevealsNothing() async throws {
        let port = try await TestReceiver.run { $0.port }
        let outcome = await Self.send(to: "http://127.0.0.1:\(port)/")
        #expect(outcome == .refused(status: nil, reason: "no connection could be established or maintained"))
    }

    @Test func plainReceiverCannotBeCalledOverTLS() async throws {
        try await TestReceiver.run { receiver in
            guard case .refused(nil, _) = await Self.send(to: "https://127.0.0.1:\(receiver.port)/") else {
                Issue.record("the delivery was accepted")
                return
            }
            #expect(receiver.requests.isEmpty)
        }
    }

    /// Uses the system's resolver, which may accept more notations of an address than this list has.
    @Test(arguments: [
        "127.0.0.1", "localhost", "localhost.", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "[::ffff:127.0.0.1]",
        "[::1]", "0", "127.0.0.1.",
    ])
    func loopbackIsRefusedInEveryNotation(host: String) async throws {
        try await TestReceiver.run { receiver in
            let outcome = await Self.send(to: receiver.url(host: host), allowsPrivate: false)
            // A notation that this system does not accept is refused as well.
            let reasons = ["the host has a private address", "the host name has no address"]
            #expect(reasons.map { .refused(status: nil, reason: $0) }.contains(outcome))
            #expect(receiver.connections == 0)
        }
    }

    @Test(arguments: [
        ["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1"], ["::1"], ["fd00::1"], ["::ffff:127.0.0.1"],
        ["1.1.1.1", "127.0.0.1"], ["2606:4700::1111", "192.168.0.1"],
    ])
    func nameOfAPrivateAddressIsRefused(addresses: [String]) async throws {
        try await TestReceiver.run { receiver in
            let names = RecordingResolver(["rebinding.example": addresses])
            let outcome = await Self.send(
                to: receiver.url(host: "rebinding.example"), allowsPrivate: false, resolver: names)
            #expect(outcome == .refused(status: nil, reason: "the host has a private address"))
            #expect(names.queriedHosts == ["rebinding.example"] && receiver.connections == 0)
        }
    }

    /// The webhook was created before http was refused, or before private networks were refused.
    @Test func unencryptedURLIsRefusedUnlessPrivateNetworksAreAllowed() async throws {
        let names = RecordingResolver(["example.org": ["1.1.1.1"]])
        let outcome = await Self.send(to: "http://example.org/", allowsPrivate: false, resolver: names)
        #expect(outcome == .refused(status: nil, reason: "the URL is not https"))
    }

    /// The webhook was created before the operator made the list.
    @Test func hostThatIsNotListedIsNotEvenLookedUp() async throws {
        try await TestReceiver.run { receiver in
            let names = RecordingResolver(["a.hooks.example": ["127.0.0.1"], "b.example": ["127.0.0.1"]])
            let refused = await Self.send(
                to: receiver.url(host: "b.example"), hosts: ["*.hooks.example"], resolver: names)
            #expect(refused == .refused(status: nil, reason: "the operator has not allowed the host"))
            #expect(names.queriedHosts == [] && receiver.connections == 0)
            let accepted = await Self.send(
                to: receiver.url(host: "a.hooks.example"), hosts: ["*.hooks.example"], resolver: names)
            #expect(accepted == .accepted(status: 204))
        }
    }

    @Test func certificateOfTheReceiverIsVerified() async throws {
        let receiver = try UntrustedReceiver()
        let names = RecordingResolver(["localhost": ["127.0.0.1"]])
        guard case .refused(nil, _) = await Self.send(to: "https://localhost:\(receiver.port)/", resolver: names)
        else {
            Issue.record("the delivery was accepted")
            return
        }
        #expect(try receiver.readLine() == "refused TLSV1_ALERT_UNKNOWN_CA")
    }

    /// The client could not resolve this name itself.
    @Test func onlyTheCheckedAddressIsCalled() async throws {
        try await TestReceiver.run { receiver in
            let names = RecordingResolver(["Receiver.invalid": ["127.0.0.1"]])
            let url = receiver.url(host: "Receiver.invalid")
            #expect(await Self.send(to: url, resolver: names) == .accepted(status: 204))
            #expect(names.queriedHosts == ["Receiver.invalid"])
            #expect(receiver.requests.map { $0.headers["host"] } == ["Receiver.invalid:\(receiver.port)"])
            #expect(
                await Self.send(to: url, resolver: RecordingResolver([:]))
                    == .refused(status: nil, reason: "the host name has no address"))
        }
    }

    @Test func eachTryUsesAnotherAddress() async throws {
        try await TestReceiver.run { receiver in
            let names = RecordingResolver(["two.invalid": ["127.0.0.1", "127.0.0.2"]])
            let url = receiver.url(host: "two.invalid")
            #expect(await Self.send(to: url, resolver: names, tries: 1) == .accepted(status: 204))
            // Nothing listens on the second address.
            guard case .refused = await Self.send(to: url, resolver: names, tries: 2) else {
                Issue.record("the delivery was accepted")
                return
            }
            #expect(await Self.send(to: url, resolver: names, tries: 3) == .accepted(status: 204))
        }
    }

    @Test func systemResolverReturnsNumericAddressesUnchanged() async {
        let resolver = SystemResolver()
        #expect(await resolver.addresses(of: "127.0.0.1") == [NetworkAddress("127.0.0.1")])
        #expect(await resolver.addresses(of: "::1") == [NetworkAddress("::1")])
        #expect(await resolver.addresses(of: "nowhere.invalid.") == [])
    }
}
