import Contract
import Foundation
import HTTPServer
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@testable import HTTPAPI

/// The event streams of two instances on one database.
@Suite(.timeLimit(.minutes(15))) struct LiveAcrossInstances {
    /// The periodic comparison is switched off, so updates come only from notifications and after a reconnection.
    private static let notificationsOnly = LiveHub.Pace(listRefresh: .seconds(600), tick: .seconds(600))

    private static func run(
        _ pace: LiveHub.Pace = LiveHub.Pace(),
        _ body: (TestService, TestMeeting, LiveTestViewer, HTTPTestClient) async throws -> Void
    ) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let store = try await service.fixture.secondStore()
            let api = try AfterwordAPI.api(store: store, metrics: PrometheusRegistry(), pace: pace)
            try await LiveServer.run(api) { anyone, _ in
                let otherHost = HTTPTestClient(port: anyone.port, authorization: service.host.authorization)
                let viewer = meeting.watch(otherHost)
                #expect(try await viewer.wait { $0.submissions == 0 })
                try await body(service, meeting, viewer, otherHost)
                #expect(try await meeting.results().text == viewer.last?.data)
                await viewer.leave()
            }
            await store.close()
        }
    }

    @Test func submissionsReachViewersOfOtherInstances() async throws {
        try await Self.run(Self.notificationsOnly) { _, meeting, viewer, otherHost in
            let list = LiveTestViewer(otherHost, "/v1/live")
            #expect(try await list.wait { $0.counters["A meeting"]?.submissions == 0 })
            for number in 1...5 {
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                #expect(try await viewer.wait { $0.submissions == number })
                #expect(try await list.wait { $0.counters["A meeting"]?.submissions == number })
            }
            await list.leave()
        }
    }

    @Test func terminatedListenerReconnects() async throws {
        try await Self.run(Self.notificationsOnly) { service, meeting, viewer, _ in
            // The service's own role may not terminate other sessions.
            let maintenance = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            for number in 1...3 {
                let deadline = ContinuousClock.now + .seconds(20)
                var terminatedCount = 0
                while terminatedCount == 0, .now < deadline {
                    terminatedCount = try await maintenance.query(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE 'LISTEN%'
                        """
                    ).count
                }
                #expect(terminatedCount == 1)
                try await meeting.submit(#"{"pace": 4}"#).expect(201)
                #expect(try await viewer.wait { $0.submissions == number })
            }
            await maintenance.close()
        }
    }

    @Test func lostNotificationIsRecoveredByThePeriodicComparison() async throws {
        try await Self.run { service, meeting, viewer, _ in
            let first = try #require(viewer.revision)
            for number in (first + 1)...(first + 3) {
                // This change sends no notification.
                try await service.sql(
                    """
                    UPDATE form_state SET revision = revision + 1, updated_at = now()
                    WHERE form_id = (SELECT id FROM form WHERE meeting_id = \(UUID(uuidString: meeting.id)))
                    """)
                let start = ContinuousClock.now
                #expect(try await viewer.wait { $0.revision == number })
                #expect(ContinuousClock.now - start < .seconds(5))
            }
        }
    }

    @Test func lostDatabaseConnectionsEndNoStream() async throws {
        try await Self.run { service, meeting, viewer, _ in
            let maintenance = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            for number in 1...3 {
                try await maintenance.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
                var isAccepted = false
                while !isAccepted {
                    let key = "0123456789abcdef-\(number)"
                    isAccepted = try await meeting.submit(#"{"pace": 4}"#, key: key).status == 201
                }
                #expect(try await viewer.wait { $0.submissions == number })
                #expect(!viewer.isOver)
            }
            await maintenance.close()
        }
    }
}
