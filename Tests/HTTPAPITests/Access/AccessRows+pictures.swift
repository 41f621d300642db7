import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Results as pictures.
    static let picturesRows: [String: AccessRow] = [:]
}
