import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Results over rounds: trends, pooled results, timelines, rankings.
    static let trendsRows: [String: AccessRow] = [
        "GET /v1/series/{id}/trend": .viewers(200).with(query: "key=pace"),
        "GET /v1/series/{id}/results": .viewers(200),
        "GET /v1/meetings/{id}/results/changes": .viewers(200),
        "GET /v1/meetings/{id}/results/timeline": .viewers(200),
        // A stranger sees no form with this key and gets the same 422 as for an unknown key.
        "GET /v1/rankings": AccessRow(401, 422, 200, 200, 200, 200, 401, 403).with(query: "key=pace&by=series"),
    ]
}
