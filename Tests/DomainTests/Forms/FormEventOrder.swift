import Domain
import Testing

@Suite struct FormEventOrder {
    @Test func everyChangeIsPublishedOnceInOrder() {
        let transitions: [(FormState, FormState, clock: [FormEvent], hand: [FormEvent])] = [
            (.draft, .draft, [], []), (.draft, .scheduled, [], []), (.draft, .open, [.opened], [.opened]),
            (.draft, .closed, [.opened, .closed], [.closed]), (.scheduled, .open, [.opened], [.opened]),
            (.scheduled, .closed, [.opened, .closed], [.closed]), (.open, .open, [], []),
            (.open, .scheduled, [], []), (.open, .closed, [.closed], [.closed]), (.open, .final, [.closed], [.closed]),
            (.closed, .closed, [], []), (.closed, .final, [], []), (.closed, .open, [.opened], [.opened]),
            (.closed, .scheduled, [], []),
        ]
        for (from, to, clock, hand) in transitions {
            #expect(from.events(to: to, byClock: true) == clock, "\(from) to \(to) by the clock")
            #expect(from.events(to: to, byClock: false) == hand, "\(from) to \(to) by hand")
        }
    }
}
