/// The people who contribute to a result: 1 for each included person, otherwise 0.
public typealias Population = [Int]

/// The results that a reader knows, and whether they isolate a few people.
///
/// Every number of a result is a sum of one value for each person in its population. A sum or difference of several
/// results is therefore a sum of the same values, each with a factor. If the factors are 0 for all but a few people,
/// the combination isolates these few.
public struct KnownPopulations: Sendable {
    public var all: [Population]
    /// The owner of each entry of a population: a person who corrected their answers has one entry for each version.
    private let owners: [Int]?

    public init(all: [Population], owners: [Int]? = nil) { (self.all, self.owners) = (all, owners) }

    /// A set of `minimum - 1` people, or of all if there are fewer, outside of which some combination of the results is
    /// zero; nil if there is none. The check is exact, because it compares ranks of integer matrices.
    public func isolated(fewerThan minimum: Int) -> [Int]? {
        guard let width = all.first?.count, width > 0 else { return nil }
        let owners = owners ?? Array(0..<width)
        let people = (owners.max() ?? -1) + 1
        let fullRank = Self.rank(all)
        return Self.subsets(of: people, size: min(minimum - 1, people)).first { few in
            // If a combination is 0 outside these few, the rank is lower without their columns.
            Self.rank(all.map { row in row.indices.filter { !few.contains(owners[$0]) }.map { row[$0] } }) < fullRank
        }
    }

    private static func subsets(of people: Int, size: Int) -> [[Int]] {
        guard size > 0 else { return [[]] }
        return subsets(of: people, size: size - 1).flatMap { few in
            ((few.last.map { $0 + 1 } ?? 0)..<max(people, few.last.map { $0 + 1 } ?? 0)).map { few + [$0] }
        }
    }

    /// Fraction-free elimination (Bareiss 1968): every entry remains a minor of the matrix, hence small.
    public static func rank(_ rows: [[Int]]) -> Int {
        var rows = rows
        var rank = 0
        var previous = 1
        for column in 0..<(rows.first?.count ?? 0) {
            guard let pivot = (rank..<rows.count).first(where: { rows[$0][column] != 0 }) else { continue }
            rows.swapAt(rank, pivot)
            for row in (rank + 1)..<max(rows.count, rank + 1) {
                for other in rows[row].indices where other != column {
                    rows[row][other] =
                        (rows[row][other] * rows[rank][column] - rows[row][column] * rows[rank][other]) / previous
                }
                rows[row][column] = 0
            }
            previous = rows[rank][column]
            rank += 1
            if rank == rows.count { break }
        }
        return rank
    }
}
