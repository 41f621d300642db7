import Domain
import Exports
import StrictJSON

/// The character between the fields of a CSV file, as a command takes it.
enum Delimiter {
    /// A comma when none is given.
    static func byte(_ text: String?) throws(Failure) -> UInt8 {
        do throws(Problem) {
            return try ExportOptions(format: .csv, bom: nil, delimiter: text, titles: nil, raw: nil).delimiter
        } catch {
            throw .misuse("--delimiter is \"\(text ?? "")\": \(error.faults.map(\.detail).joined(separator: " "))")
        }
    }
}
