/// Which questions of an anonymous form may be filtered by, so that no set of readings can be taken apart into a group
/// smaller than the minimum. `docs/analysis.md` has the law and its proof.
public enum FilterableQuestions {
    /// Submissions that gave the same answers to the questions in view.
    public struct Cell: Sendable {
        /// An answer for each question, nil where there is none.
        public var values: [String?]
        public var count: Int

        public init(values: [String?], count: Int) {
            self.values = values
            self.count = count
        }
    }

    /// The indices of the questions that may be filtered by, ascending.
    ///
    /// A question joins those before it if every non-empty cell of what all of them tell apart together still has the
    /// minimum. A minimum that was raised later chooses among those chosen with each lower one, down to `lowest`: what
    /// was read before the rise is known, and another choice beside it would be one choice too many.
    ///
    /// - Parameters:
    ///   - cells: of all submissions, over all questions in an order that never changes.
    ///   - lowest: the smallest minimum that such a form can have had.
    public static func choose(_ cells: [Cell], of questions: Int, minimum: Int, lowest: Int) -> [Int] {
        var chosen = Array(0..<questions)
        var bound = min(lowest, minimum)
        while true {
            let (kept, smallest) = join(chosen, cells, minimum: bound)
            chosen = kept
            // Between its own smallest cell and the bound nothing changes.
            guard let smallest, smallest < minimum else { return chosen }
            bound = smallest + 1
        }
    }

    /// Those that join, one after the other, and the size of the smallest cell that they make; nil without submissions.
    private static func join(
        _ candidates: [Int], _ cells: [Cell], minimum: Int
    ) -> (kept: [Int], smallest: Int?) {
        var parts = [Int](repeating: 0, count: cells.count)
        var smallest = cells.isEmpty ? nil : cells.reduce(0) { $0 + $1.count }
        var kept: [Int] = []
        for question in candidates {
            var numbers: [Part: Int] = [:]
            var sizes: [Int] = []
            var refined = parts
            for (index, cell) in cells.enumerated() {
                let part = Part(before: parts[index], value: cell.values[question])
                let number = numbers[part] ?? sizes.count
                if number == sizes.count {
                    numbers[part] = number
                    sizes.append(0)
                }
                sizes[number] += cell.count
                refined[index] = number
            }
            guard let least = sizes.min() else {
                kept.append(question)
                continue
            }
            if least >= minimum {
                kept.append(question)
                parts = refined
                smallest = least
            }
        }
        // Where nothing joins there is nothing left to raise the bound for.
        return (kept, kept.isEmpty ? nil : smallest)
    }

    private struct Part: Hashable {
        var before: Int
        var value: String?
    }
}

extension QuestionResult {
    /// Whether nobody stands out by this question alone: whatever can be said of it was said, and was not said, by
    /// nobody or by at least so many.
    ///
    /// Another question is shown in a filtered group of an anonymous form only then: else the one who chose a rare
    /// option would be seen among those who gave the answer that was asked for.
    public func tellsNobodyApart(among submissions: Int, minimum: Int) -> Bool {
        let groups = [answered, skipped, submissions - answered - skipped] + points.map(\.count)
        return groups.allSatisfy { group in
            [group, submissions - group].allSatisfy { $0 == 0 || $0 >= minimum }
        }
    }
}
