/// The link with which an invited person creates an account.
public enum InvitationLink {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)

    /// - Parameters:
    ///   - email: The only address that may use it, filled in for the reader.
    ///   - service: The beginning of links.
    public static func make(code: String, email: String?, service: String) -> String {
        "\(service)/sign-up?invitation=\(code)" + (email.map { "&email=\(encode($0))" } ?? "")
    }

    private static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
