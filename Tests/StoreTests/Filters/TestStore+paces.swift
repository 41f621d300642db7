import Domain
import Store
import TestSupport

extension TestStore {
    /// Submits one answer to the question `pace` after another.
    @discardableResult
    func submitPaces(_ paces: [Int], to meeting: Meeting) async throws -> [SubmissionReceipt] {
        var receipts: [SubmissionReceipt] = []
        for pace in paces { receipts.append(try await submit("{\"pace\": \(pace)}", to: meeting)) }
        return receipts
    }
}
