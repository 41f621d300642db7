import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Results over rounds: trends, pooled results, timelines, rankings.
    static let trendsRows: [String: AccessRow] = [
        "GET /v1/series/{id}/trend": .sight(200).asking("key=pace"),
        "GET /v1/series/{id}/results": .sight(200),
        "GET /v1/meetings/{id}/results/timeline": .sight(200),
        // A stranger sees no form with this key and gets the same 422 as for an unknown key.
        "GET /v1/rankings": AccessRow(401, 422, 200, 200, 200, 200, 401, 403).asking("key=pace&by=series"),
    ]
}
