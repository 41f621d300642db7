/// A statement as nested queries, read without knowing its tables. Enough of SQL for `CitusRules`.
struct SQLText {
    /// A query: the tokens at its own level, in which each inner query is one token, and the inner queries.
    struct Query {
        enum Place {
            case statement
            /// In FROM, or the query of a WITH.
            case relation
            /// In an expression.
            case expression
        }

        var place: Place
        var tokens: [String] = []
        var queries: [Query] = []

        /// All tokens, those of inner queries included.
        var allTokens: [String] { queries.reduce(tokens) { $0 + $1.allTokens } }

        /// The query and all inner ones.
        var all: [Query] { queries.reduce([self]) { $0 + $1.all } }
    }

    /// Stands for an inner query among the tokens of the outer one.
    static let inner = "(query)"
    /// The only token of a query that is a union of others.
    static let union = "(union)"

    let statement: Query

    init(_ sql: String) {
        var tokens = Self.tokens(of: sql)[...]
        statement = Self.query(.statement, &tokens)
    }

    private static func query(_ place: Query.Place, _ tokens: inout ArraySlice<String>) -> Query {
        var query = Query(place: place)
        var parts: [Query] = []
        var depth = 0
        while let token = tokens.popFirst() {
            if token == "(", let next = tokens.first, ["select", "with", "insert", "update", "delete"].contains(next) {
                query.queries.append(Self.query(innerPlace(after: query.tokens), &tokens))
                query.tokens.append(inner)
                continue
            }
            if token == "(" { depth += 1 }
            if token == ")" {
                if depth == 0 { break }
                depth -= 1
            }
            if depth == 0, ["union", "except", "intersect"].contains(token) {
                if tokens.first == "all" { tokens.removeFirst() }
                parts.append(query)
                query = Query(place: .relation)
                continue
            }
            query.tokens.append(token)
        }
        guard !parts.isEmpty else { return query }
        parts[0].place = .relation
        return Query(place: place, tokens: [union], queries: parts + [query])
    }

    private static func innerPlace(after tokens: [String]) -> Query.Place {
        switch tokens.last {
        case "from", "join", "lateral", "materialized": return .relation
        case "as": return tokens.contains("with") ? .relation : .expression
        case ",": return clause(of: tokens) == "from" ? .relation : .expression
        default: return .expression
        }
    }

    /// The clause at the end of these tokens.
    static func clause(of tokens: some BidirectionalCollection<String>) -> String? {
        tokens.last { ["select", "from", "where", "set", "group", "order", "values", "returning", "on"].contains($0) }
    }

    /// Words in lower case, numbers, parameters, and punctuation. Literals become `''`, comments are left out.
    static func tokens(of sql: String) -> [String] {
        let bytes = Array(sql.utf8)
        var tokens: [String] = []
        var index = 0
        /// Moves behind the bytes that match.
        func skip(_ isMatch: (UInt8) -> Bool) { while index < bytes.count, isMatch(bytes[index]) { index += 1 } }
        while index < bytes.count {
            let start = index
            let byte = bytes[index]
            let pair = bytes[index...].prefix(2)
            index += 1
            if isWord(byte) {
                skip { isWord($0) || $0 == UInt8(ascii: ".") }
                tokens.append(String(decoding: bytes[start..<index], as: UTF8.self).lowercased())
            } else if pair.elementsEqual("--".utf8) {
                skip { $0 != UInt8(ascii: "\n") }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                skip { $0 != byte }
                tokens.append(
                    byte == UInt8(ascii: "'") ? "''" : String(decoding: bytes[(start + 1)..<index], as: UTF8.self))
                index += 1
            } else if ["::", "<>", "<=", ">=", "=>", "->"].contains(String(decoding: pair, as: UTF8.self)) {
                index += 1
                tokens.append(String(decoding: pair, as: UTF8.self))
            } else if byte > 32 {
                tokens.append(String(decoding: [byte], as: UTF8.self))
            }
        }
        return tokens
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 128...: true
        default: false
        }
    }
}
