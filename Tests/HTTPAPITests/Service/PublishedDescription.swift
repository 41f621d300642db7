import HTTPAPI
import HTTPServer
import HTTPTypes
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PublishedDescription {
    @Test func documentListsExactlyTheServedRoutes() async throws {
        try await TestService.run { service in
            let api = try AfterwordAPI.api(
                store: service.fixture.store, metrics: PrometheusRegistry())
            let document = try OpenAPIDocument.load()
            #expect(api.table.differences(document) == [])
        }
    }

    /// Generated clients name their functions after the operation ids.
    @Test func operationIdsAreUnique() throws {
        let paths = try OpenAPIDocument.load().value["paths"]?.members ?? []
        let ids = paths.flatMap { $0.value.members ?? [] }.compactMap { $0.value["operationId"]?.string }
        #expect(ids.count > 100)
        #expect(Dictionary(grouping: ids) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
    }

    @Test func documentIsServedAsYAMLAndAsJSON() async throws {
        try await TestService.run { service in
            let yaml = try await service.anyone.get("/openapi.yaml").expect(200)
            #expect(yaml["Content-Type"] == "application/yaml" && yaml.text.hasPrefix("openapi:"))
            let json = try await service.anyone.get("/openapi.json").expect(200)
            #expect(json.json?["openapi"]?.string?.hasPrefix("3.1") == true)
            let tag = try #require(json["ETag"])
            #expect(try await service.anyone.get("/openapi.json", headers: ["If-None-Match": tag]).status == 304)
        }
    }

    /// The document lists every status that all routes of a kind share.
    @Test func documentListsTheStatusesOfEachKindOfRoute() async throws {
        try await TestService.run { service in
            let value = try OpenAPIDocument.load().value
            for route in AfterwordAPI.routes(store: service.fixture.store) {
                let operation = value["paths"]?[route.path]?[route.method.rawValue.lowercased()]
                let statuses = Set((operation?["responses"]?.members ?? []).map(\.name))
                var needed: Set = ["500", "503"]
                if !route.produces.isEmpty { needed.insert("406") }
                if route.path.contains("{") { needed.insert("404") }
                switch route.access {
                case .anyone, .participant: break
                case .receipt: needed.insert("401")
                case .account(let scope), .admin(let scope):
                    needed.insert("401")
                    if scope != nil { needed.insert("403") }
                }
                if route.accepts != .none { needed.formUnion(["400", "408", "413", "415", "422"]) }
                #expect(needed.subtracting(statuses) == [], "\(route.method) \(route.path)")
                #expect(statuses.contains { $0.hasPrefix("2") || $0 == "303" }, "\(route.method) \(route.path)")
            }
        }
    }
}
