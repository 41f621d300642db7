/// Finds a smallest set of moves that explains the new order of a list.
///
/// All other elements form a longest common subsequence of the two lists. So one moved, added or removed element does
/// not make all later elements appear as moved.
struct QuestionReorder {
    struct Move: Equatable {
        var element: String
        /// The positions in the old and in the new list, counted from 1.
        var from: Int
        var to: Int
    }

    /// The moves in the order of the new list.
    let moves: [Move]

    /// The lists must not contain duplicates.
    init(from old: [String], to new: [String]) {
        let oldPositions = Dictionary(old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let common = new.enumerated().compactMap { to, element in
            oldPositions[element].map { Move(element: element, from: $0 + 1, to: to + 1) }
        }
        let staying = Self.longestAscendingSubsequence(common.map(\.from))
        moves = common.indices.filter { !staying.contains($0) }.map { common[$0] }
    }

    /// The indices of a longest strictly ascending subsequence. Quadratic time is acceptable, because lists have at
    /// most about a hundred elements.
    private static func longestAscendingSubsequence(_ values: [Int]) -> Set<Int> {
        var lengths = [Int](repeating: 1, count: values.count)
        var previous = [Int?](repeating: nil, count: values.count)
        for index in values.indices {
            for earlier in values[..<index].indices
            where values[earlier] < values[index] && lengths[earlier] >= lengths[index] {
                lengths[index] = lengths[earlier] + 1
                previous[index] = earlier
            }
        }
        var subsequence: Set<Int> = []
        // Of several longest subsequences, the one that ends last is chosen: if one element is moved to the front, only
        // this element is reported as moved.
        var last = values.indices.reversed().max { lengths[$0] < lengths[$1] }
        while let index = last {
            subsequence.insert(index)
            last = previous[index]
        }
        return subsequence
    }
}
