import Cryptography

extension PageRequest {
    /// A parameter that becomes part of the API's path: whatever cannot stand there stands in no address of ours.
    func word(_ name: String) -> String { Self.word(parameter(name)) }

    static func word(_ text: String) -> String {
        text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
    }
}

extension FormFields {
    /// A query with those of these that are there, and with others; empty without any.
    func passedOn(_ names: [String], and others: KeyValuePairs<String, String> = [:]) -> String {
        let own = names.compactMap { name in self[name].map { (name: name, value: $0) } }
        let all = own + others.map { (name: $0.key, value: $0.value) }
        return PathQuery(all.filter { !$0.value.isEmpty }).text
    }
}

/// What makes a button that is pressed twice one press.
enum SubmitToken {
    static func make() -> String { Base64URL.encode(RandomBytes.make(24)) }

    /// That of a form, or a new one where there is none that can be one.
    static func given(_ page: PageRequest) -> String {
        guard let key = page.fields["key"], (16...255).contains(key.utf8.count), key.utf8.allSatisfy(Base64URL.isDigit)
        else { return make() }
        return key
    }
}
