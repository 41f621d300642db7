import Foundation
import Postgres

extension TestMeeting {
    public var seriesPath: String { "/v1/series/\(seriesID)" }

    /// Creates the next round of the series and publishes its form unless `publish` is false.
    public func next(_ members: String = "", publish: Bool = true) async throws -> TestMeeting {
        let response = try await host.post("\(seriesPath)/meetings", json: "{\(members)}")
        let round = try TestMeeting(created: response, host: host, anyone: anyone)
        if publish { try await round.perform("publish").expect(200) }
        return round
    }

    public func trend(_ query: String) async throws -> HTTPTestClient.Response {
        try await host.get("\(seriesPath)/trend?\(query)")
    }

    public func pooled(_ query: String = "") async throws -> HTTPTestClient.Response {
        try await host.get("\(seriesPath)/results\(query.isEmpty ? "" : "?" + query)")
    }

    public func rate(_ ratings: Int...) async throws {
        for rating in ratings { try await submit("{\"pace\": \(rating)}").expect(201) }
    }
}

extension TestService {
    /// Submits once for each of these instants and sets the time in the database, because the service uses its own
    /// clock.
    public func submit(_ answers: String, to meeting: TestMeeting, at instants: [String]) async throws {
        guard let id = UUID(uuidString: meeting.id) else { throw TestStore.Missing("a meeting") }
        for instant in instants {
            let sent = try await meeting.submit(answers).expect(201)
            guard let submission = UUID(uuidString: try sent.string("id")) else { throw TestStore.Missing("an id") }
            try await sql(
                "UPDATE submission SET submitted_at = \(instant)::text::timestamptz WHERE id = \(submission)")
        }
        let form: Statement = "(SELECT f.id FROM form f WHERE f.meeting_id = \(id))"
        try await sql("DELETE FROM timeline WHERE form_id = \(fragment: form)")
        try await sql(
            """
            INSERT INTO timeline (form_id, at, count)
            SELECT form_id, date_trunc('minute', submitted_at, 'UTC'), count(*) FROM submission
            WHERE form_id = \(fragment: form) AND NOT withdrawn GROUP BY 1, 2
            """)
    }

    public func coHost(_ meeting: TestMeeting, as role: String = "viewer") async throws {
        try await host.post(
            "\(meeting.seriesPath)/hosts", json: "{\"email\": \"other@example.org\", \"role\": \"\(role)\"}"
        ).expect(201)
    }
}
