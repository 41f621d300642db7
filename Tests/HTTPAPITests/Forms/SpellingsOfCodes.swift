import HTTPServer
import Postgres
import TestSupport
import Testing

@testable import HTTPAPI
@testable import Store

/// All spellings of a join code share one read of the database.
@Suite(.timeLimit(.minutes(5))) struct SpellingsOfCodes {
    private static let joinCode = "a01b0c1d"
    private static let spellings = ["A01B0C1D", "aO1b0c1d", "a0Ib0c1d", "A0LBoCid", "aolbocid"]

    /// Requests a path with every spelling while the reads wait for a lock.
    ///
    /// - Parameter waiting: The number of callers that wait for the next read of the join code.
    private func expectOneRead(
        by routes: [Route], in service: TestService, _ path: (String) -> String, waiting: () -> Int
    ) async throws {
        try await service.sql("UPDATE form SET join_code = \(Self.joinCode)")
        let api = try API(
            routes: routes, authenticate: { _ in nil }, translate: Store.problem, metrics: PrometheusRegistry())
        try await LiveServer.run(api) { client, _ in
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; LOCK TABLE form_state IN ACCESS EXCLUSIVE MODE")
            let requests = ([Self.joinCode] + Self.spellings).map { spelling in
                let path = path(spelling)
                return Task { try await client.get(path).status }
            }
            let deadline = ContinuousClock.now + .seconds(60)
            while waiting() < Self.spellings.count, .now < deadline { try await Task.sleep(for: .milliseconds(1)) }
            let count = waiting()
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(count == Self.spellings.count, "all but the first wait for one read")
            for request in requests { #expect(try await request.value == 200) }
        }
    }

    @Test func formIsReadOnceForAllSpellings() async throws {
        try await TestService.run { service in
            _ = try await service.openMeeting()
            let routes = PublicFormRoutes(store: service.fixture.store, codeLimit: CodeEnumerationLimit())
            try await expectOneRead(by: routes.routes, in: service) {
                "/v1/forms/\($0)"
            } waiting: {
                routes.forms.waitingCallers(Self.joinCode)
            }
        }
    }

    @Test func resultsAreReadOnceForAllSpellings() async throws {
        try await TestService.run { service in
            _ = try await service.openMeeting(settings: #""showResults": "always""#)
            let store = service.fixture.store
            let routes = ParticipantResultRoutes(
                store: store, reader: ResultReader(store: store), codeLimit: CodeEnumerationLimit())
            try await expectOneRead(by: routes.routes, in: service) {
                "/v1/forms/\($0)/results"
            } waiting: {
                routes.meetings.waitingCallers([Self.joinCode, nil])
            }
        }
    }
}
