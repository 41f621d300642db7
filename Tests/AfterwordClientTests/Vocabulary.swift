import AfterwordClient
import Domain
import HTTPAPI
import TestSupport
import Testing

/// The client's words against the service's tables.
@Suite(.timeLimit(.minutes(5))) struct Vocabulary {
    @Test func everyProblemOfTheServiceHasAName() {
        #expect(Set(AfterwordProblem.Code.all.map(\.rawValue)) == Set(ProblemCode.allCases.map(\.rawValue)))
    }

    @Test func everyCallLeadsToARoute() async throws {
        try await TestStore.run { fixture in
            let routes = Set(AfterwordAPI.routes(store: fixture.store).map { "\($0.method) \($0.path)" })
            let calls = Endpoint.all.map { "\($0.method) \($0.path)" }
            #expect(Set(calls).subtracting(routes) == [])
            #expect(Set(calls).count == calls.count)
        }
    }
}
