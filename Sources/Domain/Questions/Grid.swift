import StrictJSON

/// A grid of a form: statements that participants rate on one labelled scale.
///
/// Each statement is a rating of its own, with its own key, counts, results and trend. The ratings of a grid follow each
/// other in the form, and share everything but key, title and description.
public struct Grid: Sendable, Equatable {
    public var key: String
    public var title: String
    public var description: String?

    public init(key: String, title: String, description: String? = nil) {
        self.key = key
        self.title = title
        self.description = description
    }

    public var json: JSONValue {
        .object([
            .init("key", .string(key)), .init("title", .string(title)),
            .init("description", JSONValue(description)),
        ])
    }

    /// The name of the kind in documents. In the program, a grid has no kind of its own.
    public static let kindName = "grid"
}

extension Question {
    /// Whether another question is a statement of the same grid.
    func isInGrid(of other: Question) -> Bool {
        grid != nil && grid == other.grid && required == other.required && showIf == other.showIf && kind == other.kind
    }

    /// The questions as lists of those that a form shows together: the statements of a grid, or a single question.
    public static func groups(_ questions: [Question]) -> [[Question]] {
        questions.reduce(into: []) { groups, question in
            if let last = groups.last?.last, question.isInGrid(of: last) {
                groups[groups.count - 1].append(question)
            } else {
                groups.append([question])
            }
        }
    }

    /// The questions as a form lists them: a grid with its statements, or a single question.
    public static func documents(_ questions: [Question]) -> [JSONValue] {
        groups(questions).map { group in
            guard let first = group.first, let grid = first.grid, case .rating(let rating) = first.kind else {
                return group.first?.json ?? .null
            }
            var members: [JSONValue.Member] = [
                .init("key", .string(grid.key)), .init("kind", .string(Grid.kindName)),
                .init("title", .string(grid.title)), .init("description", JSONValue(grid.description)),
                .init("required", .bool(first.required)),
            ]
            if let showIf = first.showIf { members.append(.init("showIf", showIf.json)) }
            members += rating.members
            members.append(
                .init(
                    "statements",
                    .array(
                        group.map { statement in
                            .object([
                                .init("key", .string(statement.key)), .init("title", .string(statement.title)),
                                .init("description", JSONValue(statement.description)),
                            ])
                        })))
            return .object(members)
        }
    }

    /// The JSON pointer of each question in the list of a form: `/2`, or `/2/statements/0`. What the statements of a grid
    /// share is at the pointer of the grid.
    static func pointers(_ questions: [Question]) -> [(own: String, shared: String)] {
        groups(questions).enumerated().flatMap { index, group in
            group.indices.map { statement in
                group[0].grid == nil
                    ? ("/\(index)", "/\(index)") : ("/\(index)/statements/\(statement)", "/\(index)")
            }
        }
    }

    /// The results of the statements of each grid that is still asked, in the form's order.
    public static func grids(in results: [QuestionResult]) -> [[QuestionResult]] {
        var grids: [[QuestionResult]] = []
        for result in results where !result.isRetired {
            guard let grid = result.grid else { continue }
            if grids.last?.last?.grid?.key == grid.key {
                grids[grids.count - 1].append(result)
            } else {
                grids.append([result])
            }
        }
        return grids
    }
}
