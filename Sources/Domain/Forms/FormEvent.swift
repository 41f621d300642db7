/// The events of a form's life that webhooks and live viewers receive.
public enum FormEvent: Sendable, Equatable {
    case opened, closed
}

extension FormState {
    /// The state as announced: after the event that a form closed, none announces that it is final.
    public var notified: FormState { self == .final ? .closed : self }

    /// Returns the events since this state was announced, in the order in which they happened. Returning to `scheduled`
    /// is no event.
    ///
    /// - Parameter byClock: Whether time caused it: then a scheduled form was open before it closed.
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
