/// What of a database URL may be shown.
enum DatabaseURL {
    /// The URL without its password, be it in `user:password@`, in the query, or in a `key=value` string.
    ///
    /// It hides rather too much: everything from the first colon to the last `@`.
    static func masked(_ url: String) -> String {
        url.replacing(/^(?<head>postgres(?:ql)?:\/\/[^:@\/?]*):.*@/) { "\($0.head):****@" }
            .replacing(/(?i)(?<key>(?:ssl)?password\s*=\s*)(?:'(?:[^'\\]|\\.)*'?|[^\s&]*)/) { "\($0.key)****" }
    }
}
