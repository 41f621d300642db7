import Foundation

/// The state of a form at a moment, as in the contract.
public enum FormState: String, Sendable, CaseIterable {
    case draft, scheduled, open, closed, final
}

/// The stored part of a form's state; together with the clock it gives a `FormState`.
public struct FormLife: Sendable, Equatable {
    public enum Stored: String, Sendable, CaseIterable {
        case draft
        /// Published and not closed by hand; the clock decides whether it accepts answers.
        case open
        case closed
        /// An anonymous form while its identifying data are being removed; publicly it is closed.
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

    /// The first moment at which no submission is accepted, for a timed close, including its grace period.
    public var endsAt: Date? {
        closesAt?.addingTimeInterval(Double(graceMinutes) * 60)
    }

    /// Whether the form never accepts answers or changes again.
    public var isFinished: Bool { stored == .finalising || stored == .final }

    /// A close by hand has no grace period.
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
