import Domain
import TestSupport
import Testing

@testable import Exports

/// The columns of submissions over many forms.
@Suite(.timeLimit(.minutes(2))) struct SubmissionColumns {
    private static func table(_ questions: [Question], writesMarks: Bool = false) -> SubmissionsTable {
        SubmissionsTable(questions: questions, includesRounds: true, includesPeople: true, writesMarks: writesMarks)
    }

    /// A form fits if its questions would add no column.
    @Test(arguments: 1...20, [false, true]) func formFitsIfItAddsNoColumn(seed: Int, writesMarks: Bool) {
        var random = SeededNumbers(seed: UInt64(seed))
        let questions = random.definition(1...4).questions + random.definition(1...4).questions
        let table = Self.table(questions, writesMarks: writesMarks)
        #expect(table.hasColumns(for: questions))
        var fitting = 0
        for _ in 0..<20 {
            let added = random.definition(1...4).questions
            let fits =
                Self.table(questions + added, writesMarks: writesMarks).columns.map(\.name)
                == table.columns.map(\.name)
            fitting += fits ? 1 : 0
            #expect(table.hasColumns(for: added) == fits)
        }
        #expect(fitting < 20)
    }

    @Test func groupsAreFoundByTheirKeysFromAnyPosition() {
        let keys = ["a", "zz", "b", "ab", "long_key", "other_key", "ba", "c1"]
        let names = GroupNames(keys.map { ColumnGroup(key: $0) })
        func find(_ key: String, _ expected: Int) -> (group: Int, position: Int)? {
            Array(key.utf8).withUnsafeBufferPointer { names.find($0, expected: expected) }
        }
        // PostgreSQL orders the members of an object by the length of their names, then by bytes.
        for (position, key) in ["a", "b", "ab", "ba", "c1", "zz", "long_key", "other_key"].enumerated() {
            for expected in 0...keys.count {
                let found = find(key, expected)
                #expect(found?.position == position)
                #expect(found.map { keys[$0.group] } == key)
            }
        }
        for key in ["", "c", "aa", "c2", "zzz", "other_kez", "much_longer_key"] { #expect(find(key, 3) == nil) }
    }

    /// In quadratic time, this would exceed the time limit.
    @Test func columnsOfManyQuestionsTakeLinearTime() {
        let many = (0..<5_000).map { Question(key: "q\($0)", title: "T", kind: .text(maxLength: 100)) }
        let large = (0..<50).map { part in
            let options = (0..<100).map { Question.Option(id: "o\(100 * part + $0)", label: "L\($0)") }
            return Question(key: "large", title: "T", kind: .choice(.init(options: options, multiple: true)))
        }
        let table = Self.table(many + large)
        #expect(table.columns.count == 7 + 10_000)
        for question in many.suffix(500) { #expect(table.hasColumns(for: [question])) }
        #expect(table.hasColumns(for: many + large))
    }
}
