import Domain
import Foundation
import Testing

@Suite struct SampleSizes {
    @Test func fewSubmissionsAreReadCompletely() {
        #expect(SampleSize(submissions: 0, questions: 0).isComplete)
        #expect(SampleSize(submissions: 10_000, questions: 5).bound == nil)
    }

    @Test(arguments: [1, 5, 100])
    func sampleIsHalvedUntilItFitsTheBudget(_ questions: Int) {
        for submissions in [10_000, 100_000, 1_000_000, 100_000_000] {
            let size = SampleSize(submissions: submissions, questions: questions)
            let answers = submissions * (4 + questions)
            #expect(answers >> size.halvings <= SampleSize.budget)
            #expect(size.isComplete || answers >> (size.halvings - 1) > SampleSize.budget)
        }
    }

    @Test func sampleConsistsOfTheSmallestIds() {
        for (halvings, start) in [(1, "80000000"), (4, "10000000"), (9, "00800000"), (32, "00000001")] {
            var size = SampleSize(submissions: 0, questions: 0)
            size.halvings = halvings
            #expect(size.bound == UUID(uuidString: "\(start)-0000-0000-0000-000000000000"))
        }
    }
}
