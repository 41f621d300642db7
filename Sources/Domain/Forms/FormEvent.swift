/// What others are told of a form's life.
public enum FormEvent: Sendable, Equatable {
    case opened, closed
}

extension FormState {
    /// As news have it: whoever was told that a form closed need not hear that it is final.
    public var notified: FormState { self == .final ? .closed : self }

    /// What there is to tell of a form that was in this state when something was told of it last, in the order in which
    /// it happened. Waiting again for its time is no news.
    ///
    /// - Parameter byClock: whether time brought it there: then a form that waited was open before it closed.
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
