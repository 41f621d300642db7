/// The credential of a request.
enum Credential: Sendable, Equatable {
    case none
    case bearer(String)
    case respondent(String)
    case receipt(String)

    /// The value of `Authorization`. Invalid characters are rejected here, with an error that does not contain the
    /// secret.
    var header: String? {
        get throws {
            let (scheme, secret): (String, String)
            switch self {
            case .none: return nil
            case .bearer(let token): (scheme, secret) = ("Bearer", token)
            case .respondent(let key): (scheme, secret) = ("Respondent", key)
            case .receipt(let receipt): (scheme, secret) = ("Receipt", receipt)
            }
            guard !secret.isEmpty, secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw AfterwordError.invalidRequest("A token or receipt must consist of visible ASCII characters.")
            }
            return "\(scheme) \(secret)"
        }
    }
}
