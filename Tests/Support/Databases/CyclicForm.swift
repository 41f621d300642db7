import Domain

/// A closed anonymous form with minimum group 3, which was read so that it is hard to find out whether it can be
/// filtered.
///
/// Each group of four people answered between the same two states that were read: two of them as two people of the
/// previous group, two as two people of the next. The periods and the answers form a cycle, and the search for its
/// smallest cut shortens it by one at a time. The number of steps is about ten times the square of the groups.
public enum CyclicForm {
    public static let minimum = 3

    /// - Parameter questions: The number of questions. Each person gives the same answer to all of them.
    public static func cells(groups: Int, questions: Int = 1) -> [FilterableQuestions.Cell] {
        (0..<groups).flatMap { group in
            [group, (group + 1) % groups].map { answer in
                FilterableQuestions.Cell(
                    values: [String?](repeating: "\(answer)", count: questions), count: 2,
                    arrivals: [ReleasedCounts.Arrival(questionSet: 1, step: 4 * group)])
            }
        }
    }

    public static func seenStates(groups: Int) -> ReleasedCounts { ReleasedCounts([1: (1..<groups).map { 4 * $0 }]) }
}
