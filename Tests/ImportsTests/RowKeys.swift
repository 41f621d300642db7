import Foundation
import Imports
import Testing

@Suite struct RowKeys {
    private let question = #""column":"a","key":"a","kind":"text","title":"T""#
    private let second = #""column":"b","key":"b","kind":"text","title":"T""#

    private func keys(_ csv: String, chunkSize: Int = .max) throws -> [String] {
        try Sample.plan(try Sample.map(question, second), csv, chunkSize: chunkSize).allRows.map(\.key)
    }

    @Test func equalRowsHaveDifferentKeys() throws {
        let keys = try keys("a,b,x\n1,2,p\n1,2,q\n1,3,r\n1,2,s\n")
        #expect(Set(keys).count == 4)
        #expect(keys.allSatisfy { $0.count == 64 })
    }

    @Test func keysDoNotDependOnTheChunkSize() throws {
        let csv = "a,b\n1,2\n1,2\n,3\n"
        #expect(try keys(csv) == keys(csv, chunkSize: 1))
    }

    @Test func keysDoNotDependOnTheOrderOfRowsAndColumns() throws {
        #expect(try Set(keys("a,b\n1,2\n3,4\n1,2\n")) == Set(keys("b,a\n2,1\n2,1\n4,3\n")))
    }

    @Test func keysDependOnTheBoundariesBetweenValues() throws {
        let keys = try keys("a,b\n12,3\n1,23\n123,\n,123\n")
        #expect(Set(keys).count == 4)
    }

    @Test func unmappedColumnsDoNotAffectKeys() throws {
        #expect(try keys("a,b,x\n1,2,p\n") == keys("a,b\n1,2\n"))
    }

    @Test func idsAreVersionEightAndDependOnTheHost() throws {
        let map = try Sample.map(question)
        let first = try Sample.plan(map, "a\n1\n")
        var other = ImportPlanner(map: map, hostID: UUID())
        try other.read(Array("a\n1\n".utf8))
        let second = try other.finish()
        #expect(first.series[0].id.uuid.6 >> 4 == 8)
        #expect(first.series[0].meetings[0].id.uuid.6 >> 4 == 8)
        #expect(first.series[0].id != second.series[0].id)
        #expect(first.series[0].meetings[0].id != second.series[0].meetings[0].id)
        #expect(try Sample.plan(map, "a\n2\n").series[0].id == first.series[0].id)
    }
}
