import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Charts of the results as images, and the report.
    static let picturesRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/{picture}": .viewers(200).with(query: "width=320").preparing { _ in
            ["/{picture}": "/pace.svg"]
        },
        "GET /v1/meetings/{id}/report.pdf": .viewers(200).with(query: "lang=de"),
    ]
}
