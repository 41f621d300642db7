import Contract
import HTTPAPI
import Postgres
import StrictJSON
import TestSupport
import Testing

/// An invitation that was mailed to an address also verifies the address, so that no verification mail is needed.
@Suite(.timeLimit(.minutes(15))) struct AcceptedInvitations {
    private static func invite(_ service: TestService, _ members: String) async throws -> String {
        try await service.admin.post("/v1/invitations", json: "{\(members)}").expect(201).string("code")
    }

    @Test func codeVerifiesTheInvitedAddress() async throws {
        try await TestService.run { service in
            let created = try await service.admin.post("/v1/invitations", json: #"{"email": "Nora+1@example.org"}"#)
                .expect(201)
            let code = try created.string("code")
            #expect(
                try created.string("url")
                    == "\(ServiceOptions().publicURL)/sign-up?invitation=\(code)&email=Nora%2B1%40example.org")
            let letter = try #require(try await service.mailbox.mails(to: "Nora+1@example.org").first)
            #expect(letter.body.contains(try created.string("url") + "\n"))
            #expect(
                try await service.verify(code).faults == ["/token invalid-token"],
                "nobody has signed up with the code yet")
            try await service.signUp("nora+1@EXAMPLE.org", invitation: code).expect(202)
            let mailed = try await service.mailbox.token(to: "Nora+1@example.org")
            let delayed = try await service.count(
                "SELECT count(*) FROM outbox WHERE kind = 'verification' AND next_try_at > now() + interval '1 second'")
            #expect(delayed == 1)
            let account = try await service.verify(code).expect(201).decoded(as: AccountBody.self)
            #expect(account.email == "Nora+1@example.org" && account.role == "host")
            #expect(try await service.signIn("nora+1@example.org", "a long password").status == 201)
            let kinds = try await service.mailbox.mails(to: "Nora+1@example.org").map(\.kind)
            #expect(kinds == ["host-invitation"], "no verification mail is needed")
            for token in [code, mailed] { #expect(try await service.verify(token).faults == ["/token invalid-token"]) }
            #expect(try await service.signUp("nora+1@example.org", invitation: code).status == 403)
        }
    }

    @Test func openTakenAndExpiredInvitationsVerifyNoAddress() async throws {
        try await TestService.run { service in
            let open = try await Self.invite(service, #""note": "for anybody""#)
            try await service.signUp("nora@example.org", invitation: open).expect(202)
            #expect(try await service.verify(open).faults == ["/token invalid-token"])
            let taken = try await Self.invite(service, #""email": "host@example.org""#)
            try await service.signUp("host@example.org", password: "of a stranger", invitation: taken).expect(202)
            #expect(try await service.verify(taken, password: "of a stranger").faults == ["/token invalid-token"])
            #expect(try await service.signIn("host@example.org", "of a stranger").status == 401)
            let late = try await Self.invite(service, #""email": "late@example.org""#)
            try await service.signUp("late@example.org", invitation: late).expect(202)
            try await service.sql("UPDATE invitation SET expires_at = now() WHERE email = 'late@example.org'")
            #expect(try await service.verify(late).faults == ["/token invalid-token"])
            let token = try await service.mailbox.token(to: "late@example.org")
            #expect(try await service.verify(token).status == 201, "the token of the verification mail is still valid")
        }
    }

    /// After five mails within an hour no more are sent. The invited person can still sign up with their own password.
    @Test func strangersCannotPreventAcceptance() async throws {
        let options = ServiceOptions(allowsSignUp: true)
        try await TestService.run(options: options) { service in
            let code = try await Self.invite(service, #""email": "nora@example.org""#)
            for _ in 0..<6 { try await service.signUp("nora@example.org", password: "of a stranger").expect(202) }
            try await service.signUp("nora@example.org", password: "of a stranger", invitation: code).expect(202)
            #expect(
                try await service.count(
                    "SELECT count(*) FROM outbox WHERE recipient = 'nora@example.org' AND kind = 'verification'") == 5)
            try await service.verify(code, password: "my own password").expect(201)
            #expect(try await service.signIn("nora@example.org", "of a stranger").status == 401)
            #expect(try await service.signIn("nora@example.org", "my own password").status == 201)
            #expect(try await service.count("SELECT count(*) FROM registration") == 0)
        }
    }

    @Test func invitationMayIncludeASeries() async throws {
        try await TestService.run { service in
            let seriesID = try await service.meeting().seriesID
            let coHost = "\"seriesId\": \"\(seriesID)\", \"role\": \"viewer\""
            let created = try await service.admin.post(
                "/v1/invitations", json: "{\"email\": \"nora@example.org\", \(coHost)}"
            ).expect(201).decoded(as: Invitation.self)
            #expect(created.seriesId?.description == seriesID && created.role == "viewer")
            try await service.signUp("nora@example.org", invitation: created.code).expect(202)
            try await service.verify(#require(created.code)).expect(201)
            let session = try await service.signIn("nora@example.org", "a long password").decoded(as: Session.self)
            let series = try await service.anyone.bearing(session.token).get("/v1/series").decoded(as: SeriesList.self)
            #expect(series.items.map(\.id.description) == [seriesID] && series.items.first?.role == "viewer")
            let entries = try await service.admin.get("/v1/admin/audit?act=series.host.add").expect(200)
            #expect(entries.json?["items"]?[0]?["detail"]?["role"]?.string == "viewer")
        }
    }

    @Test func seriesIsJoinedOnlyIfTheInviterStillMayAddCoHosts() async throws {
        try await TestService.run { service in
            let seriesID = try await service.meeting().seriesID
            let coHost = "\"seriesId\": \"\(seriesID)\", \"role\": \"editor\""
            let code = try await Self.invite(service, "\"email\": \"nora@example.org\", \(coHost)")
            let other = try await Self.invite(service, "\"email\": \"omar@example.org\", \(coHost)")
            try await service.sql(
                "UPDATE invitation SET series_id = gen_random_uuid() WHERE email = 'nora@example.org'")
            try await service.signUp("nora@example.org", invitation: code).expect(202)
            try await service.verify(code).expect(201)
            try await service.signUp("omar@example.org", invitation: other).expect(202)
            try await service.sql("UPDATE account SET role = 'host' WHERE role = 'admin'")
            try await service.verify(other).expect(201)
            #expect(try await service.count("SELECT count(*) FROM series_host") == 0)
        }
    }

    @Test func seriesAndRoleAreValidatedTogether() async throws {
        try await TestService.run { service in
            let seriesID = try await service.meeting().seriesID
            let none = "0190a3c4-0000-7000-8000-000000000000"
            for (body, status, faults) in [
                ("{\"seriesId\": \"\(seriesID)\"}", 422, ["/role required"]),
                (#"{"role": "editor"}"#, 422, ["/seriesId required"]),
                ("{\"seriesId\": \"\(seriesID)\", \"role\": \"owner\"}", 422, ["/role unknown-value"]),
                (#"{"seriesId": "none", "role": "editor"}"#, 422, ["/seriesId unknown-series"]),
                ("{\"seriesId\": \"\(none)\", \"role\": \"editor\"}", 422, ["/seriesId unknown-series"]),
            ] {
                let response = try await service.admin.post("/v1/invitations", json: body)
                #expect(response.status == status && response.faults == faults, "\(body): \(response.text)")
            }
            let refused = try await service.host.post("/v1/invitations", json: #"{"email": "nora@example.org"}"#)
            #expect(refused.status == 403)
        }
    }
}
