import Foundation

/// The link with which an invited person creates an account.
public enum InvitationLink {
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    /// - Parameters:
    ///   - email: The only address that may use the code. The sign-up page fills it in.
    ///   - service: The base URL of links.
    public static func make(code: String, email: String?, service: String) -> String {
        let encoded = email?.addingPercentEncoding(withAllowedCharacters: unreserved)
        return "\(service)/sign-up?invitation=\(code)" + (encoded.map { "&email=\($0)" } ?? "")
    }
}
