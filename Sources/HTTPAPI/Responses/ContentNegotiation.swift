import HTTPServer

/// Decides whether an `Accept` header accepts a media type (RFC 9110, section 12.5.1).
enum ContentNegotiation {
    /// True without a header, or if the most specific range that covers one of `types` has a weight above zero. A
    /// header that is too long is ignored.
    static func admits(_ accept: String?, _ types: [String]) -> Bool {
        guard let accept = PreferenceList.read(accept), !types.isEmpty, accept != "*/*" else { return true }
        let ranges = accept.split(separator: ",").map { Range($0) }
        if ranges.isEmpty { return true }
        return types.contains { type in
            let essence = MediaType.essence(type)
            let covering = ranges.filter { $0.covers(essence) }
            return (covering.max { $0.specificity < $1.specificity }?.weight ?? 0) > 0
        }
    }

    private struct Range {
        var type: String
        var weight = 1.0

        init(_ text: Substring) {
            type = MediaType.essence(text)
            for parameter in text.split(separator: ";").dropFirst() {
                let parameter = parameter.trimmingSpaces.lowercased()
                if parameter.hasPrefix("q=") { weight = Double(parameter.dropFirst(2)) ?? 1 }
            }
        }

        var specificity: Int { type == "*/*" ? 0 : type.hasSuffix("/*") ? 1 : 2 }

        func covers(_ essence: String) -> Bool {
            switch specificity {
            case 0: true
            case 1: essence.hasPrefix(type.dropLast())
            default: essence == type
            }
        }
    }
}
