import Foundation
import Store
import TestSupport
import Testing

@testable import HTTPAPI

/// What the log records about sign-ins and about requests that were refused.
@Suite(.timeLimit(.minutes(15))) struct AccessLogging {
    private static func lines(_ event: SecurityLog.Event, in tape: LogTape) -> [String] {
        SecurityLogging.lines(event, in: tape)
    }

    private static func value(_ name: String, of line: String) -> String? { SecurityLogging.value(name, of: line) }

    @Test func signInsAndConfirmationsAreLogged() async throws {
        try await SecurityLogging.run { service, tape in
            let account = service.fixture.host.account.id.uuidString.lowercased()
            let signedIn = try await service.signIn("host@example.org", TestStore.password, from: "192.0.2.3")
                .expect(201)
            let confirmed = try await service.host.confirmSession().expect(200)
            for (event, response) in [(SecurityLog.Event.signedIn, signedIn), (.passwordChecked, confirmed)] {
                let line = try #require(Self.lines(event, in: tape).first, "\(event)")
                #expect(line.hasPrefix("notice ") && Self.value("account", of: line) == account, "\(event)")
                #expect(Self.value("client", of: line)?.count == 12, "\(event)")
                #expect(Self.value("request", of: line) == response["X-Request-Id"], "\(event)")
            }
            let token = try signedIn.string("token")
            #expect(!tape.lines.contains { $0.contains(token) || $0.contains(TestStore.password) })
        }
    }

    @Test func requestsForObjectsOfOthersAreLogged() async throws {
        try await SecurityLogging.run { service, tape in
            let meeting = try await service.meeting()
            #expect(try await service.other.get(meeting.path).status == 404)
            let line = try #require(Self.lines(.objectNotFound, in: tape).first)
            #expect(line.contains("route=GET /v1/meetings/{id}") && !line.contains(meeting.id))
            let host = service.fixture.host.account.id.uuidString.lowercased()
            #expect(Self.value("account", of: line) != nil && Self.value("account", of: line) != host)
            // A path without an id names no object that could belong to another account.
            #expect(try await service.host.get("/v1/me/picture").status == 404)
            #expect(Self.lines(.objectNotFound, in: tape).count == 1)
        }
    }

    @Test func refusedTokensAreLogged() async throws {
        try await SecurityLogging.run { service, tape in
            #expect(try await service.anyone.get("/v1/me").status == 401)
            #expect(Self.lines(.tokenRefused, in: tape) == [], "a request without a token is not logged")
            let refused = try await service.anyone.bearing("aw_0000secret").get("/v1/me")
            let line = try #require(Self.lines(.tokenRefused, in: tape).first)
            #expect(refused.status == 401 && Self.value("request", of: line) == refused["X-Request-Id"])
            #expect(line.contains("route=GET /v1/me") && Self.value("account", of: line) == nil)
        }
    }

    @Test func malformedRequestsOfAccountsAreLogged() async throws {
        try await SecurityLogging.run { service, tape in
            let meeting = try await service.openMeeting()
            #expect(try await service.host.post("/v1/meetings", json: "{}").status == 422)
            #expect(try await meeting.submit(#"{"pace": "3"}"#).status >= 400)
            #expect(try await service.anyone.post("\(meeting.formPath)/submissions", json: "[").status == 400)
            #expect(Self.lines(.malformedRequest, in: tape) == [], "no 422 and no participant is logged")
            #expect(try await service.host.post("/v1/meetings", json: #"{"title": 1}"#).status == 400)
            let line = try #require(Self.lines(.malformedRequest, in: tape).first)
            #expect(line.contains("route=POST /v1/meetings") && Self.value("account", of: line) != nil)
        }
    }

    @Test func reachedMailLimitsAreLogged() async throws {
        try await SecurityLogging.run { service, tape in
            for number in 1...6 {
                #expect(Self.lines(.limitReached, in: tape) == [], "\(number)")
                let body = #"{"email": "host@example.org"}"#
                try await service.anyone.post("/v1/password-resets", json: body).expect(202)
            }
            let mailbox = try #require(Self.lines(.limitReached, in: tape).first)
            #expect(mailbox.hasPrefix("warning ") && Self.value("scope", of: mailbox) == "mailbox")
            #expect(mailbox.contains("route=POST /v1/password-resets"))
            for _ in 7...60 { #expect(try await service.signUp("new@example.org").status == 403) }
            #expect(try await service.signUp("new@example.org").status == 429)
            #expect(
                Self.lines(.limitReached, in: tape).compactMap { Self.value("scope", of: $0) } == [
                    "mailbox", "address",
                ])
        }
    }

    @Test func reachedAccountLimitsAreLogged() async throws {
        try await SecurityLogging.run { service, tape in
            let series = try await service.meeting().seriesID
            let path = "/v1/series/\(series)/hosts"
            for number in 1...31 {
                let body = #"{"email": "nobody\#(number)@example.org", "role": "viewer"}"#
                #expect(try await service.host.post(path, json: body).status == (number == 31 ? 429 : 422), "\(number)")
            }
            let line = try #require(Self.lines(.limitReached, in: tape).first)
            #expect(line.contains("route=POST /v1/series/{id}/hosts"))
            #expect(Self.value("account", of: line) == service.fixture.host.account.id.uuidString.lowercased())
        }
    }
}
