import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Words of texts.
    static let termsRows: [String: AccessRow] = [:]
}
