/// The events of a form's life that webhooks and live viewers receive.
public enum FormEvent: Sendable, Equatable {
    case opened, closed
}

extension FormState {
    /// The state as notified: there is no event for a closed form that becomes final.
    public var notified: FormState { self == .final ? .closed : self }

    /// Returns the events since notification of this state, in the order in which they happened. A return to
    /// `scheduled` is not an event.
    ///
    /// - Parameter byClock: Whether the clock caused the change; then a scheduled form was open before it closed.
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
