import Domain
import StrictJSON
import Testing

@Suite struct WebhookAddresses {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::7f00:1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe",
        "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
        "100::1", "2001::1", "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::", "3fff::1",
        "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "4000::1",
    ])
    func addressesThatAreNotPublicAreRefused(text: String) throws {
        #expect(try !#require(NetworkAddress(text)).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1", "2606:4700::1111",
        "2a00:1450::1", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::1",
    ])
    func publicAddressesAreAccepted(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic)
    }

    @Test func addressesAreNormalisedAndInvalidTextsAreNil() {
        #expect(NetworkAddress("192.0.2.1")?.description == "192.0.2.1")
        #expect(NetworkAddress("2001:DB8::1")?.description == "2001:db8::1")
        let invalid = [
            "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "fe80::1%eth0", "[::1]", "localhost", ":::", "1.2.3.4\0", "::1\0",
        ]
        for text in invalid {
            #expect(NetworkAddress(text) == nil, "\(text)")
        }
        #expect(NetworkAddress(loose: "127.1\0.example.org") == nil)
        #expect(NetworkAddress(bytes: [1, 2, 3]) == nil)
    }

    /// Notations of this machine and its networks that some resolvers accept.
    @Test(arguments: [
        "http://127.0.0.1/", "http://127.0.0.1./", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/",
        "http://0177.0.0.1/", "http://017700000001/", "http://127.1/", "http://0/", "http://[::1]/",
        "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[0:0:0:0:0:ffff:7f00:1]:8080/x",
        "http://localhost/", "http://LOCALHOST:80", "https://localhost./", "http://a.localhost/?q",
        "http://169.254.169.254/latest/meta-data", "https://10.1.2.3:8443/x", "http://[fe80::1]/", "http://[fd00::1]/",
    ])
    func everyNotationOfALocalAddressIsPrivate(text: String) throws {
        #expect(try WebhookURL(text).isPrivate)
        #expect(throws: Problem.self) {
            try WebhookDraft.read(Self.body(text), known: ["a"], targets: WebhookTargets())
        }
        #expect(
            try WebhookDraft.read(Self.body(text), known: ["a"], targets: WebhookTargets(allowsPrivate: true)).url.text
                == text)
    }

    @Test(arguments: [
        ("https://example.org", "example.org"), ("http://Example.ORG:8080/a/b?c=d&e=%20", "Example.ORG"),
        ("HTTPS://a-b.c_d.example./x", "a-b.c_d.example."), ("https://[2606:4700::1111]:443/", "2606:4700::1111"),
        ("https://1.1.1.1?x", "1.1.1.1"), ("http://local/", "local"),
    ])
    func hostOfAURLIsParsed(text: String, host: String) throws {
        let url = try WebhookURL(text)
        #expect(url.host == host && url.text == text && !url.isPrivate)
    }

    @Test(arguments: [
        ("ftp://example.org", WebhookURL.Invalid.scheme), ("file:///etc/passwd", .scheme),
        ("javascript:alert(1)", .malformed), ("", .malformed), ("example.org", .malformed), ("http://", .malformed),
        ("http:///x", .malformed), ("http://:80/", .malformed), ("http://user@example.org", .userInfo),
        ("http://user:pass@example.org/", .userInfo), ("http://example.org@127.0.0.1/", .userInfo),
        ("http://example.org#x", .fragment), ("http://example.org/#", .fragment),
        ("http://example.org:0/", .malformed), ("http://example.org:65536/", .malformed),
        ("http://example.org:+80/", .malformed), ("http://example.org:/", .malformed),
        ("http://exa mple.org/", .malformed), ("http://exämple.org/", .malformed),
        ("http://example.org/\u{0}", .malformed), ("http://example.org\r\nHost: x/", .malformed),
        ("http://example.org\\@127.0.0.1/", .malformed), ("http://%6c%6fcalhost/", .malformed),
        ("http://a..b/", .malformed), ("http://.example.org/", .malformed), ("http://[::1", .malformed),
        ("http://[::1]x/", .malformed), ("http://[fe80::1%25eth0]/", .malformed), ("http://[127.0.0.1]/", .malformed),
        ("http://[v1.a]/", .malformed), ("http://１２７.0.0.1/", .malformed),
    ])
    func invalidURLsAreRefused(text: String, refusal: WebhookURL.Invalid) {
        #expect(throws: refusal) { try WebhookURL(text) }
    }

    @Test(arguments: [
        ("https://hooks.example.org/x", true), ("https://HOOKS.example.org.:8443/", true),
        ("https://a.example.com/", true), ("https://b.a.example.com/", true), ("https://192.0.2.7/", true),
        ("https://example.org/", false), ("https://a.hooks.example.org/", false), ("https://example.com/", false),
        ("https://notexample.com/", false), ("https://hooks.example.org.evil.example/", false),
        ("https://0300.0.2.7/", false),
    ])
    func listedHostsAreComparedAsAWhole(url: String, isListed: Bool) throws {
        let targets = WebhookTargets(hosts: ["hooks.example.org", "*.example.com", "192.0.2.7"])
        #expect(try targets.admitsHost(of: WebhookURL(url)) == isListed)
        #expect(try WebhookTargets().admitsHost(of: WebhookURL(url)))
    }

    @Test func lengthOfAURLIsLimited() throws {
        let longest = "http://example.org/" + String(repeating: "x", count: 2_000 - 19)
        #expect(try WebhookURL(longest).text == longest)
        #expect(throws: WebhookURL.Invalid.tooLong) { try WebhookURL(longest + "x") }
        let label = String(repeating: "a", count: 64)
        #expect(throws: WebhookURL.Invalid.malformed) { try WebhookURL("http://\(label).org/") }
    }

    @Test func allFaultsAreReportedTogether() throws {
        func faults(_ text: String) throws -> [String] {
            do {
                _ = try WebhookDraft.read(
                    JSONValue.parse(Array(text.utf8)), known: ["a", "b"], targets: WebhookTargets())
                return []
            } catch let problem as Problem {
                return problem.faults.map { "\($0.pointer) \($0.code)" }
            }
        }
        #expect(try faults("{}") == ["/url required", "/events required"])
        #expect(try faults(#"{"url": "x", "events": []}"#) == ["/url invalid-url", "/events required"])
        #expect(
            try faults(#"{"url": "http://localhost", "events": ["a", "c", "a"]}"#)
                == ["/url private-address", "/events/1 unknown-value", "/events/2 duplicate"])
        #expect(try faults(#"{"url": "http://example.org", "events": ["a"]}"#) == ["/url unencrypted"])
        #expect(try faults(#"{"url": "HTTPS://example.org", "events": ["a"]}"#) == [])
        #expect(
            try faults(#"{"url": 1, "events": ["a", 2], "secret": "x"}"#)
                == ["/url wrong-type", "/events/1 wrong-type", "/secret unknown-field"])
        let draft = try WebhookDraft.read(
            JSONValue.parse(Array(#"{"url": "https://a.b", "events": ["b", "a"]}"#.utf8)), known: ["a", "b"],
            targets: WebhookTargets())
        #expect(draft.events == ["a", "b"])
    }

    private static func body(_ url: String) throws -> JSONValue {
        .object([.init("url", .string(url)), .init("events", .array([.string("a")]))])
    }
}

@Suite struct WebhookRetries {
    @Test func pausesGrowToFourHours() {
        let pauses = (1...10).map { WebhookSchedule.pause(after: $0, chance: 0) }
        #expect(pauses == [10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 14_400, 14_400])
        #expect(WebhookSchedule.pause(after: 0, chance: 0) == 10)
        #expect(WebhookSchedule.pause(after: .max, chance: 0) == 14_400)
    }

    @Test func jitterAddsUpToAFifth() {
        for tries in 1...12 {
            let (least, most) = (
                WebhookSchedule.pause(after: tries, chance: 0), WebhookSchedule.pause(after: tries, chance: 1)
            )
            #expect(most == least * 1.2)
            for chance in [-1, 0.25, 0.5, 2] {
                #expect(least...most ~= WebhookSchedule.pause(after: tries, chance: chance))
            }
        }
    }

    @Test func deliveryIsTriedAboutTwelveTimes() {
        var (passed, tries) = (0.0, 1)
        while passed < WebhookSchedule.givenUpAfter {
            passed += WebhookSchedule.pause(after: tries, chance: 0.5)
            tries += 1
        }
        #expect(11...14 ~= tries)
    }
}
