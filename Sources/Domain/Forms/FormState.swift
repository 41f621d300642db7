#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a form is at a moment, as the contract names it.
public enum FormState: String, Sendable, CaseIterable {
    case draft, scheduled, open, closed, final
}

/// What is stored of a form's life; the clock makes a `FormState` of it.
public struct FormLife: Sendable, Equatable {
    public enum Stored: String, Sendable, CaseIterable {
        case draft
        /// Published and not closed by hand; whether it takes answers is the clock's matter.
        case open
        case closed
        /// An anonymous form while its traces are being removed; for everybody outside it is closed.
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

    /// The first moment at which no submission is taken, for a timed close: its grace included.
    public var endsAt: Date? {
        closesAt?.addingTimeInterval(Double(graceMinutes) * 60)
    }

    /// No way leads back to a form that takes answers or changes.
    public var isFinished: Bool { stored == .finalising || stored == .final }

    /// A close by hand has no grace.
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
