import Domain
import HTTPServer
import Postgres
import Store
import TestSupport
import Testing

@testable import HTTPAPI

/// A client cannot exceed a limit by sending its requests to several instances.
@Suite(.timeLimit(.minutes(5))) struct LimitsOfAllInstances {
    /// Two instances on one database.
    private static func run(_ body: (TestService, _ instances: [HTTPTestClient]) async throws -> Void) async throws {
        try await TestService.run { service in
            let store = try await service.fixture.secondStore()
            try await TestService.serve(store) { other in try await body(service, [service.anyone, other]) }
            await store.close()
        }
    }

    @Test func failedSignInsOfAllInstancesCountTogether() async throws {
        try await Self.run { service, instances async throws in
            func signIn(_ instance: Int, _ password: String) async throws -> Int {
                try await instances[instance].post(
                    "/v1/sessions", json: #"{"email": "host@example.org", "password": "\#(password)"}"#
                ).status
            }
            for number in 0..<9 { #expect(try await signIn(number % 2, "wrong") == 401) }
            // A successful sign-in clears the failures of all instances.
            #expect(try await signIn(0, TestStore.password) == 201)
            for number in 0..<10 { #expect(try await signIn(number % 2, "wrong") == 401) }
            for instance in 0...1 { #expect(try await signIn(instance, TestStore.password) == 429) }
        }
    }

    @Test func wrongOldPasswordsOfAllInstancesCountTogether() async throws {
        try await Self.run { service, instances async throws in
            let hosts = instances.map {
                HTTPTestClient(port: $0.port, authorization: service.host.authorization)
            }
            func change(_ instance: Int, _ password: String) async throws -> Int {
                let body = #"{"password": "an even better one", "oldPassword": "\#(password)"}"#
                let response = try await hosts[instance].send(
                    "PATCH", "/v1/me", body: Array(body.utf8), headers: ["If-Match": "*"])
                return response.status
            }
            for number in 0..<10 { #expect(try await change(number % 2, "wrong") == 422) }
            for instance in 0...1 { #expect(try await change(instance, TestStore.password) == 429) }
        }
    }

    @Test func mailsOfAllInstancesCountTogether() async throws {
        try await Self.run { service, instances async throws in
            for number in 0..<12 {
                let reset = try await instances[number % 2].post(
                    "/v1/password-resets", json: #"{"email": "host@example.org"}"#)
                #expect(reset.status == 202)
            }
            let mails = try await service.count("SELECT count(*) FROM outbox")
            #expect(mails == 5)
        }
    }

    @Test func unknownCodesOfAllInstancesCountTogether() async throws {
        try await TestStore.run { fixture in
            let second = try await fixture.secondStore()
            let limits = [fixture.store, second].map { CodeEnumerationLimit(4, attempts: $0.attempts) }
            let address = try #require(ClientAddress("192.0.2.1"))
            func guess(_ instance: Int, isRight: Bool = false) async -> Int {
                do {
                    try await limits[instance].limitMisses("shortcode", from: address) {
                        if !isRight { throw Problem(.notFound) }
                    }
                    return 200
                } catch {
                    return (error as? Problem)?.code.status ?? 0
                }
            }
            for number in 0..<4 { #expect(await guess(number % 2) == 404) }
            #expect(await guess(0, isRight: true) == 200, "the shared count does not exceed the limit")
            for instance in 0...1 {
                #expect(await guess(instance) == 404)
                #expect(await guess(instance) == 429)
                #expect(await guess(instance, isRight: true) == 429)
            }
            await second.close()
        }
    }
}
