import Foundation

extension UUID {
    /// As it stands in every document and message.
    var lowercased: String { uuidString.lowercased() }
}
