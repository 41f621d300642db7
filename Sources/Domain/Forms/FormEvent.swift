/// The changes of a form's state of which webhooks and live viewers are notified.
public enum FormEvent: Sendable, Equatable {
    case opened, closed
}

extension FormState {
    /// The state that notifications report: `closed` instead of `final`, because a closed form that becomes final
    /// causes no event.
    public var notified: FormState { self == .final ? .closed : self }

    /// Returns the events between this state and a later one, in the order in which they happened. A return to
    /// `scheduled` is not an event.
    ///
    /// - Parameters:
    ///   - state: The later state.
    ///   - byClock: Whether the clock caused the change. If so, a scheduled form was open before it closed.
    public func events(to state: FormState, byClock: Bool) -> [FormEvent] {
        switch (notified, state.notified) {
        case (.open, .open), (.closed, .closed): []
        case (_, .open): [.opened]
        case (.open, .closed): [.closed]
        case (_, .closed): byClock ? [.opened, .closed] : [.closed]
        default: []
        }
    }
}
