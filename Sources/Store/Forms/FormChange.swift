import Foundation
import Postgres

/// A change to a form's results, made by any instance.
public enum FormChange: Sendable, Equatable {
    /// Notifications may have been missed, so all watched forms have to be read again.
    case refresh
    case form(UUID)
}

extension Store {
    /// The changes to the results of all forms. The database sends them as notifications over a separate connection.
    public var formChanges: some AsyncSequence<FormChange, Never> & Sendable {
        Listener(sessionConfiguration, channels: [FormChannel.name]).compactMap { event -> FormChange? in
            switch event {
            case .refresh: .refresh
            case .notification(_, let payload): UUID(uuidString: payload).map { .form($0) }
            }
        }
    }
}
