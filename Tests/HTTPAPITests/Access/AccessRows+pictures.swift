import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Charts of the results as images.
    static let picturesRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/{picture}": .sight(200).asking("width=320").preparing { _ in
            ["/{picture}": "/pace.svg"]
        }
    ]
}
