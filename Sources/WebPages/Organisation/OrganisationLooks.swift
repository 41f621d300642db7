import HTTPTypes
import HummingbirdCore
import Store
import Synchronization

/// The current look of the organisation, made once for each revision and shared by all pages.
final class OrganisationLooks: Sendable {
    private struct State {
        var current: OrganisationLook?
        /// The look before, because pages that were just made still load its files.
        var previous: OrganisationLook?
        var lastReload: ContinuousClock.Instant?
    }

    private let store: Store
    private let state = Mutex(State())

    init(_ store: Store) { self.store = store }

    /// The current look. The database is read only after a change. If that fails, pages keep the last look.
    func current() async -> OrganisationLook {
        if let organisation = try? await store.organisations.current() { return look(of: organisation) }
        return state.withLock { $0.current } ?? OrganisationLook.none
    }

    private func look(of organisation: Organisation) -> OrganisationLook {
        state.withLock { state in
            if let current = state.current, current.revision >= organisation.revision { return current }
            let look = OrganisationLook(organisation)
            (state.previous, state.current) = (state.current, look)
            return look
        }
    }

    /// The response to a request for a file of the look. Nil if no look has it.
    func response(to request: Request) async -> Response? {
        let path = request.uri.path
        guard path.hasPrefix(OrganisationLook.pathPrefix) else { return nil }
        if let file = await current().files[path] ?? state.withLock({ $0.previous?.files[path] }) {
            return file.response(to: request)
        }
        // Another instance may have made the page after a change that this one has not noticed yet.
        guard mayReload(), let organisation = try? await store.organisations.read() else { return nil }
        return look(of: organisation).files[path]?.response(to: request)
    }

    /// Whether an unknown address may cost a statement: at most one a second, because anybody can invent addresses.
    private func mayReload() -> Bool {
        state.withLock { state in
            if let last = state.lastReload, last.duration(to: .now) < .seconds(1) { return false }
            state.lastReload = .now
            return true
        }
    }
}
