import CSV
import Domain
import StrictJSON

/// A roster as CSV: a header with `name` and `email` in any order and case, other columns left aside.
enum MemberTable {
    static let mediaType = "text/csv"

    /// Throws a `Problem` with all its faults, which name the lines.
    static func read(_ bytes: some Sequence<UInt8>) throws(Problem) -> [MemberDraft] {
        var (header, rows, faults): ([String], [CSVRow], [Fault]) = ([], [], [])
        var reader = CSVReader()
        let take = { (event: CSVReader.Event) in
            switch event {
            case .header(let names): header = names.map(Self.columnName)
            case .row(let row): rows.append(row)
            case .fault(let fault): faults.append(Self.fault(fault))
            }
        }
        do {
            try reader.read(bytes, take)
            try reader.finish(take)
        } catch {
            throw Problem([Self.fault(error)])
        }
        guard let name = header.firstIndex(of: "name"), let email = header.firstIndex(of: "email") else {
            throw Problem([
                Fault(.invalid, at: "", code: "missing-column", "The first line names the columns name and email.")
            ])
        }
        guard rows.count <= MemberDraft.most else {
            throw Problem([
                Fault(.invalid, at: "", code: "too-many", "At most \(MemberDraft.most) are taken at once.")
            ])
        }
        var drafts: [MemberDraft] = []
        for (index, row) in rows.enumerated() {
            let person = ObjectReader(
                .object([.init("name", .string(row[name])), .init("email", .string(row[email]))]),
                at: "/members/\(index)")
            let draft = MemberDraft(person)
            faults += person.finish().map { fault in
                Fault(fault.kind, at: fault.pointer, code: fault.code, "Line \(row.line): \(fault.detail)")
            }
            if let draft { drafts.append(draft) }
        }
        if rows.isEmpty, faults.isEmpty {
            faults.append(Fault(.invalid, at: "", code: "required", "At least one person is expected here."))
        }
        guard faults.isEmpty else { throw Problem(faults) }
        return drafts
    }

    private static func columnName(_ text: String) -> String {
        String(text.trimmingSpaces).lowercased()
    }

    private static func fault(_ fault: CSVFault) -> Fault {
        Fault(.malformed, at: "", code: fault.code.rawValue, "Line \(fault.line): \(fault.reason)")
    }
}
