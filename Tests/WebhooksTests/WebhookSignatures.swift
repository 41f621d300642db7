import Foundation
import Testing
import Webhooks

@Suite struct WebhookSignatures {
    /// The example in the reference libraries of Standard Webhooks.
    @Test func signatureMatchesTheReferenceExample() throws {
        let secret = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = WebhookSignature.make(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8),
            secret: Array(secret))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }
}
