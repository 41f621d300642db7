import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Terms of text answers.
    static let termsRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/{key}/terms": .viewers(200)
    ]
}
