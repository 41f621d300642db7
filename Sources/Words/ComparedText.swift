/// The form of a text in which texts are compared to find equal ones.
///
/// Two texts are equal if they differ only in case, width, invisible characters (NFKC_Casefold, as in a search) and white
/// space: none counts at the ends, and any run of it is one space. Accents and punctuation count.
public struct ComparedText: Hashable, Sendable {
    private let units: [UInt16]

    public init(_ text: String) {
        var units: [UInt16] = []
        var endsWord = false
        for unit in Normalization.caseFolding.apply(to: text) {
            if Self.isWhiteSpace(unit) {
                endsWord = !units.isEmpty
            } else {
                if endsWord { units.append(0x20) }
                endsWord = false
                units.append(unit)
            }
        }
        self.units = units
    }

    /// Unicode's property `White_Space`, whose characters are all in the basic plane.
    private static func isWhiteSpace(_ unit: UInt16) -> Bool {
        Unicode.Scalar(unit)?.properties.isWhitespace ?? false
    }

    /// Groups equal texts. Returns the positions of the texts of each group, the groups in the order of their first
    /// texts.
    public static func groups(of texts: some Sequence<String>) -> [[Int]] {
        var (groups, numbers): ([[Int]], [ComparedText: Int]) = ([], [:])
        for (position, text) in texts.enumerated() {
            let compared = ComparedText(text)
            if let number = numbers[compared] {
                groups[number].append(position)
            } else {
                numbers[compared] = groups.count
                groups.append([position])
            }
        }
        return groups
    }
}
