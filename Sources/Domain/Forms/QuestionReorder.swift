/// Finds which elements of a list were moved: the fewest that explain the new order of those in both lists.
///
/// The others form a longest common subsequence, so that one moved, added or removed element does not make all later
/// ones appear as moved.
struct QuestionReorder {
    struct Move: Equatable {
        var element: String
        /// Positions in the whole lists, counted from 1.
        var from: Int
        var to: Int
    }

    /// In the new order.
    let moves: [Move]

    /// For lists without repetitions.
    init(from old: [String], to new: [String]) {
        let places = Dictionary(old.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let common = new.enumerated().compactMap { to, element in
            places[element].map { Move(element: element, from: $0 + 1, to: to + 1) }
        }
        let staying = Self.longestRise(common.map(\.from))
        moves = common.indices.filter { !staying.contains($0) }.map { common[$0] }
    }

    /// The indices of a longest strictly ascending subsequence; lists have about a hundred elements.
    private static func longestRise(_ values: [Int]) -> Set<Int> {
        var lengths = [Int](repeating: 1, count: values.count)
        var previous = [Int?](repeating: nil, count: values.count)
        for index in values.indices {
            for earlier in values[..<index].indices
            where values[earlier] < values[index] && lengths[earlier] >= lengths[index] {
                lengths[index] = lengths[earlier] + 1
                previous[index] = earlier
            }
        }
        var rise: Set<Int> = []
        // Of several, the one that ends last: the element that came to the front was moved, not all those that made
        // way.
        var last = values.indices.reversed().max { lengths[$0] < lengths[$1] }
        while let index = last {
            rise.insert(index)
            last = previous[index]
        }
        return rise
    }
}
