import Foundation
import Postgres
import Store
import TestSupport
import Testing

@testable import WebPages

/// Hosts manage their webhooks on a page, with the API's safeguards.
@Suite(.timeLimit(.minutes(5))) struct WebhookManagement {
    private static let path = "/account/webhooks"

    private static func add(_ url: String, _ host: inout PageBrowser) async throws -> HTTPTestClient.Response {
        try await host.get(path).expect(200)
        return try await host.post(path, ["url": url, "event": "form.opened", "key": SubmitToken.make()])
    }

    /// The path of the newest webhook's page.
    private static func newest(_ host: inout PageBrowser) async throws -> String {
        let list = try await host.get(path).expect(200).text
        let match = try #require(list.firstMatch(of: /\/account\/webhooks\/[0-9a-f-]{36}/))
        return String(match.0)
    }

    @Test func secretIsShownOnceAfterTheWebhookIsAdded() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            #expect(try await host.get("/account").expect(200).text.contains(Self.path))
            let made = try await Self.add("https://hooks.example.org/a?b=%3Cc%3E&d", &host).expect(200)
            #expect(made.count("value=\"whsec_") == 1)
            let list = try await host.get(Self.path).expect(200)
            #expect(!list.text.contains("whsec_"))
            #expect(list.text.contains("https://hooks.example.org/a?b=%3Cc%3E&amp;d"))
            let one = try await host.get(Self.newest(&host)).expect(200)
            #expect(one.text.contains("A form opens") && one.text.contains("nothing was delivered yet"))
            #expect(!one.text.contains("whsec_"))
        }
    }

    @Test(arguments: [
        ("https://127.0.0.1/hook", "private address"), ("https://[::1]/", "private address"),
        ("http://hooks.example.org/", "must begin with https://"),
        ("ftp://hooks.example.org/", "not an address such as"),
        ("https://user:word@hooks.example.org/", "not an address such as"), ("", "not an address such as"),
        ("https://hooks.example.org/" + String(repeating: "a", count: 2_000), "at most 2,000 characters"),
    ])
    func refusedAddressIsExplainedAndKept(_ url: String, _ reason: String) async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let refused = try await Self.add(url, &host)
            #expect(refused.status == 422 && refused.text.contains(reason), "\(refused.text)")
            #expect(refused.text.contains("value=\"\(url)\"") && refused.text.contains("value=\"form.opened\" checked"))
            #expect(try await host.get(Self.path).text.contains("None yet."))
        }
    }

    @Test func missingEventsAndTooManyWebhooksAreExplained() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await host.get(Self.path).expect(200)
            let none = try await host.post(Self.path, ["url": "https://hooks.example.org/"])
            #expect(none.status == 422 && none.text.contains("Choose at least one event."))
            for index in 0..<20 { try await Self.add("https://hooks.example.org/\(index)", &host).expect(200) }
            let tooMany = try await Self.add("https://hooks.example.org/20", &host)
            #expect(tooMany.status == 422 && tooMany.text.contains("at most 20 webhooks"))
        }
    }

    @Test func outcomeOfATestDeliveryIsShown() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await Self.add("https://hooks.example.org/", &host).expect(200)
            let path = try await Self.newest(&host)
            let outcomes: [(Statement, String)] = [
                ("delivered_at = now(), last_status = 204", "answered with HTTP 204"),
                ("next_try_at = now() + interval '1 hour', last_error = 'no <such> host'", "The first attempt failed"),
            ]
            for (outcome, notice) in outcomes {
                try await host.get(path).expect(200)
                async let receiver: Void = eventually("a waiting delivery") {
                    let changed = try await site.fixture.store.pool.execute(
                        """
                        UPDATE webhook_delivery SET tries = 1, last_try_at = now(), \(fragment: outcome)
                        WHERE tries = 0 AND delivered_at IS NULL
                        """)
                    return changed == 1
                }
                let sent = try await host.post(path, ["act": "test"]).expect(303)
                try await receiver
                #expect(sent["Location"] == path)
                #expect(try await host.get(path).expect(200).text.contains(notice))
            }
            let log = try await host.get(path).expect(200).text
            #expect(log.contains("Delivered · HTTP 204 · 1 attempt") && log.contains("no &lt;such&gt; host"))
            // The failed test still waits for its next attempt.
            let another = try await host.post(path, ["act": "test"])
            #expect(another.status == 429 && another.text.contains("still waiting"))
        }
    }

    @Test func deliveryWithoutAnOutcomeIsOnItsWayAndCanBeSentAgain() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await Self.add("https://hooks.example.org/", &host).expect(200)
            let path = try await Self.newest(&host)
            try await host.post(path, ["act": "test"]).expect(303)
            let page = try await host.get(path).expect(200).text
            #expect(page.contains("on its way") && page.contains("Waiting · 0 attempts"))
            let delivery = try #require(page.firstMatch(of: /again:[0-9a-f-]{36}/))
            try await host.post(path, ["act": String(delivery.0)]).expect(303)
        }
    }

    @Test func deletionNeedsATick() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await Self.add("https://hooks.example.org/", &host).expect(200)
            let path = try await Self.newest(&host)
            let refused = try await host.post(path, ["act": "delete"])
            #expect(refused.status == 422 && refused.text.contains("Please tick this first."))
            #expect(try await host.post(path, ["act": "delete", "sure": "on"]).expect(303)["Location"] == Self.path)
            #expect(try await host.get(Self.path).text.contains("The webhook is deleted."))
            try await host.get(path).expect(404)
        }
    }

    @Test func webhooksOfOthersAreNotFound() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            try await Self.add("https://hooks.example.org/", &host).expect(200)
            let path = try await Self.newest(&host)
            var admin = try await site.signedIn("admin@example.org")
            try await admin.get(path).expect(404)
            try await admin.get(Self.path).expect(200)
            for action in ["test", "delete"] {
                try await admin.post(path, ["act": action, "sure": "on"]).expect(404)
            }
            // A page from elsewhere changes nothing.
            try await host.post(path, ["act": "delete", "sure": "on", "csrf": "forged"]).expect(403)
            try await host.get(path).expect(200)
            var visitor = PageBrowser(site.client)
            #expect(try await visitor.get(Self.path)["Location"]?.hasPrefix("/sign-in") == true)
        }
    }
}
