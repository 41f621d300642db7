import Domain
import Store
import TestSupport

extension TestStore {
    /// Submits these answers to the question `pace`, one after another.
    @discardableResult
    func submitPaces(_ paces: [Int], to meeting: Meeting) async throws -> [SubmissionReceipt] {
        var receipts: [SubmissionReceipt] = []
        for pace in paces { receipts.append(try await submit("{\"pace\": \(pace)}", to: meeting)) }
        return receipts
    }
}
