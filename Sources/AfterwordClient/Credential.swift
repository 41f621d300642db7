/// What a request says of who sends it.
enum Credential: Sendable, Equatable {
    case none
    case bearer(String)
    case respondent(String)
    case receipt(String)

    /// The value of `Authorization`.
    var header: String? {
        switch self {
        case .none: nil
        case .bearer(let token): "Bearer \(token)"
        case .respondent(let key): "Respondent \(key)"
        case .receipt(let receipt): "Receipt \(receipt)"
        }
    }
}
