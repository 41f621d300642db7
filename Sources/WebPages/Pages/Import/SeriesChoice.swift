import Domain
import Foundation
import HTTPAPI
import Store

/// The field for the series that gets the rows: a new one, or one that the host may edit.
struct SeriesChoice {
    /// The number of series in the menu. Others are chosen on their own pages, which link to the import.
    private static let maxSeries = 200

    let field: PageField
    /// What the chosen series asks. Nil for a new series, and if the host may not add to the chosen one.
    let chosen: ImportableSeries.Target?

    /// - Parameters:
    ///   - id: The chosen series. Nil for a new one.
    ///   - withQuestions: Whether to read what the chosen series asks.
    init(_ id: UUID?, _ reader: HostReader, _ texts: PageTexts, withQuestions: Bool = true) async throws {
        var series = try await reader.importableSeries(limit: Self.maxSeries)
        chosen = if let id { try await reader.importableSeries(id, withQuestions: withQuestions) } else { nil }
        if let name = chosen?.name, !series.contains(where: { $0.id == name.id }) { series.insert(name, at: 0) }
        var choices = [(value: "", label: texts("import.into-new"))]
        // The choice stays, so that the answers do not go into a new series unnoticed.
        if let id, chosen == nil { choices.append((value: id.lowercased, label: texts("import.into-gone"))) }
        choices += series.map { name in
            let rounds = texts("series.rounds", ["count": "\(name.rounds)"])
            return (value: name.id.lowercased, label: "\(name.title) · \(rounds)")
        }
        field = PageField(
            name: "into", label: texts("import.into"), value: id?.lowercased ?? "", kind: .choice(choices),
            hint: texts("import.into-hint"))
    }

    /// Whether there is anything to choose.
    var isOffered: Bool {
        if case .choice(let choices) = field.kind { choices.count > 1 } else { false }
    }
}
