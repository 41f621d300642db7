import StrictJSON

extension ObjectReader {
    /// A password somebody chooses: at least 10 characters and at most so many bytes, whatever they are.
    public func newPassword(_ name: String, atMostBytes limit: Int) -> String? {
        guard let password = string(name) else { return nil }
        guard password.count >= 10 else {
            fault(at: name, code: "too-short", "At least 10 characters are needed.")
            return nil
        }
        guard password.utf8.count <= limit else {
            fault(at: name, code: "too-long", "At most \(limit) bytes are allowed.")
            return nil
        }
        return password
    }
}
