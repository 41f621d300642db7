import BlockingWork
import Charts
import Domain
import Foundation

/// Draws charts of results as SVG.
///
/// The options of many versions of a form may be thousands, and their chart takes half a second. Such charts are drawn
/// one at a time on a separate thread. The accounts that request them take turns.
struct ChartDrawing: Sendable {
    let work: BlockingWork

    /// - Parameters:
    ///   - bound: The largest number of large charts that wait while another is drawn.
    ///   - boundPerAccount: The largest number of waiting charts of one account.
    init(waiting bound: Int = 20, perAccount boundPerAccount: Int = 4) {
        work = BlockingWork(
            "afterword.charts", maximumRunning: 1, maximumWaiting: bound, maximumWaitingPerKey: boundPerAccount)
    }

    /// Throws 503 if too many large charts are waiting.
    func svg(of chart: Chart, for accountID: UUID) async throws -> String {
        guard chart.isLarge else { return chart.svg() }
        do {
            return try await work.run(for: accountID.uuidString) { chart.svg() }
        } catch {
            throw Problem(.overloaded, "Other large pictures are being drawn; try again later.", retryAfter: 2)
        }
    }
}
