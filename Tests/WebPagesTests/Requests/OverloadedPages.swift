import Foundation
import HummingbirdCore
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import HTTPAPI
@testable import Store
@testable import WebPages

/// Pages whose contents can't be read at the moment, and the metrics and limits of pages.
@Suite(.timeLimit(.minutes(3))) struct OverloadedPages {
    /// Runs `body` while reads over several rounds have no free permit.
    private func withAllRoundPermitsTaken(_ store: Store, _ body: () async throws -> Void) async throws {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // A store with 8 connections has two permits.
            for _ in 0..<2 {
                group.addTask {
                    try await store.roundReadings.run { _ in
                        starting.yield()
                        for await _ in ended {}
                    } showing: { _ in
                        [:]
                    } then: { _ in
                    }
                }
            }
            var waiting = started.makeAsyncIterator()
            for _ in 0..<2 { await waiting.next() }
            do {
                try await body()
                ending.finish()
            } catch {
                ending.finish()
                throw error
            }
            try await group.waitForAll()
        }
    }

    @Test func pagesWithoutAPermitForRoundsReportThatTheServiceIsBusy() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let first = try await site.openForm(by: host)
            let next = try await first.host.post("/v1/series/\(first.seriesID)/meetings", json: "{}")
            let second = try TestMeeting(created: next, host: first.host, anyone: site.client)
            try await second.perform("publish").expect(200)
            try await withAllRoundPermitsTaken(site.fixture.store) {
                for path in ["/meetings/\(second.id)/results", "/series/\(first.seriesID)"] {
                    let page = try await host.get(path)
                    #expect(page.status == 503 && page["Retry-After"] == "2", "\(path)")
                    #expect(page.text.contains("<h1") && !page.text.contains("Results of"), "\(path)")
                }
            }
            try await host.get("/meetings/\(second.id)/results").expect(200)
        }
    }

    @Test func resultsPageShowsItsNumbersWhileTextsAreBusy() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host, settings: #""identity": "open", "showResults": "always""#)
            try await meeting.submit(#"{"pace": 4, "better": "Longer breaks"}"#).expect(201)
            try await meeting.moderate("release").expect(204)
            let store = site.fixture.store
            let form = try await store.forms.require(meetingID: try #require(UUID(uuidString: meeting.id)))
            let path = "/f/\(meeting.code)/results"
            // Another address reads texts of this form.
            var lease: TextPermits.Lease? = try await DatabaseClient.address("192.0.2.1").run {
                try await store.texts.permits.acquire(for: .guest(formID: form.id))
            }
            let busy = try await site.client.get(path).expect(200).text
            #expect(busy.contains("Too many people are reading") && busy.contains("1 answer"))
            #expect(!busy.contains("Longer breaks"))
            #expect(try await site.client.get("\(meeting.formPath)/results/better/answers").status == 503)
            withExtendedLifetime(lease) {}
            lease = nil
            let later = try await site.client.get(path).expect(200).text
            #expect(later.contains("Longer breaks") && !later.contains("Too many people are reading"))
        }
    }

    @Test func metricsCountAPageOnceAndItsInnerRequestsNotAtAll() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            for _ in 0..<3 { try await host.get("/account").expect(200) }
            let metrics = try await site.client.get("/metrics").text
            func count(_ route: String) -> Int? {
                let line = metrics.split(separator: "\n").first {
                    $0.hasPrefix("http_requests_total") && $0.contains("route=\"\(route)\"")
                        && $0.contains("method=\"GET\"") && $0.contains("2xx")
                }
                return line?.split(separator: " ").last.flatMap { Int($0) }
            }
            #expect(count("/account") == 3)
            #expect(count("/v1/me") == 0 && count("/v1/sessions") == 0)
        }
    }

    @Test func responseThatIsTooLongForAPageIsNotCollected() async throws {
        let body = ResponseBody { writer in
            for _ in 0..<4 { try await writer.write(ByteBuffer(repeating: 0x61, count: 100)) }
            try await writer.finish(nil)
        }
        #expect(try await InnerAPI.collect(body, atMost: 400).readableBytes == 400)
        await #expect(throws: InnerAPI.ResponseTooLong.self) { try await InnerAPI.collect(body, atMost: 399) }
    }
}
