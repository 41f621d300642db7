import Domain
import Exports

/// One mapped column. Each distinct value is stored once, and each row is stored as its value's code. Code 0 means
/// missing.
struct CodedColumn: Sendable {
    let name: String
    let guarded: Bool
    /// The index of the column in the file.
    var position = 0
    /// The distinct values by code, with an empty text for code 0.
    private(set) var values = [""]
    /// The code of each row.
    private(set) var codes: [UInt32] = []
    private var codesByValue: [ExactText: UInt32] = [:]

    init(name: String, guarded: Bool) {
        self.name = name
        self.guarded = guarded
    }

    mutating func append(_ field: String, missing: Set<String>) {
        let value = guarded ? FormulaGuard.removed(from: field) : field
        guard !missing.contains(value) else { return codes.append(0) }
        let text = ExactText(value)
        if let code = codesByValue[text] { return codes.append(code) }
        let code = UInt32(values.count)
        codesByValue[text] = code
        values.append(value)
        codes.append(code)
    }

    /// Frees the lookup table, which is not needed after the last row.
    mutating func close() {
        codesByValue = [:]
    }

    func value(_ row: Int) -> String? {
        codes[row] == 0 ? nil : values[Int(codes[row])]
    }

    /// The codes of all values, sorted as numbers if all values are numbers, otherwise by code point.
    var sortedCodes: [UInt32] {
        ValueOrder.sorted(Array(values.dropFirst())).map { UInt32($0 + 1) }
    }
}
