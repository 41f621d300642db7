import Domain
import HTTPServer
import HTTPTypes

/// Chooses the language that a client prefers (RFC 9110, section 12.5.4).
public enum AcceptedLanguage {
    /// Returns the known language with the greatest weight; of several, the first in the header. Nil if none is
    /// accepted, or if the header is too long.
    public static func best(of known: [String], in header: String?) -> String? {
        var best: (language: String, weight: Double)?
        for range in (PreferenceList.read(header) ?? "").split(separator: ",") {
            let parts = range.split(separator: ";", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            guard let tag = parts.first?.lowercased() else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            let found = known.first { tag == $0 || tag.hasPrefix($0 + "-") }
            if let found, weight > (best?.weight ?? 0) { best = (found, weight) }
        }
        return best?.language
    }
}

extension LetterCatalogues {
    /// The texts of mails, in the language that a request prefers for people who have not chosen one.
    func preferred(by request: APIRequest) -> LetterCatalogues {
        preferring(AcceptedLanguage.best(of: languages, in: request.headers[.acceptLanguage]))
    }
}
