import Foundation

/// The state of a form at a point in time, as in the contract.
public enum FormState: String, Sendable, CaseIterable {
    case draft, scheduled, open, closed, final
}

/// The stored part of a form's state, from which the `FormState` at a point in time is computed.
public struct FormLife: Sendable, Equatable {
    public enum Stored: String, Sendable, CaseIterable {
        case draft
        /// Published and not closed by a host. Whether it accepts answers depends on the time.
        case open
        case closed
        /// An anonymous form whose identifying data are being removed. Clients see it as closed.
        case finalising
        case final
    }

    public var stored: Stored
    public var opensAt: Date?
    public var closesAt: Date?
    public var graceMinutes: Int

    public init(stored: Stored, opensAt: Date?, closesAt: Date?, graceMinutes: Int) {
        self.stored = stored
        self.opensAt = opensAt
        self.closesAt = closesAt
        self.graceMinutes = graceMinutes
    }

    /// The end of the grace period after a scheduled close. From then on, no submission is accepted.
    public var endsAt: Date? {
        closesAt?.addingTimeInterval(Double(graceMinutes) * 60)
    }

    /// Whether the form will never accept answers or changes again.
    public var isFinished: Bool { stored == .finalising || stored == .final }

    /// Returns the state at a point in time. A close by a host has no grace period.
    public func state(at now: Date) -> FormState {
        switch stored {
        case .draft: .draft
        case .final: .final
        case .closed, .finalising: .closed
        case .open:
            if let endsAt, now >= endsAt { .closed } else if let opensAt, now < opensAt { .scheduled } else { .open }
        }
    }
}
