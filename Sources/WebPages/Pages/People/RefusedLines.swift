import Contract

/// The pasted lines that cannot be added as people. They stay on the page, with the reasons.
struct RefusedLines {
    private static let maxListedFaults = 10
    private static let maxQuotedCharacters = 80

    /// The lines, to be corrected.
    let lines: String
    /// The positions of the lines among those with people.
    let positions: Set<Int>
    /// The first lines, each with what is wrong with it.
    let faults: [String]
    /// What became of the other lines.
    var notice = ""

    init(_ error: FormError, in pasted: PeopleLines, _ page: PageRequest) {
        var reasons: [(position: Int, fault: ProblemBody.FaultBody)] = []
        for fault in error.errors where fault.pointer.hasPrefix("/members/") {
            let position = fault.pointer.split(separator: "/").dropFirst().first.flatMap { Int($0) }
            guard let position, pasted.lines.indices.contains(position) else { continue }
            reasons.append((position, fault))
        }
        let positions = Set(reasons.map(\.position))
        self.positions = positions
        lines = pasted.lines.indices.filter(positions.contains).map { pasted.lines[$0] }.joined(separator: "\n")
        var listed: Set<Int> = []
        faults = reasons.filter { listed.insert($0.position).inserted }.prefix(Self.maxListedFaults).map {
            let isMissing = $0.fault.pointer.hasSuffix("/email") && pasted.people[$0.position].email.isEmpty
            let text = isMissing ? page.texts("people.no-address") : page.texts.fault($0.fault)
            let quoted = String(pasted.lines[$0.position].prefix(Self.maxQuotedCharacters))
            return page.texts("people.line", ["line": quoted, "fault": text])
        }
    }
}
