import HTTPTypes

/// The result of a form, shown once above the next page.
///
/// The notice is in a cookie that expires after a minute. If it were in the address, a shared link would report
/// something that did not happen. The sentence comes from the catalogue, and its values are shown as text.
enum Notice {
    /// The field of the cookie's value that contains the key.
    private static let keyField = "is"
    private static let maxAge = 60

    /// - Parameter key: The key in the group `done` of the catalogue.
    static func cookie(for key: String, _ values: KeyValuePairs<String, String>) -> Cookie {
        let pairs = [(name: keyField, value: key)] + values.map { (name: $0.key, value: $0.value) }
        return Cookie(name: .notice, value: String(PathQuery(pairs).text.dropFirst()), path: "/", maxAge: maxAge)
    }

    /// The sentence for the value of the cookie. Nil if the catalogue has no such key.
    static func text(_ cookie: String, _ texts: PageTexts) -> String? {
        let values = FormFields(query: cookie)
        return values[keyField].flatMap { texts.find("done.\($0)", count: values["count"]) }
            .map { texts.fill($0) { values[$0] } }
    }
}

extension PageRequest {
    /// Redirects to another page, which shows a notice.
    func done(_ key: String, _ values: KeyValuePairs<String, String> = [:], at path: String) -> PageResponse {
        newCookies.append(Notice.cookie(for: key, values))
        return .redirect(to: path)
    }

    /// Returns the notice for this page and deletes its cookie. Requests by scripts, and pages that browsers cache,
    /// leave the cookie unchanged.
    func takeNotice() -> String? {
        guard method == .get, wantsPage, !path.hasPrefix("/f/"), let cookie = cookies[.notice] else { return nil }
        newCookies.append(Cookie(name: .notice, value: "", path: "/", maxAge: 0))
        return Notice.text(cookie, texts)
    }
}
