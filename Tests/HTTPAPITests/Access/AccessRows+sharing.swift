import TestSupport

extension AccessMatrix {
    /// What participants and the holders of a share see; hidden and released texts, spam.
    static let sharingRows: [String: AccessRow] = [:]
}
