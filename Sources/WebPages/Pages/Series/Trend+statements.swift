import Contract

extension Trend.Dataset {
    /// The interval of a round's number by one statement.
    struct Statement: Equatable {
        /// The name of the statement, as in `QuestionResults.Room`.
        var name: String
        var low: Double
        var high: Double
    }

    /// The interval of a round's number by the statement to show first. If nothing is said of the round's room, it is
    /// about people like those who answered. Nil if the round has no number or no interval.
    func firstStatement(at index: Int) -> Statement? {
        let name = room?.first[index] ?? "similarPeople"
        let (low, high) =
            switch name {
            case "ifAlike": (room?.low[index], room?.high[index])
            case "certain", "known": (room?.certainLow[index], room?.certainHigh[index])
            default: (low[index], high[index])
            }
        guard let low = low.flatMap(\.self), let high = high.flatMap(\.self) else { return nil }
        return Statement(name: name, low: low, high: high)
    }

    /// The names of the statements that the rounds' intervals make, apart from those of rooms where everybody answered.
    var firstStatements: [String] {
        let found = Set(data.indices.compactMap { firstStatement(at: $0)?.name })
        return ["ifAlike", "certain", "similarPeople"].filter(found.contains)
    }
}
