import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Results under a condition, cross-tabs.
    static let filtersRows: [String: AccessRow] = [:]
}
