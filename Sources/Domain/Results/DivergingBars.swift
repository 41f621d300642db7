/// The places of stacked bars that diverge from the middle of a scale, a bar for each statement of a grid.
///
/// R. M. Heiberger and N. B. Robbins, "Design of diverging stacked bar charts for Likert scales and other applications",
/// Journal of Statistical Software 57(5), 2014. Parts below the middle lie to the left of 0, parts above it to the right.
public struct DivergingBars: Sendable, Equatable {
    /// What happens to the middle of a scale with an odd number of points. A scale without a middle only has the first
    /// two, which are then alike.
    public enum Arrangement: String, Sendable, CaseIterable {
        /// Half of the middle lies on each side of 0.
        case split
        /// The middle has a place of its own, to the right of all bars.
        case aside
        /// Each bar begins at 0 and ends at 1.
        case stacked
    }

    public enum Order: String, Sendable, CaseIterable {
        case form, agreement
    }

    public enum Side: String, Sendable {
        case below, neutral, above
    }

    /// The gap before the middle that lies aside, as a share.
    private static let gap = 0.06

    /// The part of a bar for each point of the scale, from the lowest, in shares of the answers.
    public var bars: [[ClosedRange<Double>]]
    /// From the leftmost to the rightmost end of all bars.
    public var extent: ClosedRange<Double>
    /// Where the middles begin that lie aside. Nil for other arrangements, and without a middle.
    public var aside: Double?

    /// - Parameter shares: The shares of the points of the scale, for each statement.
    public init(_ shares: [[Double]], _ arrangement: Arrangement) {
        let edges = shares.map { shares -> (below: Double, neutral: Double, above: Double) in
            let sums = shares.indices.reduce(into: [Side: Double]()) { sums, index in
                sums[Self.side(of: index, among: shares.count), default: 0] += shares[index]
            }
            return (sums[.below] ?? 0, sums[.neutral] ?? 0, sums[.above] ?? 0)
        }
        let hasMiddle = shares.contains { $0.count % 2 == 1 }
        let aside = arrangement == .aside && hasMiddle ? (edges.map(\.above).max() ?? 0) + Self.gap : nil
        self.aside = aside
        bars = zip(shares, edges).map { shares, edge in
            var end =
                switch arrangement {
                case .stacked: 0.0
                case .split: -edge.below - edge.neutral / 2
                case .aside: -edge.below
                }
            return shares.indices.map { index in
                if let aside, Self.side(of: index, among: shares.count) == .neutral {
                    return aside...aside + shares[index]
                }
                let start = end
                end += shares[index]
                return start...end
            }
        }
        let all = bars.flatMap(\.self)
        let (low, high) = (all.map(\.lowerBound).min() ?? 0, all.map(\.upperBound).max() ?? 0)
        extent = arrangement == .stacked ? 0...1 : min(low, 0)...max(high, 0)
    }

    /// On which side of the middle a point of a scale is.
    public static func side(of index: Int, among count: Int) -> Side {
        2 * index + 1 == count ? .neutral : 2 * index + 1 < count ? .below : .above
    }

    /// How far a point is from the middle, from 0 to 1 for the ends of the scale.
    public static func strength(of index: Int, among count: Int) -> Double {
        count > 1 ? Double(abs(2 * index + 1 - count)) / Double(count - 1) : 0
    }

    /// The places of the statements in an order. By agreement, those with the most answers above the middle come first;
    /// among equals, those with the fewest below it.
    public static func order(of shares: [[Double]], by order: Order) -> [Int] {
        guard order == .agreement else { return Array(shares.indices) }
        func sum(_ shares: [Double], _ side: Side) -> Double {
            shares.indices.reduce(0) { $0 + (Self.side(of: $1, among: shares.count) == side ? shares[$1] : 0) }
        }
        let keys = shares.map { (above: sum($0, .above), below: sum($0, .below)) }
        return shares.indices.sorted { first, second in
            let (one, other) = (keys[first], keys[second])
            if one.above != other.above { return one.above > other.above }
            return one.below != other.below ? one.below < other.below : first < second
        }
    }
}
