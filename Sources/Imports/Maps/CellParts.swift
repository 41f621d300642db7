import Domain
import Foundation

/// The values in one cell of a multiple choice.
enum CellParts {
    /// The values between the separators, without the white space around them. None is empty, and each is there once.
    static func split(_ cell: String, by separator: String) -> [String] {
        var known: Set<ExactText> = []
        return cell.components(separatedBy: separator).compactMap { part in
            let part = part.trimmingCharacters(in: .whitespacesAndNewlines)
            return part.isEmpty || !known.insert(ExactText(part)).inserted ? nil : part
        }
    }
}

extension ValueSeparator {
    func parts(of cell: String) -> [String] { CellParts.split(cell, by: rawValue) }
}
