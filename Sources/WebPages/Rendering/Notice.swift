import HTTPTypes

/// What a press has done, told once above the page that it led to.
///
/// It travels in a cookie of a minute: an address can be sent to anybody and would tell them of what nobody did. Which
/// sentence it is comes from our own texts; what is filled in is shown as text.
struct Notice {
    static let cookie = CookieName.notice
    private static let name = "is"
    private static let life = 60

    /// Of the texts' group `done`.
    private let word: String
    private let values: FormFields

    /// What the cookie says.
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

    /// Nil for a word that there is no sentence for.
    func text(_ texts: PageTexts) -> String? { texts.find("done.\(word)").map { texts.fill($0) { values[$0] } } }
}

extension PageRequest {
    /// To another page, which tells what was done.
    func done(_ word: String, _ values: KeyValuePairs<String, String> = [:], at path: String) -> PageAnswer {
        newCookies.append(Notice.made(word, values))
        return .redirect(to: path)
    }

    /// The notice for this page, which is then gone. Scripts that look at a page, and pages that are kept, leave it.
    func takeNotice() -> String? {
        guard method == .get, wantsPage, !path.hasPrefix("/f/"), let cookie = cookies[Notice.cookie] else { return nil }
        newCookies.append(Cookie(name: Notice.cookie, value: "", path: "/", life: 0))
        return Notice(cookie)?.text(texts)
    }
}
