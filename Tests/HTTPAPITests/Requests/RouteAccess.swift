import HTTPAPI
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RouteAccess {
    @Test(arguments: [
        nil, "Bearer", "Bearer ", "Bearer a b", "Bearer nobody", "Basic aG9zdDpob3N0", "Receipt abc", "host",
        "Bearer ä",
    ])
    func invalidTokenGetsAChallenge(authorization: String?) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            var client = client
            client.authorization = authorization
            let response = try await client.get("/mine")
            #expect(response.status == 401)
            #expect(response.problem == "unauthorized")
            #expect(response["WWW-Authenticate"] == "Bearer")
        }
    }

    @Test func tokenIsLimitedToItsScopes() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ async throws in
            #expect(try await client.bearing("host").get("/mine").json == .string("host"))
            #expect(try await client.bearing("host").post("/mine").status == 204)
            #expect(try await client.bearing("reader").get("/mine").status == 200)
            #expect(try await client.bearing("reader").post("/mine").problem == "forbidden")
            #expect(try await client.bearing("host").get("/all").problem == "forbidden")
            #expect(try await client.bearing("admin").get("/all").status == 204)
        }
    }

    @Test func authorizationSchemeIgnoresCase() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ async throws in
            #expect(try await client.get("/mine", headers: ["Authorization": "bEARER host"]).status == 200)
        }
    }

    @Test func missingReceiptGetsAReceiptChallenge() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.get("/receipts/1")
            #expect(response.status == 401)
            #expect(response["WWW-Authenticate"] == "Receipt")
            #expect(try await client.bearing("host").get("/receipts/1").status == 401)
            let valid = try await client.get("/receipts/1", headers: ["Authorization": "Receipt abc-_="])
            #expect(valid.json == .string("abc-_="))
        }
    }

    @Test func accessIsCheckedBeforeTheAcceptHeader() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await client.get("/mine?colour=red", headers: ["Accept": "image/png"])
            #expect(response.status == 401)
            let signedIn = try await client.bearing("host").get("/mine?colour=red", headers: ["Accept": "image/png"])
            #expect(signedIn.status == 406)
        }
    }

    @Test func participantNeedsNoCredentials() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ async throws in
            #expect(try await client.post("/forms/a").status == 200)
            #expect(try await client.post("/forms/a", headers: ["Authorization": "Respondent k"]).status == 200)
            let malformed = try await client.post("/forms/a", headers: ["Authorization": "Respondent"])
            #expect(malformed.status == 401)
            #expect(malformed["WWW-Authenticate"] == "Respondent")
        }
    }
}
