import Foundation
import Postgres
import Store
import TestSupport

extension AccessMatrix {
    /// Series, co-hosts, roster.
    static let seriesRows: [String: AccessRow] = [
        "GET /v1/series": .signedIn(200),
        "GET /v1/series/{id}": .viewers(200),
        "PATCH /v1/series/{id}": .editors(200).sending(#"{"title": "A series"}"#, headers: ["If-Match": "*"]),
        "GET /v1/series/{id}/meetings": .viewers(200),
        // Runs late, because no other row can use the series between its deletion and its restoration.
        "DELETE /v1/series/{id}": .owners(204).turn(8),
        "POST /v1/series/{id}/restore": .owners(200).turn(9),

        "GET /v1/series/{id}/hosts": .owners(200),
        "POST /v1/series/{id}/hosts": .owners(201).sending(#"{"email": "other@example.org", "role": "viewer"}"#),
        "DELETE /v1/series/{id}/hosts": .owners(204).sending(#"{"email": "other@example.org"}"#)
            .preparing { try await $0.coHost() },
        "DELETE /v1/series/{id}/hosts/{accountId}": .owners(204).turn(1).preparing { try await $0.coHost() },
        "POST /v1/series/{id}/transfer": .owners(200).sending(#"{"email": "other@example.org"}"#)
            .preparing { try await $0.anotherSeries() },

        "GET /v1/series/{id}/members": .editors(200),
        "POST /v1/series/{id}/members": .editors(201).sending(#"{"name": "Mina", "email": "mina@example.org"}"#),
        "PATCH /v1/series/{id}/members": .editors(200)
            .sending(#"{"members": [{"name": "Mina", "email": "member@example.org"}]}"#)
            .preparing { try await $0.member() },
        "DELETE /v1/series/{id}/members": .editors(200).sending(#"{"emails": ["member@example.org"]}"#)
            .preparing { try await $0.member() },
        "PATCH /v1/series/{id}/members/{memberId}": .editors(200).sending(#"{"name": "Mina"}"#)
            .preparing { try await $0.member() },
        "DELETE /v1/series/{id}/members/{memberId}": .editors(204).preparing { try await $0.member() },

        "GET /v1/series/{id}/join-codes": .editors(200),
        "POST /v1/series/{id}/join-codes": .editors(201).sending(#"{"capacity": 5}"#),
        "DELETE /v1/series/{id}/join-codes/{codeId}": .editors(204).preparing { try await $0.joinCode() },
        "POST /v1/join/{code}": .all(201).sending(#"{"name": "Jo", "email": "jo@example.org"}"#)
            .preparing { try await $0.joinCode() },
    ]
}

extension AccessStage {
    private var seriesID: UUID {
        get throws {
            guard let id = UUID(uuidString: meeting.seriesID) else { throw TestStore.Missing("a series") }
            return id
        }
    }

    /// Makes Otto a viewer of the series.
    fileprivate func coHost() async throws -> [String: String] {
        let rows = try await service.fixture.store.pool.query(
            """
            INSERT INTO series_host (series_id, account_id, role)
            SELECT \(try seriesID), id, 'viewer' FROM account WHERE email = 'other@example.org'
            ON CONFLICT (series_id, account_id) DO UPDATE SET role = 'viewer' RETURNING account_id
            """)
        return ["/hosts/{accountId}": "/hosts/\(try rows[0].decode(UUID.self))"]
    }

    /// A member of the roster, who is created again if an earlier call has removed them.
    fileprivate func member() async throws -> [String: String] {
        let rows = try await service.fixture.store.pool.query(
            """
            INSERT INTO member (id, series_id, name, email)
            VALUES (gen_random_uuid(), \(try seriesID), 'A member', 'member@example.org')
            ON CONFLICT (series_id, email) DO UPDATE SET name = 'A member' RETURNING id
            """)
        return ["/members/{memberId}": "/members/\(try rows[0].decode(UUID.self))"]
    }

    fileprivate func joinCode() async throws -> [String: String] {
        let created = try await service.host.post("/v1/series/\(meeting.seriesID)/join-codes").expect(201)
        return [
            "/join-codes/{codeId}": "/join-codes/\(try created.string("id"))",
            "/join/{code}": "/join/\(try created.string("code"))",
        ]
    }

    /// A series of the same host with the same co-hosts, for transfers.
    fileprivate func anotherSeries() async throws -> [String: String] {
        let other = try await service.meeting()
        guard let id = UUID(uuidString: other.seriesID) else { throw TestStore.Missing("a series") }
        try await service.sql(
            """
            INSERT INTO series_host (series_id, account_id, role)
            SELECT \(id), account_id, role FROM series_host WHERE series_id = \(try seriesID)
            """)
        return ["/series/{id}": "/series/\(id)"]
    }
}
