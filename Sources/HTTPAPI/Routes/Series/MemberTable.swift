import CSV
import Domain
import HTTPServer
import StrictJSON

/// A roster as CSV: a header with `name` and `email` in any order and case; other columns are ignored.
struct MemberTable {
    static let mediaType = "text/csv"
    /// The number of bytes that are read between two checks.
    private static let step = 4096

    private var columns: (name: Int, email: Int)?
    private var header: [String]?
    private var rows: [CSVRow] = []
    private var faults: [Fault] = []

    /// Throws a `Problem` whose faults name the lines. Reading stops early if a column is missing or there are too many
    /// rows.
    static func read(_ bytes: some Collection<UInt8>) throws(Problem) -> [MemberDraft] {
        var (table, reader) = (MemberTable(), CSVReader())
        var rest = bytes[...]
        repeat {
            do throws(CSVFault) {
                try reader.read(rest.prefix(step)) { table.take($0) }
                rest = rest.dropFirst(step)
                if rest.isEmpty { try reader.finish { table.take($0) } }
            } catch {
                throw Problem([fault(error)])
            }
            try table.resolveColumnsAndCheckCount()
        } while !rest.isEmpty
        return try table.drafts()
    }

    private mutating func take(_ event: CSVReader.Event) {
        switch event {
        case .header(let names): header = names.map { String($0.trimmingSpaces).lowercased() }
        case .row(let row): rows.append(row)
        case .fault(let fault): faults.append(Self.fault(fault))
        }
    }

    private mutating func resolveColumnsAndCheckCount() throws(Problem) {
        if columns == nil, let header {
            guard let name = header.firstIndex(of: "name"), let email = header.firstIndex(of: "email") else {
                throw Self.refusal("missing-column", "The first line must name the columns name and email.")
            }
            columns = (name, email)
        }
        guard rows.count + faults.count <= MemberDraft.maximumCount else {
            throw Self.refusal("too-many", "At most \(MemberDraft.maximumCount) are allowed at once.")
        }
    }

    private func drafts() throws(Problem) -> [MemberDraft] {
        guard let columns, rows.count + faults.count > 0 else {
            throw Self.refusal("required", "At least one person is expected here.")
        }
        var (drafts, faults): ([MemberDraft], [Fault]) = ([], faults)
        for (index, row) in rows.enumerated() {
            let person = ObjectReader(
                .object([.init("name", .string(row[columns.name])), .init("email", .string(row[columns.email]))]),
                at: "/members/\(index)")
            let draft = MemberDraft(person)
            faults += person.finish().map { fault in
                Fault(fault.kind, at: fault.pointer, code: fault.code, "Line \(row.line): \(fault.detail)")
            }
            if let draft { drafts.append(draft) }
        }
        guard faults.isEmpty else { throw Problem(faults) }
        return drafts
    }

    private static func refusal(_ code: String, _ detail: String) -> Problem {
        Problem([Fault(.invalid, at: "", code: code, detail)])
    }

    private static func fault(_ fault: CSVFault) -> Fault {
        Fault(.malformed, at: "", code: fault.code.rawValue, "Line \(fault.line): \(fault.reason)")
    }
}
