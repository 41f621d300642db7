import HTTPTypes
import Store
import StrictJSON

/// Database sizes and queue lengths, for admins.
struct StorageRoutes: Sendable {
    let store: Store

    var routes: [Route] { [Route(.get, "/v1/admin/storage", access: .admin(.admin), handler: show)] }

    private func show(_ request: APIRequest) async throws -> APIResponse {
        .json(try await store.storage.read().body)
    }
}

extension Storage.Reading {
    fileprivate var body: JSONValue {
        .object([
            .init("program", .string(ProgramVersion.current)), .init("postgres", .string(postgres)),
            .init("databaseBytes", JSONValue(databaseBytes)), .init("tables", .array(tables.map(\.body))),
            .init("outbox", outbox.body), .init("deliveries", deliveries.body),
            .init(
                "submissions",
                .object([
                    .init("count", JSONValue(submissions.count)), .init("exact", .bool(submissions.isExact)),
                ])),
            .init("meetings", JSONValue(meetings)),
        ])
    }
}

extension Storage.Table {
    fileprivate var body: JSONValue {
        .object([.init("name", .string(name)), .init("bytes", JSONValue(bytes)), .init("rows", JSONValue(rows))])
    }
}

extension Storage.Queue {
    fileprivate var body: JSONValue {
        .object([.init("waiting", JSONValue(waiting)), .init("oldest", JSONValue(oldest))])
    }
}
