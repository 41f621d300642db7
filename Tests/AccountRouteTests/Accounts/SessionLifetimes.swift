import Contract
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SessionLifetimes {
    private static let day: TimeInterval = 86_400

    /// Moves the times of all tokens into the past, as if `seconds` had passed.
    private static func advanceTime(_ seconds: TimeInterval, _ service: TestService) async throws {
        try await service.sql(
            """
            UPDATE token SET created_at = created_at - make_interval(secs => \(seconds)),
                expires_at = expires_at - make_interval(secs => \(seconds))
            """)
    }

    /// The seconds until the host's session ends.
    private static func remainingTime(_ service: TestService) async throws -> TimeInterval {
        try await service.host.get("/v1/sessions/current").expect(200).decoded(as: CurrentSession.self).expiresAt
            .timeIntervalSinceNow
    }

    @Test func sessionEndsTwoWeeksAfterItsLastUse() async throws {
        try await TestService.run { service in
            #expect(abs(try await Self.remainingTime(service) - 14 * Self.day) < 60)
            try await Self.advanceTime(13 * Self.day, service)
            #expect(abs(try await Self.remainingTime(service) - 14 * Self.day) < 60)
            let stored = try await service.number(
                "SELECT count(*) FROM token WHERE expires_at > now() + interval '13 days'")
            #expect(stored == 1, "only the used session is extended")
            try await Self.advanceTime(14 * Self.day + 1, service)
            #expect(try await service.host.get("/v1/sessions/current").status == 401)
        }
    }

    @Test func usedSessionEndsAfterThirtyDays() async throws {
        try await TestService.run { service in
            for days in [14.0, 14, 10, 5] {
                #expect(abs(try await Self.remainingTime(service) - days * Self.day) < 60, "\(days)")
                try await Self.advanceTime((days == 14 ? 10 : 5) * Self.day, service)
            }
            #expect(try await service.host.get("/v1/sessions/current").status == 401)
        }
    }

    @Test func useIsRecordedOnceAnHour() async throws {
        try await TestService.run { service in
            try await Self.advanceTime(3_000, service)
            #expect(abs(try await Self.remainingTime(service) - (14 * Self.day - 3_000)) < 60)
            try await Self.advanceTime(900, service)
            #expect(abs(try await Self.remainingTime(service) - 14 * Self.day) < 60)
        }
    }

    /// Stolen or planted tokens of a session end when its owner confirms the password.
    @Test func confirmationReplacesTheToken() async throws {
        try await TestService.run { service in
            let before = try await service.host.get("/v1/sessions").expect(200)
            let confirmed = try await service.host.confirmed()
            #expect(confirmed.authorization != service.host.authorization)
            try await confirmed.get("/v1/sessions/current").expect(200)
            #expect(try await confirmed.get("/v1/sessions").expect(200).json?["items"] == before.json?["items"])
            // The previous token stays valid for ten seconds, for requests under way such as the second request of a
            // form that was sent twice.
            let again = try await service.host.confirmed()
            for client in [confirmed, again] { try await client.get("/v1/me").expect(200) }
            #expect(try await service.host.get("/v1/me").status == 401, "only the last replaced token is valid")
            try await service.sql("UPDATE token SET replaced_at = replaced_at - interval '11 seconds'")
            #expect(try await confirmed.get("/v1/me").status == 401)
            try await again.get("/v1/me").expect(200)
            #expect(try await confirmed.confirmSession().status == 401)
        }
    }

    @Test func apiTokenIsNotExtendedByUse() async throws {
        try await TestService.run { service in
            // The token is valid for a day.
            let token = service.anyone.bearing(try await APITokens.make(service.host))
            try await Self.advanceTime(Self.day / 2, service)
            try await token.get("/v1/meetings").expect(200)
            try await Self.advanceTime(Self.day / 2 + 1, service)
            #expect(try await token.get("/v1/meetings").status == 401)
        }
    }
}
