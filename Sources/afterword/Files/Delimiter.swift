import Domain
import Exports
import StrictJSON

/// The CSV delimiter of a command.
enum Delimiter {
    /// Returns a comma if the text is nil.
    static func byte(_ text: String?) throws(Failure) -> UInt8 {
        do throws(Problem) {
            return try ExportOptions(format: .csv, bom: nil, delimiter: text, titles: nil, raw: nil, room: nil)
                .delimiter
        } catch {
            throw .misuse("--delimiter is \"\(text ?? "")\": \(error.faults.map(\.detail).joined(separator: " "))")
        }
    }
}
