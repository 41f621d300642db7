import Domain
import Foundation
import Synchronization

/// The right to write one export, until it is deallocated.
public final class ExportPermit: Sendable {
    private let permit: Permit
    private let release: @Sendable () -> Void

    fileprivate init(_ permit: Permit, release: @escaping @Sendable () -> Void) {
        self.permit = permit
        self.release = release
    }

    deinit { release() }
}

/// Limits the exports that are written at once, in all and for each account, so that nobody can keep the others from
/// theirs by reading slowly.
final class ExportPermits: Sendable {
    private let all: Semaphore
    private let share: Int
    private let held = Mutex<[UUID: Int]>([:])

    /// - Parameters:
    ///   - count: The largest number in all; each uses one connection at a time.
    ///   - share: The largest number of one account.
    init(_ count: Int, ofOneAccount share: Int) {
        all = Semaphore(count)
        self.share = share
    }

    /// Waits for a permit. Throws 503 if the account has its share, or if no permit becomes free before the timeout.
    ///
    /// - Parameter account: Nil for the command line.
    func acquire(for account: UUID?, within timeout: Duration) async throws -> ExportPermit {
        guard take(account) else {
            throw Problem(
                .overloaded, "You are downloading other files: try again when they are complete.", retryAfter: 5)
        }
        do {
            let permit = try await all.acquire(
                within: timeout, else: "Other exports are being written; try again later.", retryAfter: 5)
            return ExportPermit(permit) { [self] in giveBack(account) }
        } catch {
            giveBack(account)
            throw error
        }
    }

    private func take(_ account: UUID?) -> Bool {
        guard let account else { return true }
        return held.withLock { held in
            guard held[account, default: 0] < share else { return false }
            held[account, default: 0] += 1
            return true
        }
    }

    private func giveBack(_ account: UUID?) {
        guard let account else { return }
        held.withLock { held in
            let rest = held[account, default: 1] - 1
            held[account] = rest > 0 ? rest : nil
        }
    }
}
