import Domain
import HTTPAPI
import HTTPServer
import HTTPTypes
import NIOCore
import StrictJSON

@testable import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sample routes of every kind, without a service behind them.
enum SampleAPI {
    struct Secret: Error {
        let password = "hunter2"
    }

    static let accountID = UUID()
    static let tag = ETag("7")

    static func principal(_ token: String) -> Principal? {
        switch token {
        case "host": principal(.host, Set(Principal.Scope.allCases))
        case "admin": principal(.admin, Set(Principal.Scope.allCases))
        case "reader": principal(.host, [.readMeetings])
        default: nil
        }
    }

    private static func principal(_ role: Account.Role, _ scopes: Set<Principal.Scope>) -> Principal {
        let account = Account(id: accountID, email: "a@example.org", name: "A", role: role, createdAt: .distantPast)
        return Principal(account: account, tokenID: UUID(), scopes: scopes, expiresAt: .distantFuture)
    }

    static let routes: [Route] = [
        Route(.get, "/things/{id}", access: .anyone) { request in
            .json(.object([.init("id", .string(try request.uuid("id").uuidString))])).tagged(tag)
        },
        Route(.put, "/things/{id}", access: .anyone, accepts: .json(limit: 1000)) { request in
            try request.requireMatch(tag)
            return .json(try await request.document().json()).tagged(ETag("8"))
        },
        Route(.get, "/things/latest", access: .anyone) { _ in .json(.string("latest")) },
        Route(.get, "/words/{word}", access: .anyone) { request in .json(.string(try request.parameter("word"))) },
        Route(.post, "/notes", access: .anyone, accepts: .json(limit: 200)) { request in
            let document = try await request.document()
            let reader = ObjectReader(try document.json())
            let title = reader.requiredString("title")
            let count = reader.int("count")
            let faults = reader.finish()
            guard faults.isEmpty, let title else { throw Problem(faults) }
            return .json(.object([.init("title", .string(title)), .init("count", JSONValue(count))]), status: .created)
        },
        Route(.get, "/list", access: .anyone, query: ["limit", "from", "role"]) { request in
            let (limit, from, role) = try request.query { query in
                (
                    query.int("limit", in: 1...200) ?? 50, query.dateOrInstant("from"),
                    query.choice("role", of: Account.Role.self)
                )
            }
            return .json(
                .object([
                    .init("limit", JSONValue(limit)), .init("from", JSONValue(from.map(RFC3339.format))),
                    .init("role", JSONValue(role?.rawValue)),
                ]))
        },
        Route(.get, "/mine", access: .account(.readMeetings)) { request in
            .json(.string(try request.requireCaller().account.role.rawValue))
        },
        Route(.post, "/mine", access: .account(.writeMeetings)) { _ in .noContent },
        Route(.get, "/all", access: .admin(nil)) { _ in .noContent },
        Route(.get, "/receipts/{id}", access: .receipt) { request in
            guard case .receipt(let receipt) = request.credentials else { throw Problem(.unauthorized) }
            return .json(.string(receipt))
        },
        Route(.post, "/forms/{code}", access: .participant, accepts: .optionalJSON(limit: 100)) { request in
            let key = try request.idempotencyKey(atLeast: 16)
            let document = try await request.optionalDocument()
            return .json(.array([JSONValue(key), try document?.json() ?? .null]))
        },
        Route(.get, "/broken", access: .anyone) { _ in throw Secret() },
        Route(.get, "/busy", access: .anyone) { _ in throw Problem(.overloaded, retryAfter: 3) },
        Route(.get, "/rows.csv", access: .anyone, produces: [MediaType.csv], streamed: true) { _ in
            .stream(as: MediaType.csv, trailers: [.rows]) { writer in
                for row in 1...3 { try await writer.write(ByteBuffer(string: "\(row)\r\n")) }
                return [.rows: "3"]
            }
        },
        Route(.get, "/torn.csv", access: .anyone, produces: [MediaType.csv], streamed: true) { _ in
            .stream(as: MediaType.csv) { writer in
                try await writer.write(ByteBuffer(string: "1\r\n"))
                throw Secret()
            }
        },
    ]

    static func api(
        adding additional: [Route] = [], metrics: PrometheusRegistry = PrometheusRegistry(),
        limits: ConnectionLimits = .init()
    ) throws -> API {
        try API(routes: routes + additional, authenticate: { principal($0) }, metrics: metrics, limits: limits)
    }
}
