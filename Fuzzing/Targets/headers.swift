import Foundation

@testable import HTTPAPI
@testable import HTTPServer
@testable import WebPages

extension FuzzTarget {
    /// The values of header fields: languages, tags, media types, credentials, addresses and cookies.
    static let headers: Run = { input in
        guard let (selector, rest) = input.choice else { return }
        let text = rest.text
        switch selector % 7 {
        case 0: checkLanguage(text)
        case 1: checkTags(text)
        case 2: checkMediaTypes(text)
        case 3: checkCredentials(text)
        case 4: checkAddress(text)
        case 5: checkCookies(text)
        default: checkHost(rest.array)
        }
    }

    private static func checkLanguage(_ text: String) {
        // The longest text that is made of it below has to be shorter than the longest list that is read.
        guard text.utf8.count <= PreferenceList.longest / 4 else { return }
        let known = Language.allCases.map(\.rawValue)
        func best(_ text: String) -> String? { AcceptedLanguage.best(of: known, in: text) }
        let language = best(text)
        law(language.map(known.contains) ?? true, "The language is known.")
        let primary = text.lowercased().split(separator: ",").map { range in
            range.filter { $0 != " " }.drop { $0 == ";" }.prefix { !"-;".contains($0) }
        }
        law(language.map { primary.contains($0[...]) } ?? true, "The header contains the language.")
        law(best(text + ",xx;q=0.5,zz-ZZ") == language, "Unknown languages change nothing.")
        if text.allSatisfy(\.isASCII) {
            law(best(text.replacing(",", with: " , ")) == language, "Space changes nothing.")
            law(best(text + "," + text) == language, "A repetition changes nothing.")
        }
        law(Language(accepting: text).rawValue == language ?? "en", "English is the default.")
    }

    private static func checkTags(_ text: String) {
        // This service's tags are ASCII, so a non-ASCII tag never equals one of them, however it is read.
        guard let list = ETag.List(parsing: text), text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        guard case .tags(let tags) = list else { return law(text.contains("*"), "A star stands for all tags.") }
        law(!tags.isEmpty && tags.allSatisfy { !$0.opaque.contains("\"") }, "A tag contains no quote.")
        let written = tags.map(\.description).joined(separator: ", ")
        law(ETag.List(parsing: written) == list, "Written tags are read as the same.")
        _ = tags.map(\.revision)
    }

    private static func checkMediaTypes(_ text: String) {
        let types = [MediaType.json, MediaType.problem]
        law(ContentNegotiation.admits(nil, types), "Without Accept every type is admitted.")
        if !ContentNegotiation.admits(text, types) {
            law(!ContentNegotiation.admits(text, [MediaType.json]), "A shorter list of types is not admitted either.")
        }
        let essence = MediaType.essence(text)
        law(isSame(MediaType.essence(essence), essence), "A type without parameters stays as it is.")
    }

    private static func checkCredentials(_ text: String) {
        guard let credentials = try? Credentials(parsing: text) else { return }
        let token =
            switch credentials {
            case .bearer(let token), .receipt(let token), .respondent(let token): token
            }
        law(1...1024 ~= token.utf8.count && token.utf8.allSatisfy { 0x21...0x7e ~= $0 }, "A token is visible ASCII.")
        law(text.utf8.count >= token.utf8.count + 7, "A token follows its scheme.")
    }

    private static func checkAddress(_ text: String) {
        if let address = ClientAddress(text) {
            let isNetwork = address.text.hasSuffix("::/64")
            law(isNetwork || ClientAddress(address.text) == address, "An address is read as itself.")
            law(address.text.utf8.allSatisfy { 0x21...0x7e ~= $0 }, "An address is visible ASCII.")
        }
        for count in 0...2 {
            let client = ClientAddress(peer: "192.0.2.1", forwarded: text, trustedProxies: count)
            law(count > 0 || client.text == "192.0.2.1", "Without a trusted proxy the peer is the client.")
        }
    }

    private static func checkCookies(_ text: String) {
        let cookies = Cookies([text], isSecure: true)
        for name in [CookieName.session, .csrf, .device] {
            guard let value = cookies[name] else { continue }
            law(text.contains("__"), "Over HTTPS, the name of a cookie has a prefix.")
            law(value.utf8.count < text.utf8.count, "A value is a part of the header.")
        }
    }

    /// Checks that another parser finds the same host in a URL with this host.
    private static func checkHost(_ bytes: [UInt8]) {
        guard HostField.isValid(bytes) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        law(
            bytes.allSatisfy { 0x21...0x7e ~= $0 && !"/?#@\\".utf8.contains($0) },
            "A host contains no delimiter of URLs.")
        guard !text.hasPrefix("["), let parts = URLComponents(string: "http://\(text)/") else { return }
        let host = text.prefix { $0 != ":" }
        law(isSame(parts.percentEncodedHost ?? "", String(host)), "Foundation reads the same host.")
    }
}
