/// The steps that the search for the safe filters of one form may take, for all of its questions together.
///
/// Steps are counted instead of time, so that the outcome does not depend on the machine and its load. Whatever a
/// search has not shown to be safe when no steps are left is withheld.
public final class SearchBudget {
    /// The steps of a whole search, which take about a second.
    public static let wholeSearch = 4_000_000

    /// The number of steps that are left.
    public private(set) var remaining: Int
    /// Whether a search was refused steps.
    public private(set) var isExhausted = false
    private let isCancelled: @Sendable () -> Bool

    /// - Parameter isCancelled: Whether nobody needs the outcome any more. It is called often, from the thread of the
    ///   search.
    public init(steps: Int = SearchBudget.wholeSearch, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        remaining = steps
        self.isCancelled = isCancelled
    }

    /// Takes steps from the budget. Returns false if too few are left or the search was cancelled, and from then on.
    public func spend(_ steps: Int) -> Bool {
        guard !isExhausted, steps <= remaining, !isCancelled() else {
            isExhausted = true
            remaining = 0
            return false
        }
        remaining -= steps
        return true
    }
}
