import Foundation
import Testing

@testable import Domain
@testable import Store

@Suite struct LRUCaching {
    @Test func entriesAreLimitedByCount() {
        let memory = LRUCache<Int, String>(capacity: 3, maxBytes: 100)
        for key in 1...3 { memory.insert("\(key)", for: key, bytes: 10) }
        #expect((1...3).map { memory.find($0) } == ["1", "2", "3"] && memory.size == (3, 30))
        memory.insert("new 2", for: 2, bytes: 20)
        #expect(memory.find(2) == "new 2" && memory.find(1) == "1" && memory.size == (3, 40))
        memory.insert("4", for: 4, bytes: 10)
        #expect((1...4).map { memory.find($0) } == ["1", "new 2", nil, "4"] && memory.size == (3, 40))
    }

    @Test func entriesAreLimitedInBytes() {
        let memory = LRUCache<Int, String>(capacity: 1_000, maxBytes: 100)
        for key in 1...50 {
            memory.insert("\(key)", for: key, bytes: 30)
            #expect(memory.find(key) == "\(key)" && memory.size.bytes <= 90)
        }
        memory.insert("large", for: 0, bytes: 101)
        #expect(memory.find(0) == nil && memory.find(50) == "50", "an oversized entry evicts nothing")
        memory.insert("larger", for: 50, bytes: 101)
        #expect(memory.find(50) == nil, "nor stays what it was before")
    }

    @Test func leastRecentlyUsedEighthIsEvicted() {
        let memory = LRUCache<Int, Int>(capacity: 80, maxBytes: 1_000)
        for key in 1...80 { memory.insert(key, for: key, bytes: 1) }
        for key in 1...5 { #expect(memory.find(key) == key) }
        memory.insert(81, for: 81, bytes: 1)
        #expect(memory.size.count == 71)
        #expect((1...81).filter { memory.find($0) == nil } == Array(6...15))
        memory.remove(81)
        #expect(memory.find(81) == nil && memory.size == (70, 70))
        memory.insert(0, for: 0, bytes: 900)
        #expect(memory.find(0) == 0 && memory.find(80) == 80 && memory.size.bytes <= 1_000)
    }

    @Test func newerEntriesRemain() {
        let memory = LRUCache<Int, Int>(capacity: 10, maxBytes: 100)
        memory.insert(2, for: 1, bytes: 1)
        memory.insert(1, for: 1, bytes: 50) { $0 <= 1 }
        #expect(memory.find(1) == 2 && memory.size == (1, 1))
        memory.insert(3, for: 1, bytes: 1) { $0 <= 3 }
        #expect(memory.find(1) == 3)
    }

    @Test func changesOfAFormCountTheirTextsAsSize() {
        let change = QuestionChange(
            version: 2, at: Date(), key: "pace", option: nil, kind: .described,
            from: String(repeating: "é", count: 5_000),
            to: String(repeating: "x", count: 2_000))
        let changes = FormHistories.Changes(list: [change, change])
        #expect((24_000...26_000).contains(changes.bytes))
    }
}
