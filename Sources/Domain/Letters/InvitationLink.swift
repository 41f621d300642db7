/// Where whoever is invited makes their account.
public enum InvitationLink {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)

    /// - Parameters:
    ///   - email: the only address that may use it, so that nobody has to type it.
    ///   - service: what links begin with.
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
