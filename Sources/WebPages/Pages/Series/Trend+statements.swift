import Contract
import Domain

extension Trend.Dataset {
    /// The interval of a round's number by the statement to show first. If nothing is said of the round's room, it is
    /// about people like those who answered. Nil if the round has no number or no interval.
    func firstStatement(at index: Int) -> (statement: RoomResult.Statement, interval: Interval)? {
        let statement = room?.first[index].flatMap(RoomResult.Statement.init) ?? .similarPeople
        let (low, high) =
            switch statement {
            case .ifAlike: (room?.low[index], room?.high[index])
            case .certain, .known: (room?.certainLow[index], room?.certainHigh[index])
            case .similarPeople: (low[index], high[index])
            }
        guard let low = low.flatMap(\.self), let high = high.flatMap(\.self) else { return nil }
        return (statement, Interval(low: low, high: high))
    }

    /// The statements that the intervals of the rounds make, in the order of the catalogue's texts.
    var firstStatements: [RoomResult.Statement] {
        let found = Set(data.indices.compactMap { firstStatement(at: $0)?.statement })
        return [.ifAlike, .certain, .similarPeople].filter(found.contains)
    }
}
