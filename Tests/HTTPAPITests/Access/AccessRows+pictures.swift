import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Results as pictures.
    static let picturesRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/{picture}": .sight(200).asking("width=320").preparing { _ in
            ["/{picture}": "/pace.svg"]
        }
    ]
}
