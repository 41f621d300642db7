import Cryptography
import Foundation

/// The symmetric signature of Standard Webhooks, version 1 (https://www.standardwebhooks.com).
public enum WebhookSignature {
    /// The header `webhook-signature`: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
    ///
    /// - Parameters:
    ///   - timestamp: Seconds since 1970, as in `webhook-timestamp`.
    ///   - secret: The bytes after `whsec_`.
    public static func make(id: String, timestamp: Int, body: [UInt8], secret: [UInt8]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return "v1," + Data(HMACSHA256.authenticate(signed, key: secret)).base64EncodedString()
    }
}
