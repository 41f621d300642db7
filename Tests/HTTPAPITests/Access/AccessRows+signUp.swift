import TestSupport

extension AccessMatrix {
    /// Sign-up, verification, password resets.
    static let signUpRows: [String: AccessRow] = [:]
}
