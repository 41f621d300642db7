import Domain
import StrictJSON
import Testing

@Suite struct ProblemTable {
    @Test func everyCodeHasANameAStatusAndATitle() {
        for code in ProblemCode.allCases {
            #expect(400...599 ~= code.status)
            #expect(!code.title.isEmpty)
            #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
        }
    }

    @Test func malformedFieldsTakePrecedenceOverRules() {
        let rule = Fault(.invalid, at: "/a", code: "x", "X.")
        let malformed = Fault(.malformed, at: "/b", code: "y", "Y.")
        #expect(Problem([rule]).code == .validationFailed)
        #expect(Problem([rule, malformed]).code == .badRequest)
        #expect(Problem([rule, malformed]).faults.count == 2)
    }
}
