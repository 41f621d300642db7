import HTTPTypes

/// The fields of a plain request head, parsed in one pass. A plain head announces a short JSON body of known length or
/// no body, and has no field that needs further checks.
struct PlainFields {
    /// The size of the longest body. A longer one would occupy the event loop for too long.
    static let longestBody = 16 * 1024

    private(set) var accept: String?
    private(set) var authorization: String?
    private(set) var closesConnection = false

    /// Returns nil for any other head, including one with a repeated field.
    init?(_ fields: HTTPFields, hasBody: Bool) {
        var (isJSON, isShort) = (false, false)
        for field in fields {
            switch field.name {
            case .contentType:
                guard !isJSON, field.value == MediaType.json else { return nil }
                isJSON = true
            case .contentLength:
                guard !isShort, let length = Int(field.value), (1...Self.longestBody).contains(length) else {
                    return nil
                }
                isShort = true
            case .accept:
                guard accept == nil else { return nil }
                accept = field.value
            case .authorization:
                guard authorization == nil else { return nil }
                authorization = field.value
            case .connection:
                guard hasBody else {
                    guard field.value == "keep-alive" || field.value == "close" else { return nil }
                    closesConnection = closesConnection || field.value == "close"
                    continue
                }
                guard field.value == "keep-alive" else { return nil }
            case .contentEncoding, .expect, .transferEncoding: return nil
            default: break
            }
        }
        guard hasBody ? isJSON && isShort : !isShort else { return nil }
    }
}
