/// What Citus refuses although PostgreSQL accepts it, as far as the text of a statement shows it. Each rule was found
/// by a statement that Citus 13.2 refused (`CitusRefusals` has them). The rules may miss a statement; a run of the
/// suites on a cluster does not (docs/scaling.md).
public struct CitusRules: Sendable {
    public enum Rule: String, Sendable, CaseIterable {
        case volatileFunction = "functions used in UPDATE queries on distributed tables must not be VOLATILE"
        case clockInCase = "non-IMMUTABLE functions are not allowed in CASE or COALESCE statements"
        case timeOfColumn = "STABLE functions used in UPDATE queries cannot be called with column references"
        case clockInUpsert =
            "functions used in the DO UPDATE SET clause of INSERTs on distributed tables must be marked IMMUTABLE"
        case clockInReturning = "non-IMMUTABLE functions are not allowed in the RETURNING clause"
        case joinWithoutKey =
            "complex joins are only supported when all distributed tables are joined on their distribution columns"
        case nestedSubquery =
            "correlated subqueries are not supported when the FROM clause contains a reference table"
        case maximumOfArray = "no matching oid for function: max"
        case twoWrites = "could not create distributed plan"
        case localWrite = "relation does not exist (on a worker)"
        case emptySelect = "a column definition list is required for functions returning \"record\""
        case lockOverSubquery = "could not run distributed query with FOR UPDATE/SHARE commands"
    }

    let referenceTables: Set<String>
    let dataTables: Set<String>
    let localTables: Set<String>

    public init(referenceTables: [String], dataTables: [String], localTables: [String]) {
        self.referenceTables = Set(referenceTables)
        self.dataTables = Set(dataTables)
        self.localTables = Set(localTables)
    }

    /// The rules that the statement breaks.
    public func violations(of sql: String) -> [Rule] {
        var statement = SQLText(sql).statement
        if statement.tokens.first == "copy", statement.queries.count == 1 { statement = statement.queries[0] }
        guard Self.verb(statement) != nil || statement.tokens == [SQLText.union] else { return [] }
        var broken = statement.all.flatMap(write) + nestedSubqueries(statement)
        let tokens = statement.allTokens
        for (index, token) in tokens.enumerated() where ["max", "min"].contains(token) {
            if tokens[(index + 1)...].prefix(2) == ["(", "array"], uses(distributed: statement) {
                broken.append(.maximumOfArray)
            }
        }
        if !isJoinedByKey(statement) { broken.append(.joinWithoutKey) }
        if statement.all.count(where: { target($0).map(isDistributed) == true }) > 1,
            statement.tokens.contains("insert"), !statement.tokens.contains("values")
        {
            broken.append(.twoWrites)
        }
        broken += lock(statement)
        if statement.all.contains(where: selectsNothing) { broken.append(.emptySelect) }
        return Rule.allCases.filter { broken.contains($0) }
    }

    private func isDistributed(_ table: String) -> Bool {
        referenceTables.contains(table) || dataTables.contains(table)
    }

    private func uses(distributed query: SQLText.Query) -> Bool {
        query.all.contains { relations($0).contains { dataTables.contains($0.table) } }
    }

    // MARK: Tables

    /// The table that a query writes.
    private func target(_ query: SQLText.Query) -> String? {
        let tokens = query.tokens
        guard let verb = Self.verb(query) else { return nil }
        switch tokens[verb] {
        case "insert", "delete": return tokens[verb...].dropFirst(2).first
        case "update": return tokens[verb...].dropFirst().first
        default: return nil
        }
    }

    private static let verbs: Set<String> = ["select", "insert", "update", "delete"]

    /// The place of SELECT, INSERT, UPDATE or DELETE.
    private static func verb(_ query: SQLText.Query) -> Int? {
        guard let first = query.tokens.first, first == "with" || verbs.contains(first) else { return nil }
        return query.tokens.firstIndex(where: verbs.contains)
    }

    /// The tables that a query reads or writes, with their aliases.
    private func relations(_ query: SQLText.Query, written: Bool = true) -> [(table: String, alias: String)] {
        let tokens = query.tokens
        return tokens.indices.compactMap { index in
            let table = tokens[index]
            guard isDistributed(table) || localTables.contains(table), index > 0 else { return nil }
            switch tokens[index - 1] {
            case "from", "join", "update", "only": break
            case "into" where written: break
            case ",": guard SQLText.clause(of: tokens[..<index]) == "from" else { return nil }
            default: return nil
            }
            let following = tokens[(index + 1)...].first { $0 != "as" }
            guard let alias = following, Self.isName(alias), !Self.keywords.contains(alias) else {
                return (table, table)
            }
            return (table, alias)
        }
    }

    private static let keywords: Set<String> = [
        "where", "join", "left", "on", "cross", "inner", "group", "order", "limit", "for", "set", "union", "returning",
        "values", "select", "using", "having", "offset", "full", "right", "natural", "window", "except", "intersect",
    ]

    private static func isName(_ token: String) -> Bool { token.first.map { $0.isLetter || $0 == "_" } == true }

    // MARK: Writes

    private static let volatile: Set<String> = ["clock_timestamp", "random", "gen_random_uuid", "nextval", "timeofday"]
    private static let clocks: Set<String> = volatile.union([
        "now", "statement_timestamp", "transaction_timestamp", "current_timestamp", "current_date",
    ])

    private func write(_ query: SQLText.Query) -> [Rule] {
        guard let verb = Self.verb(query), let table = target(query) else { return [] }
        let tokens = query.tokens
        if localTables.contains(table) {
            let reads = query.all.contains { relations($0).contains { isDistributed($0.table) } }
            return reads && tokens[verb] != "insert" ? [.localWrite] : []
        }
        guard isDistributed(table) else { return [] }
        var broken: [Rule] = []
        let all = query.allTokens
        if tokens[verb] == "insert" {
            if let conflict = tokens.firstIndex(of: "do"), tokens[conflict...].contains(where: Self.clocks.contains) {
                broken.append(.clockInUpsert)
            }
            let reads = relations(query).dropFirst().contains { dataTables.contains($0.table) }
            if reads, all.contains(where: Self.volatile.contains) { broken.append(.volatileFunction) }
            return broken
        }
        if all.contains(where: Self.volatile.contains) { broken.append(.volatileFunction) }
        for index in tokens.indices {
            let depends = dependsOnTimeZone(tokens, index)
            if depends, isColumn(tokens[index - 1]) { broken.append(.timeOfColumn) }
            if depends || Self.clocks.contains(tokens[index]), isConditional(tokens, index) {
                broken.append(.clockInCase)
            }
            if depends || Self.clocks.contains(tokens[index]), tokens[..<index].contains("returning") {
                broken.append(.clockInReturning)
            }
        }
        return broken
    }

    /// Whether an interval is added or subtracted here, which depends on the session's time zone.
    private func dependsOnTimeZone(_ tokens: [String], _ index: Int) -> Bool {
        guard index > 0, ["+", "-"].contains(tokens[index]) else { return false }
        for token in tokens[(index + 1)...].prefix(8) {
            if ["interval", "make_interval"].contains(token) { return true }
            if [",", "+", "-", "and", "or", "where", "from"].contains(token) { return false }
        }
        return false
    }

    private func isColumn(_ token: String) -> Bool {
        Self.isName(token) && !Self.keywords.contains(token) && token != "end"
    }

    /// Whether a token is within CASE or COALESCE.
    private func isConditional(_ tokens: [String], _ index: Int) -> Bool {
        var cases = 0
        var calls: [Bool] = []
        for (place, token) in tokens[..<index].enumerated() {
            switch token {
            case "case": cases += 1
            case "end": cases -= 1
            case "(": calls.append(place > 0 && tokens[place - 1] == "coalesce")
            case ")": _ = calls.popLast()
            default: break
            }
        }
        return cases > 0 || calls.contains(true)
    }

    // MARK: Reads

    /// A subquery in an expression that reads only reference tables and has a subquery itself, beside data tables.
    private func nestedSubqueries(_ statement: SQLText.Query) -> [Rule] {
        guard uses(distributed: statement) else { return [] }
        let isNested = statement.all.contains { query in
            query.place == .expression && !relations(query).isEmpty
                && !relations(query).contains { dataTables.contains($0.table) }
                && query.queries.contains { $0.place == .expression }
        }
        return isNested ? [.nestedSubquery] : []
    }

    /// Whether it is a subquery in FROM of distributed tables without a column.
    private func selectsNothing(_ query: SQLText.Query) -> Bool {
        query.place == .relation && query.tokens.starts(with: ["select", "from"])
            && relations(query).contains { isDistributed($0.table) }
    }

    private func lock(_ statement: SQLText.Query) -> [Rule] {
        let tokens = statement.tokens
        guard let place = tokens.lastIndex(of: "for"), place + 1 < tokens.count,
            ["update", "share", "no", "key"].contains(tokens[place + 1]),
            relations(statement).contains(where: { dataTables.contains($0.table) })
        else { return [] }
        let isRouted = zip(tokens.indices, tokens).contains { index, token in
            (token == "form_id" || token.hasSuffix(".form_id")) && index + 2 < tokens.count && tokens[index + 1] == "="
                && tokens[index + 2].hasPrefix("$")
        }
        return isRouted ? [] : [.lockOverSubquery]
    }

    /// Whether all data tables that one query reads, its subqueries in expressions included, are joined by their key.
    ///
    /// A condition of an outer join, or between a subquery and the outer query, counts only if it compares two data
    /// tables, because Citus infers nothing from others.
    private func isJoinedByKey(_ query: SQLText.Query) -> Bool {
        var keys: Set<String> = []
        var pairs: [(String, String)] = []
        collect(query, isSubquery: false, &keys, &pairs)
        var joined = Set(keys.prefix(1))
        var count = -1
        while count != joined.count {
            count = joined.count
            for (left, right) in pairs where joined.contains(left) != joined.contains(right) {
                joined.formUnion([left, right])
            }
        }
        return keys.isSubset(of: joined) && derived(query).allSatisfy(isJoinedByKey)
    }

    /// The queries in FROM and WITH.
    private func derived(_ query: SQLText.Query) -> [SQLText.Query] {
        query.queries.flatMap { $0.place == .relation ? [$0] : derived($0) }
    }

    private func collect(
        _ query: SQLText.Query, isSubquery: Bool, _ keys: inout Set<String>, _ pairs: inout [(String, String)]
    ) {
        let own = relations(query, written: false).filter { dataTables.contains($0.table) }
            .map { "\($0.alias).form_id" }
        keys.formUnion(own)
        let aliases = Set(relations(query).map(\.alias))
        let isOwn = { (side: String) in side == "$" || aliases.contains(String(side.prefix { $0 != "." })) }
        let tokens = query.tokens
        for index in tokens.indices.dropFirst().dropLast() where tokens[index] == "=" {
            let sides = [tokens[index - 1], tokens[index + 1]].map { side in
                // Parameters and literals of one statement name one form.
                side.hasPrefix("$") || side == "''" ? "$" : side == "form_id" && own.count == 1 ? own[0] : side
            }
            let isDirect = sides.allSatisfy { keys.contains($0) || $0 == "$" }
            let isInner = !isInOuterJoin(tokens, index) && (!isSubquery || sides.allSatisfy(isOwn))
            if isDirect || isInner { pairs.append((sides[0], sides[1])) }
        }
        for inner in query.queries where inner.place == .expression { collect(inner, isSubquery: true, &keys, &pairs) }
    }

    private func isInOuterJoin(_ tokens: [String], _ index: Int) -> Bool {
        guard SQLText.clause(of: tokens[..<index]) == "on",
            let join = tokens[..<index].lastIndex(of: "join")
        else { return false }
        return ["left", "right", "full", "outer"].contains(tokens[join - 1])
    }
}
