import AfterwordClient
import Foundation
import HTTPAPI
import Postgres
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AccountCalls {
    private static let openSignUp = ServiceOptions(publicURL: "https://feedback.example.org", allowsSignUp: true)

    /// The token of the newest mail to an address.
    private func mailedToken(_ recipient: String, _ service: TestService) async throws -> String {
        let rows = try await service.fixture.store.pool.query(
            "SELECT body FROM outbox WHERE recipient = \(recipient) ORDER BY id DESC LIMIT 1")
        let body = try #require(try rows.first?.decode(String.self))
        let start = try #require(body.firstRange(of: "?token=")?.upperBound)
        return String(body[start...].prefix { !$0.isWhitespace })
    }

    @Test func hostSignsUpAndResetsThePassword() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            let afterword = service.afterword
            try await afterword.signUp(SignUpRequest(email: "nora@example.org", name: "Nora New"))
            let account = try await afterword.verify(
                try await mailedToken("nora@example.org", service), password: "a long password")
            #expect(account.name == "Nora New" && account.role == "host")
            let firstSession = try await afterword.signIn(email: "nora@example.org", password: "a long password")

            try await afterword.requestPasswordReset(email: "nora@example.org")
            let token = try await mailedToken("nora@example.org", service)
            try await afterword.resetPassword(token, to: "another long password")
            #expect(try await refusal { _ = try await firstSession.me() }?.code == .unauthorized)
            #expect(try await refusal { try await afterword.resetPassword(token, to: "a third password") } != nil)
            let host = try await afterword.signIn(email: "nora@example.org", password: "another long password")
            #expect(try await host.me().id == account.id)
        }
    }

    @Test func wrongTokenAndShortPasswordAreReported() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            let afterword = service.afterword
            let wrong = try await refusal { try await afterword.verify("nothing", password: "short") }
            #expect(wrong?.faults(at: "/token").map(\.code) == ["invalid-token"])
            #expect(wrong?.faults(at: "/password").map(\.code) == ["too-short"])
            let invalid = try await refusal {
                try await afterword.signUp(SignUpRequest(email: "not an address", name: ""))
            }
            #expect(Set(invalid?.errors.map(\.pointer) ?? []) == ["/email", "/name"])
            #expect(try await refusal { try await afterword.resetPassword("x", to: "long enough") }?.status == 404)
        }
    }

    @Test func creatingATokenRequiresAConfirmedSession() async throws {
        try await TestService.run { service in
            let host = try await service.afterword.signIn(email: "host@example.org", password: TestStore.password)
            try await service.fixture.ageSessions()
            let request = TokenRequest(name: "A", scopes: ["meetings:read"], expiresAt: .now + 86_400)
            let early = try await refusal { _ = try await host.createToken(request) }
            #expect(early?.code == .reauthenticationRequired)
            let wrong = try await refusal { _ = try await host.confirm(password: "not this one") }
            #expect(wrong?.faults(at: "/password").map(\.code) == ["wrong-password"])
            let confirmed = try await host.confirm(password: TestStore.password)
            #expect(confirmed.token != host.token)
            let token = try await confirmed.createToken(request)
            #expect(token.name == "A")
        }
    }

    @Test func profileEditRequiresTheCurrentTag() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let profile = try await host.me()
            #expect(profile.email == "host@example.org" && profile.timeZone == nil && profile.picture == nil)
            let edited = try await host.edit(
                profile, ProfileEdit(name: "Hanna H.", locale: "de", timeZone: "Asia/Seoul"))
            #expect(edited.name == "Hanna H." && edited.locale == "de" && edited.timeZone == "Asia/Seoul")
            let stale = try await refusal { try await host.edit(profile, ProfileEdit(name: "Stale")) }
            #expect(stale?.code == .preconditionFailed)
            let cleared = try await host.editMe(ProfileEdit(locale: .remove), matching: .any)
            #expect(cleared.locale == nil && cleared.timeZone == "Asia/Seoul")
            let password = try await refusal {
                try await host.edit(cleared, ProfileEdit(password: "a new password", oldPassword: "wrong"))
            }
            #expect(password?.faults(at: "/oldPassword").isEmpty == false)
        }
    }

    @Test func pictureIsUploadedAndDownloaded() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            #expect(try await refusal { _ = try await host.myPicture() }?.code == .notFound)
            let picture = try #require(Picture(try Sample.png))
            try await host.setMyPicture(picture)
            #expect(try await host.me().picture == "/v1/me/picture")
            let shown = try await host.myPicture()
            #expect(shown.mediaType == "image/png" && Picture(shown.bytes) == shown.value)
            let removed = try await host.edit(host.me(), ProfileEdit(picture: .remove))
            #expect(removed.picture == nil)
            try await host.setMyPicture(picture)
            try await host.removeMyPicture()
            #expect(try await host.me().picture == nil)
            let mislabelled = Picture(bytes: Array("GIF89a".utf8), mediaType: "image/png")
            #expect(try await refusal { try await host.setMyPicture(mislabelled) } != nil)
            #expect(Picture(Array("GIF89a".utf8)) == nil && Picture([]) == nil)
        }
    }

    @Test func sessionsAreListedAndEnded() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let phone = try await service.afterword.signIn(email: "host@example.org", password: TestStore.password)
            let current = try await phone.sessions().pageSize(1).first(10).filter(\.current)
            #expect(current.count == 1)
            try await host.endSession(try #require(current.first).id)
            #expect(try await refusal { _ = try await phone.me() }?.code == .unauthorized)
        }
    }

    @Test func apiTokenIsLimitedToItsScopes() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let request = TokenRequest(
                name: "A script", scopes: ["meetings:read"], expiresAt: Date(timeIntervalSinceNow: 86_400))
            let key = IdempotencyKey()
            let created = try await host.createToken(request, key: key)
            let script = service.afterword.host(token: try #require(created.token))
            #expect(try await script.meetings().first(1).isEmpty)
            let refused = try await refusal { _ = try await script.createMeeting(MeetingRequest(title: "No")) }
            #expect(refused?.code == .forbidden)

            let replayed = try await host.createToken(request, key: key)
            #expect(replayed.id == created.id && replayed.token == nil)
            let other = TokenRequest(name: "Another", scopes: ["meetings:read"], expiresAt: request.expiresAt)
            #expect(try await refusal { _ = try await host.createToken(other, key: key) }?.code == .idempotencyConflict)

            #expect(try await host.tokens().first(10).map(\.id) == [created.id])
            try await host.revokeToken(created.id)
            #expect(try await refusal { _ = try await script.me() }?.code == .unauthorized)
        }
    }

    @Test func accountIsExportedAndDeleted() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await host.createMeeting(MeetingRequest(title: "Retro"))
            let data = try await host.myData()
            #expect(data.account["email"]?.string == "host@example.org" && data.truncated == [])
            #expect(data.meetings.compactMap { $0["id"]?.string } == [meeting.id.description])
            #expect(data.sessions.isEmpty == false && data.submissions.isEmpty)
            let sections = try await service.host.get("/v1/me/data").expect(200).json?.members?.map(\.name)
            let known = try JSONValue.parse(ContractCoding.encode(data)).members?.map(\.name)
            #expect(Set(try #require(sections)) == Set(try #require(known)))
            let unknown = try await refusal { try await host.leave(heir: "nobody@example.org") }
            #expect(unknown?.faults(at: "/heir").isEmpty == false)
            try await host.leave(heir: "other@example.org")
            #expect(try await refusal { _ = try await host.me() }?.code == .unauthorized)
            #expect(try await service.otherClient.meetings().first(5).map(\.id) == [meeting.id])
            try await service.otherClient.leave()
        }
    }
}
