import AfterwordClient
import Domain
import HTTPAPI
import TestSupport
import Testing

/// Compares the names in the client with the tables of the service.
@Suite(.timeLimit(.minutes(15))) struct Vocabulary {
    @Test func everyProblemOfTheServiceHasAName() {
        #expect(Set(AfterwordProblem.Code.all.map(\.rawValue)) == Set(ProblemCode.allCases.map(\.rawValue)))
    }

    @Test func everyCallHasARoute() async throws {
        try await TestStore.run { fixture in
            let routes = Set(AfterwordAPI.routes(store: fixture.store).map { "\($0.method) \($0.path)" })
            let calls = Endpoint.all.map { "\($0.method) \($0.path)" }
            #expect(Set(calls).subtracting(routes) == [])
            #expect(Set(calls).count == calls.count)
        }
    }

    @Test func everyRouteHasACall() async throws {
        try await TestStore.run { fixture in
            let routes = Set(AfterwordAPI.routes(store: fixture.store).map { "\($0.method) \($0.path)" })
            let missing = routes.subtracting(Endpoint.all.map { "\($0.method) \($0.path)" })
            #expect(missing == [])
        }
    }

    @Test func keyedCallsMatchThePublishedDescription() async throws {
        try await TestService.run { service in
            let document = try await service.anyone.get("/openapi.json").expect(200).json
            var keyed: Set<String> = []
            for path in document?["paths"]?.members ?? [] {
                for operation in path.value.members ?? []
                where operation.value["parameters"]?.array?.contains(where: Self.isKey) == true {
                    keyed.insert("\(operation.name.uppercased()) \(path.name)")
                }
            }
            let calls = Endpoint.all.filter { $0.idempotency == .keyed }.map { "\($0.method) \($0.path)" }
            keyed.formIntersection(Endpoint.all.map { "\($0.method) \($0.path)" })
            #expect(keyed.contains("POST /v1/forms/{code}/submissions"))
            #expect(Set(calls) == keyed)
        }
    }

    private static func isKey(_ parameter: JSONValue) -> Bool {
        parameter["name"]?.string == "Idempotency-Key"
            || parameter["$ref"]?.string == "#/components/parameters/IdempotencyKey"
    }
}
