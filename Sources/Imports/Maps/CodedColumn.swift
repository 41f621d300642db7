import Domain
import Exports

/// One mapped column, each distinct value kept once and each row as a number: 0 is missing.
struct CodedColumn: Sendable {
    let name: String
    let guarded: Bool
    /// Where the column stands in the file.
    var position = 0
    /// The distinct values by code; code 0 holds an empty text.
    private(set) var values = [""]
    /// A code for each row.
    private(set) var codes: [UInt32] = []
    private var known: [ExactText: UInt32] = [:]

    init(name: String, guarded: Bool) {
        self.name = name
        self.guarded = guarded
    }

    mutating func append(_ field: String, missing: Set<String>) {
        let value = guarded ? FormulaGuard.removed(from: field) : field
        guard !missing.contains(value) else { return codes.append(0) }
        let text = ExactText(value)
        if let code = known[text] { return codes.append(code) }
        let code = UInt32(values.count)
        known[text] = code
        values.append(value)
        codes.append(code)
    }

    /// The lookup table is of no use once all rows are read.
    mutating func close() {
        known = [:]
    }

    func value(_ row: Int) -> String? {
        codes[row] == 0 ? nil : values[Int(codes[row])]
    }

    /// The codes of all values in their order: as numbers if all of them are, else by code point.
    var sortedCodes: [UInt32] {
        ValueOrder.sorted(Array(values.dropFirst())).map { UInt32($0 + 1) }
    }
}
