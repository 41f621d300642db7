import Testing

@testable import WebPages

/// Metrics on the health page, and the days of a period.
@Suite struct MetricReadings {
    private static let metrics = MetricReading(
        """
        # TYPE http_requests_total counter
        http_requests_total{route="GET /v1/me",status="200"} 1500
        http_requests_total{route="GET /v1/\\"x",status="503"} 2
        http_requests_total_more 7
        live_viewers 3.0
        broken
        broken x

        """)

    @Test func areSummedByNameAndLabels() {
        #expect(Self.metrics.sum("http_requests_total") == 1502)
        #expect(Self.metrics.sum("http_requests_total") { $0["status"]?.hasPrefix("5") == true } == 2)
        #expect(Self.metrics.sum("live_viewers") == 3 && Self.metrics.sum("none") == 0)
        #expect(Self.metrics.whole(1502) == "1,502")
    }

    @Test func lastDayOfAPeriodIsIncluded() {
        #expect(AdminExportPages.dayAfter("2026-12-31") == "2027-01-01")
        #expect(AdminExportPages.dayAfter("2024-02-28") == "2024-02-29")
        #expect(AdminExportPages.dayAfter("someday") == nil)
    }
}
