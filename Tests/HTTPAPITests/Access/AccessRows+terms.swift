import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Words of texts.
    static let termsRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/{key}/terms": .sight(200)
    ]
}
