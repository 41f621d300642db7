import Domain
import StrictJSON
import Testing

@Suite struct ConditionReading {
    private static let questions = [
        Question(key: "pace", title: "P", kind: .rating(.init(min: 0, max: 10))),
        Question(
            key: "team", title: "T", kind: .choice(.init(options: [.init(id: "red", label: "Red")], other: true))),
        Question(key: "why", title: "W", kind: .text(maxLength: 100)),
    ]

    private func faultCodes(_ texts: [String], atMost limit: Int = 5) -> String? {
        do throws(Problem) {
            _ = try Condition.read(texts, among: Self.questions, atMost: limit)
            return nil
        } catch {
            #expect(error.code == .validationFailed && error.faults.allSatisfy { $0.pointer == "?where" })
            return error.faults.map(\.code).joined(separator: " ")
        }
    }

    @Test(arguments: ["pace:0", "pace:10", "team:red", "team:other"])
    func conditionIsAKeyAndOneOfItsBuckets(_ text: String) throws {
        #expect(try Condition.read([text], among: Self.questions, atMost: 1).map(\.text) == [text])
    }

    @Test func impossibleConditionsAreRefusedWithACode() {
        for text in [
            "", ":", "pace", "pace:", ":4", "a:b:c", "pace:4:", "pace:\0", "pace:4\0", "Pace:4", "pace: 4", "pace:-1",
            "pace:100", "pace:٤", "pace:4.0", "#answered:1", "team:#skipped", String(repeating: "a", count: 10_000),
            String(repeating: ":", count: 10_000),
        ] {
            #expect(faultCodes([text]) == "malformed-condition", "\(text.prefix(20))")
        }
        for text in ["pace:11", "pace:04", "pace:red", "team:blue", "team:4"] {
            #expect(faultCodes([text]) == "unknown-option", "\(text)")
        }
        #expect(faultCodes(["nothing:4"]) == "unknown-question")
        #expect(faultCodes(["why:because"]) == "not-filterable")
        #expect(faultCodes(["why:because", "x:y", "pace:1"]) == "not-filterable unknown-question")
    }

    @Test func numberOfConditionsIsLimited() {
        #expect(faultCodes(Array(repeating: "pace:1", count: 5)) == nil)
        #expect(faultCodes(Array(repeating: "pace:1", count: 6)) == "too-many-conditions")
        #expect(faultCodes(["pace:1", "team:red"], atMost: 1) == "too-many-conditions")
    }
}
