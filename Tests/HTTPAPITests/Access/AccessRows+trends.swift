import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Results over rounds, by time, in order of rank.
    static let trendsRows: [String: AccessRow] = [:]
}
