import Foundation
import Postgres

/// The forms whose results changed on any instance. The database sends notifications of the changes over a separate
/// connection.
public struct FormChanges: AsyncSequence, Sendable {
    public enum Change: Sendable, Equatable {
        /// Notifications may have been missed, so that all watched forms have to be read again.
        case refresh
        case form(UUID)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var events: Listener.AsyncIterator

        public mutating func next() async -> Change? {
            while let event = await events.next() {
                switch event {
                case .refresh: return .refresh
                case .notification(_, let payload):
                    if let id = UUID(uuidString: payload) { return .form(id) }
                }
            }
            return nil
        }
    }

    let listener: Listener

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: listener.makeAsyncIterator()) }
}

extension Store {
    public var formChanges: FormChanges {
        FormChanges(listener: Listener(connecting, channels: [FormChannel.name]))
    }
}
