import Domain
import StrictJSON

/// A grid of a map. Each of its statements has a column.
struct ImportGrid {
    /// The members of a statement that are about the file.
    private static let columnMembers: Set = ["column", "guarded"]

    private let element: JSONValue
    private let elements: [JSONValue]

    /// Nil for questions of other kinds, and for a grid whose statements cannot be read.
    init?(_ element: JSONValue) {
        guard element["kind"]?.string == Grid.kindName, let elements = element["statements"]?.array else { return nil }
        (self.element, self.elements) = (element, elements)
    }

    /// The grid in a form's JSON.
    var definition: JSONValue {
        let statements = elements.map { statement in
            statement.members.map { .object($0.filter { !Self.columnMembers.contains($0.name) }) } ?? statement
        }
        return ImportQuestion.setting("statements", .array(statements), in: element)
    }

    /// The statements as ratings that name their grid.
    func statements(at pointer: String, guarded: Bool, faults: inout [Fault]) -> [ImportQuestion] {
        let ownMembers: Set = ["key", "kind", "title", "description", "statements"]
        let shared = (element.members ?? []).filter { !ownMembers.contains($0.name) }
        let name = (element.members ?? []).filter { ["key", "title", "description"].contains($0.name) }
        return elements.enumerated().compactMap { index, statement in
            guard let members = statement.members else { return nil }
            let rating = members + [.init("kind", .string("rating"))] + shared + [.init("grid", .object(name))]
            return ImportQuestion.read(
                .object(rating), at: "\(pointer)/statements/\(index)", guarded: guarded, faults: &faults)
        }
    }
}
