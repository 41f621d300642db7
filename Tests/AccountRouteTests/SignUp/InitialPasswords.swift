import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

/// Passwords that the service generated. They expire unless the owner of the account chooses another.
@Suite(.timeLimit(.minutes(5))) struct InitialPasswords {
    private static func setExpiry(_ service: TestService, _ interval: String) async throws {
        try await service.sql(
            """
            UPDATE credential SET expires_at = now() + \(interval)::interval
            WHERE account_id = \(service.fixture.host.account.id)
            """)
    }

    @Test func passwordOfTheFirstStartExpires() async throws {
        try await TestService.run { service in
            try await Self.setExpiry(service, "1 hour")
            try await service.signIn("host@example.org", TestStore.password).expect(201)
            let initial = try #require(try await InitialPassword.read(url: service.fixture.database.url))
            #expect(initial.email == "host@example.org" && abs(initial.endsAt.timeIntervalSinceNow - 3_600) < 60)
            try await Self.setExpiry(service, "-1 second")
            let late = try await service.signIn("host@example.org", TestStore.password)
            #expect(late.status == 401 && late.problem == "invalid-credentials")
            try await service.signIn("other@example.org", TestStore.password).expect(201)
        }
    }

    @Test func chosenPasswordDoesNotExpire() async throws {
        try await TestService.run { service in
            let (store, url) = (service.fixture.store, service.fixture.database.url)
            let password = "an even better one"
            try await Self.setExpiry(service, "1 hour")
            let change = "{\"password\": \"\(password)\", \"oldPassword\": \"\(TestStore.password)\"}"
            try await OwnProfile.edit(service.host, change).expect(200)
            #expect(try await InitialPassword.read(url: url) == nil)
            try await service.signIn("host@example.org", password).expect(201)

            try await Self.setExpiry(service, "-1 second")
            try await service.anyone.post("/v1/password-resets", json: #"{"email": "host@example.org"}"#).expect(202)
            let token = try await service.mailbox.token(to: "host@example.org")
            try await service.anyone.put("/v1/password-resets/\(token)", json: "{\"password\": \"\(password)\"}")
                .expect(204)
            #expect(try await InitialPassword.read(url: url) == nil)

            let address = try #require(EmailAddress("host@example.org"))
            let hash = try #require(try await store.profiles.passwordHash(of: service.fixture.host.account.id))
            try await Self.setExpiry(service, "-1 second")
            #expect(try await store.profiles.passwordHash(of: service.fixture.host.account.id) == nil)
            #expect(try await store.accounts.setPassword(email: address, hash: hash))
            #expect(try await InitialPassword.read(url: url) == nil)
            try await service.signIn("host@example.org", password).expect(201)
        }
    }

    @Test func expiredPasswordConfirmsNothing() async throws {
        try await TestService.run { service in
            try await Self.setExpiry(service, "-1 second")
            let confirmed = try await service.host.put(
                "/v1/sessions/current", json: "{\"password\": \"\(TestStore.password)\"}")
            #expect(confirmed.status == 422)
            let change = "{\"password\": \"\(TestStore.password)\", \"oldPassword\": \"\(TestStore.password)\"}"
            #expect(try await OwnProfile.edit(service.host, change).status == 422)
        }
    }

    @Test func accountIsCreatedWithAPasswordThatExpires() async throws {
        try await TestService.run { service in
            let store = service.fixture.store
            let hash = try #require(try await store.profiles.passwordHash(of: service.fixture.host.account.id))
            let address = try #require(EmailAddress("first@example.org"))
            try await store.accounts.create(
                email: address, name: "First", role: .admin, passwordHash: hash,
                passwordLifetime: InitialPassword.lifetime)
            let initial = try #require(try await InitialPassword.read(url: service.fixture.database.url))
            #expect(initial.email == "first@example.org")
            #expect(abs(initial.endsAt.timeIntervalSinceNow - 7 * 86_400) < 60)
        }
    }
}
