import HTTPTypes

/// The result of a form, shown once above the next page.
///
/// It is in a cookie that expires after a minute. In the address it could be shared, and would report something that did
/// not happen. The sentence is from the catalogue, and its values are shown as text.
struct Notice {
    static let cookie = CookieName.notice
    private static let name = "is"
    private static let life = 60

    /// The key in the group `done` of the catalogue.
    private let word: String
    private let values: FormFields

    init?(_ text: String?) {
        guard let text else { return nil }
        values = FormFields(text)
        guard let word = values[Self.name] else { return nil }
        self.word = word
    }

    static func made(_ word: String, _ values: KeyValuePairs<String, String>) -> Cookie {
        let pairs = [(name: name, value: word)] + values.map { (name: $0.key, value: $0.value) }
        return Cookie(name: cookie, value: String(PathQuery(pairs).text.dropFirst()), path: "/", life: life)
    }

    /// Nil if the catalogue has no such key.
    func text(_ texts: PageTexts) -> String? { texts.find("done.\(word)").map { texts.fill($0) { values[$0] } } }
}

extension PageRequest {
    /// Redirects to another page, which shows a notice.
    func done(_ word: String, _ values: KeyValuePairs<String, String> = [:], at path: String) -> PageAnswer {
        newCookies.append(Notice.made(word, values))
        return .redirect(to: path)
    }

    /// The notice for this page, which is then deleted. Requests of scripts and cached pages leave it in the cookie.
    func takeNotice() -> String? {
        guard method == .get, wantsPage, !path.hasPrefix("/f/"), let cookie = cookies[Notice.cookie] else { return nil }
        newCookies.append(Cookie(name: Notice.cookie, value: "", path: "/", life: 0))
        return Notice(cookie)?.text(texts)
    }
}
