import Domain
import HTTPServer
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import HTTPAPI

@Suite struct RateLimiting {
    /// A clock that a test advances.
    private final class Clock: Sendable {
        private let offset = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        func advance(_ duration: Duration) { offset.withLock { $0 += duration } }
        var now: ContinuousClock.Instant { offset.withLock { start + $0 } }
    }

    @Test func eventsOlderThanTheWindowAreForgotten() throws {
        let clock = Clock()
        let limit = SlidingLimit<String>(2, per: .seconds(60), now: { clock.now })
        try limit.take("a")
        clock.advance(.seconds(30))
        try limit.take("a")
        #expect(limit.wait(for: "a") == 31)
        #expect(throws: Problem(.tooManyRequests, retryAfter: 31)) { try limit.take("a") }
        #expect(limit.wait(for: "b") == nil)
        clock.advance(.seconds(30))
        try limit.take("a")
        #expect(limit.wait(for: "a") == 31)
        limit.useUp("b", for: 20)
        #expect(limit.wait(for: "b") == 21)
        clock.advance(.seconds(20))
        #expect(limit.wait(for: "b") == nil)
    }

    @Test func leastRecentlyUsedKeysAreEvicted() throws {
        let clock = Clock()
        let limit = SlidingLimit<Int>(1, per: .seconds(60), capacity: 100, now: { clock.now })
        for key in 0...100 {
            clock.advance(.milliseconds(1))
            try limit.take(key)
        }
        #expect(limit.wait(for: 0) == nil)
        #expect(limit.wait(for: 100) != nil)
        #expect((0...100).count { limit.wait(for: $0) != nil } <= 100)
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"), ("2001:db8::1", "2001:db8:0:0::/64"), ("::1", "0:0:0:0::/64"),
        ("fe80::1%eth0", "fe80:0:0:0::/64"), ("2001:0DB8::1", "2001:db8:0:0::/64"), ("::ffff:192.0.2.7", "192.0.2.7"),
    ])
    func addressCountsAsItsNetwork(address: String, network: String) {
        #expect(ClientAddress(address)?.text == network)
    }

    @Test(arguments: [
        ("192.0.2.7:4711", "192.0.2.7"), ("[2001:db8:1:2::9]", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64"), ("::ffff:c0a8:101", "192.168.1.1"),
        ("[::ffff:192.0.2.7]:1", "192.0.2.7"), ("a::b:c:d:e:f", "a:0:0:b::/64"), ("::1:2:3:4:5:6:7", "0:1:2:3::/64"),
        ("fe80::1%eth0", "fe80:0:0:0::/64"), ("64:ff9b::c000:207", "64:ff9b:0:0::/64"),
    ])
    func portsAndOtherNotationsDoNotChangeTheAddress(address: String, network: String) {
        #expect(ClientAddress(address)?.text == network)
    }

    @Test(arguments: [
        "", "unknown", "_hidden", "192.0.2", "192.0.2.7:", "192.0.2.7:99999", "192.0.2.7:+1", "192.0.2.7:1:2",
        "192.0.2.256", "[192.0.2.7]", "[2001:db8::1", "[2001:db8::1]4711", "2001:db8::1::2", "1:2:3:4:5:6:7:8:9",
        "evil\u{0}", "192.0.2.7\u{0}", "2001:db8::1\u{0}:1", "::ffff:192.0.2.7:4711", "\u{ff11}92.0.2.7",
    ])
    func invalidForwardedAddressesCountAsThePeer(claim: String) {
        #expect(ClientAddress(claim) == nil)
        #expect(ClientAddress(peer: "10.0.0.1", forwarded: claim, trustedProxies: 1).text == "10.0.0.1")
    }

    @Test func onlyTrustedProxiesMayForwardAddresses() {
        func address(_ forwarded: String?, _ proxies: Int) -> String {
            ClientAddress(peer: "10.0.0.1", forwarded: forwarded, trustedProxies: proxies).text
        }
        #expect(address("198.51.100.1", 0) == "10.0.0.1")
        #expect(address(nil, 1) == "10.0.0.1")
        #expect(address("6.6.6.6, 198.51.100.1", 1) == "198.51.100.1")
        #expect(address("6.6.6.6, 198.51.100.1, 10.0.0.2", 2) == "198.51.100.1")
        #expect(address("198.51.100.1", 2) == "198.51.100.1")
        #expect(address("6.6.6.6, 198.51.100.1:4711", 1) == "198.51.100.1")
        #expect(ClientAddress(peer: nil, forwarded: nil, trustedProxies: 0).text == "unknown")
        #expect(address(" , ", 1) == "10.0.0.1")
    }

    @Test func guessesAreLimitedWithoutRevealingValidCodes() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let form = try await meeting.form()
            let joinCode = try form.string("joinCode")
            #expect(try await service.anyone.get("/v1/forms/\(joinCode)").status == 200)
            var statuses: [Int: Int] = [:]
            for number in 0..<1000 {
                let guess = String(repeating: "0", count: 10) + String(1000 + number).suffix(3)
                statuses[try await service.anyone.get("/v1/forms/\(guess)").status, default: 0] += 1
            }
            #expect(statuses == [404: 100, 429: 900])
            let refused = try await service.anyone.get("/v1/forms/00000000")
            let right = try await service.anyone.get("/v1/forms/\(joinCode)")
            #expect(refused.status == 429 && right.status == 429 && right["Retry-After"] != nil)
            #expect(right.json?["detail"] == refused.json?["detail"])
            // Requests with the full code of the form are not limited.
            #expect(try await service.anyone.get(meeting.formPath).status == 200)
            #expect(try await meeting.submit(#"{"pace": 3}"#).status == 201)
        }
    }
}
