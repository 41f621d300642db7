import Foundation
import Synchronization

/// A progress bar on one line of a terminal. It prints nothing to a pipe or a file.
final class ProgressBar: Sendable {
    private struct State {
        var total: Int
        var shownCount = -1
        var drawnAt: ContinuousClock.Instant?
    }

    private static let width = 30
    /// The minimum time between two redraws.
    private static let redrawInterval: Duration = .milliseconds(80)

    private let label: String
    private let isShown: Bool
    private let state: Mutex<State>

    /// - Parameter isShown: If nil, the bar is shown if standard error is a terminal.
    init(_ label: String, total: Int, isShown: Bool? = nil) {
        self.label = label
        self.isShown = isShown ?? Terminal.isErrorStreamInteractive
        state = Mutex(State(total: total))
    }

    /// Can be called at any rate and from any thread. `total` replaces the previous total.
    func update(_ done: Int, of total: Int? = nil) {
        guard isShown else { return }
        let line = state.withLock { state -> String? in
            if let total { state.total = total }
            let now = ContinuousClock.now
            if let drawnAt = state.drawnAt, now - drawnAt < Self.redrawInterval, done < state.total { return nil }
            guard done != state.shownCount else { return nil }
            state.drawnAt = now
            state.shownCount = done
            return Self.line(label, done, state.total)
        }
        if let line { Terminal.draw("\r\u{1B}[K" + line) }
    }

    /// Clears the line, so that the next output starts on an empty one.
    func finish() {
        let wasDrawn = state.withLock { $0.drawnAt != nil }
        if isShown, wasDrawn { Terminal.draw("\r\u{1B}[K") }
    }

    /// A line such as `Recounting [#######-----------------------]  23 %  17,000 of 73,421`.
    static func line(_ label: String, _ done: Int, _ total: Int) -> String {
        guard total > 0 else { return "\(label) \(done.grouped)" }
        let share = min(1, Double(done) / Double(total))
        let filledWidth = Int(share * Double(width))
        let bar = String(repeating: "#", count: filledWidth) + String(repeating: "-", count: width - filledWidth)
        let percent = String(Int(share * 100))
        let space = String(repeating: " ", count: 3 - percent.count)
        return "\(label) [\(bar)] \(space)\(percent) %  \(done.grouped) of \(total.grouped)"
    }
}

extension Int {
    /// With thousands separators: `73,421`.
    var grouped: String {
        var text = ""
        let digits = String(magnitude)
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return self < 0 ? "-" + text : text
    }
}
